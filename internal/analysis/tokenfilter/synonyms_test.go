package tokenfilter

import (
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// stream converts words to tokens; _ is a gap and | joins readings at a
// position.
func stream(text string) *token.Stream {
	s := &token.Stream{Steps: 1 << 20}
	at := 0
	for _, word := range strings.Fields(text) {
		for i, reading := range strings.Split(word, "|") {
			if i > 0 {
				s.Positions--
			}
			if reading == "_" {
				s.Positions++
				continue
			}
			s.Add([]byte(reading), at, at+len(word), token.Word, 0)
		}
		at += len(word) + 1
	}
	return s
}

// show is the inverse of stream.
func show(s *token.Stream) string {
	var out strings.Builder
	next := int32(0)
	for i, t := range s.Tokens {
		if i > 0 && s.Tokens[i-1].Position == t.Position {
			out.WriteByte('|')
		} else {
			for ; next < t.Position; next++ {
				out.WriteString(" _")
			}
			next++
			out.WriteByte(' ')
		}
		out.Write(t.Term)
	}
	return strings.TrimSpace(out.String())
}

func TestSynonyms(t *testing.T) {
	f := NewSynonyms()
	f.Equivalent([]string{"car", "automobile", "motor vehicle"})
	f.Mapping([]string{"sneakers"}, []string{"shoes", "running shoes"})
	f.Mapping([]string{"new york"}, []string{"ny"})
	f.Mapping([]string{"new york city"}, []string{"nyc", "big apple town"})
	f.Mapping([]string{"loop"}, []string{"loop"})
	for _, c := range []struct{ in, want string }{
		{"fast car", "fast car|automobile|motor vehicle"},
		{"a motor vehicle here", "a motor|car|automobile vehicle here"},
		{"red sneakers now", "red sneakers|shoes|running shoes|now"},
		{"shoes", "shoes"},
		{"new york city", "new|nyc|big apple|york town|city"},
		{"new york state", "new|ny york state"},
		{"new _ york", "new _ york"},
		{"the|new york|yrk", "the|new|ny york|yrk"},
		{"loop", "loop"},
		{"car car", "car|automobile|motor vehicle|car|automobile|motor vehicle"},
		{"", ""},
	} {
		s := stream(c.in)
		f.Apply(s)
		if got := show(s); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSynonymsCarryTheOffsetsOfTheMatch(t *testing.T) {
	f := NewSynonyms()
	f.Mapping([]string{"new york"}, []string{"ny"})
	s := stream("in new york now")
	f.Apply(s)
	for _, k := range s.Tokens {
		if string(k.Term) == "ny" && (k.Start != 3 || k.End != 11) {
			t.Errorf("ny at %d to %d", k.Start, k.End)
		}
	}
	if s.Positions != 4 {
		t.Errorf("%d positions", s.Positions)
	}
}

func TestSynonymsOfRepeatedReadingsAreBounded(t *testing.T) {
	f := NewSynonyms()
	f.Mapping([]string{strings.Repeat("a ", MaxSynonymWords)}, []string{"b"})
	s := &token.Stream{Steps: 1 << 20}
	for p := int32(0); p < 100; p++ {
		for range 40 {
			s.Append(token.Token{Term: []byte("a"), Position: p})
		}
	}
	f.Apply(s)
	if len(s.Tokens) < 4000 {
		t.Errorf("%d tokens", len(s.Tokens))
	}
}

// halves splits words of four or more letters in the middle.
type halves struct{}

func (halves) AppendParts(dst []int, word []byte) []int {
	if len(word) < 4 {
		return dst
	}
	return append(dst, 0, len(word)/2, len(word)/2, len(word))
}

func TestDecompoundAddsPartsOnce(t *testing.T) {
	for in, want := range map[string]string{
		"regnrock": "regnrock|regn|rock", "dodo ok": "dodo|do ok", "abc": "abc",
	} {
		s := stream(in)
		Decompound{Splitter: halves{}}.Apply(s)
		if got := show(s); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		for _, k := range s.Tokens {
			if k.Start == 0 && int(k.End) != len(strings.Fields(in)[0]) {
				t.Errorf("%q: part %q at %d to %d", in, k.Term, k.Start, k.End)
			}
		}
	}
}
