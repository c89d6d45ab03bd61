package decompound

import (
	"bytes"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

func splitter(t testing.TB, patterns string, words ...string) *Splitter {
	t.Helper()
	p, err := ReadPatterns(strings.NewReader(patterns))
	if err != nil {
		t.Fatal(err)
	}
	var list bytes.Buffer
	if _, err := WriteWords(&list, words); err != nil {
		t.Fatal(err)
	}
	s, err := New(p, list.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parts(s *Splitter, word string) []string {
	var out []string
	at := s.AppendParts(nil, []byte(word))
	for i := 0; i+1 < len(at); i += 2 {
		out = append(out, word[at[i]:at[i+1]])
	}
	return out
}

func TestPartsStandBetweenBreaks(t *testing.T) {
	s := splitter(t, "n1j\nr1b\nk1k\ns1b\n", "regn", "jakke", "Arbeit", "Arbeiter", "barn")
	for word, want := range map[string][]string{
		"regnjakke": {"regn", "jakke"},
		"jakke":     nil,
		"regnbarn":  nil, // no break before barn
		"regn":      nil,
	} {
		if got := parts(s, word); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestLinkingLetterIsDropped(t *testing.T) {
	s := splitter(t, "s1z", "arbeit", "zeit")
	if got := parts(s, "arbeitszeit"); !slices.Equal(got, []string{"arbeit", "zeit"}) {
		t.Errorf("%q", got)
	}
}

func TestAnchoredAndEvenPatterns(t *testing.T) {
	p, err := ReadPatterns(strings.NewReader("UTF-8\n% remark\n.ab1c a1b2c 3x."))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Breaks("abcx"); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("%v: the even pattern forbids the break before c", got)
	}
}

func TestPatternsOverManyLetters(t *testing.T) {
	p, err := ReadPatterns(strings.NewReader("ä1ö"))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Breaks("xäöx"); !slices.Equal(got, []int{2}) {
		t.Errorf("%v", got)
	}
}

func FuzzAppendParts(f *testing.F) {
	f.Add("regnjakke")
	f.Add("\xff\xfe\xfd\xfc\xfb\xfa")
	f.Add(strings.Repeat("ä", 200))
	p, err := ReadPatterns(strings.NewReader("n1j a1b e1e ä1ä"))
	if err != nil {
		f.Fatal(err)
	}
	var list bytes.Buffer
	if _, err := WriteWords(&list, []string{"regn", "jakke", "äää"}); err != nil {
		f.Fatal(err)
	}
	s, err := New(p, list.Bytes())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, word string) {
		at := s.AppendParts(nil, []byte(word))
		for i := 0; i+1 < len(at); i += 2 {
			if at[i] < 0 || at[i] >= at[i+1] || at[i+1] > len(word) {
				t.Fatalf("part %d to %d of %q", at[i], at[i+1], word)
			}
		}
	})
}

func TestSeamsAreLearnedFromTheWords(t *testing.T) {
	p, err := ReadPatterns(strings.NewReader("a1b"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("regn jakke jakker jord regnjord regnjakker tegn tegnjord tegnjakke")
	learned := Seams(p, words)
	if !slices.Contains(learned, "gn9j") {
		t.Fatalf("learned %q", learned)
	}
	s := splitter(t, "a1b\n"+strings.Join(learned, "\n"), words...)
	if got := parts(s, "regnjakke"); !slices.Equal(got, []string{"regn", "jakke"}) {
		t.Errorf("%q", got)
	}
}

func TestPartsAreRemembered(t *testing.T) {
	s := splitter(t, "n1j", "regn", "jakke")
	want := parts(s, "regnjakke")
	if got := parts(s, "regnjakke"); !slices.Equal(got, want) || len(got) != 2 {
		t.Errorf("%q, then %q", want, got)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection allocates and empties pools
	if n := testing.AllocsPerRun(10, func() { s.AppendParts(make([]int, 0, 8), []byte("regnjakke")) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func frequency(t testing.TB, ranks map[string]int) *Frequency {
	t.Helper()
	var list bytes.Buffer
	if _, err := WriteRanks(&list, ranks); err != nil {
		t.Fatal(err)
	}
	s, err := NewFrequency(list.Bytes(), []string{"s", "es"}, []string{"ende"}, []string{"tür"}, 4)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadingsByFrequency(t *testing.T) {
	s := frequency(t, map[string]int{"Bund": 420, "Bundes": 450, "finanz": 500, "minister": 480, "finanzminister": 590, "hand": 400, "rare": 700,
		"handel": 450, "elend": 560, "handelend": 300, "ende": 300, "hoff": 500, "straße": 450, "ein": 200, "verein": 500})
	for word, want := range map[string][]string{
		"bundesfinanzminister": {"bund", "finanz", "minister", "finanzminister"}, // the lowest mean, plus parts that form a word together
		"finanzminister":       {"finanz", "minister"},
		"handelend":            nil, // more frequent than hand and elend
		"handrare":             nil, // rare is too rare
		"hoffende":             nil, // an ending
		"verein":               nil,
		"handstrasse":          {"hand", "strasse"},
		"handtür":              {"hand", "tür"},
		"handsstrasse":         {"hand", "strasse"},
		"hand":                 nil,
		"\xff\xfehandhand":     nil,
	} {
		var got []string
		at := s.AppendParts(nil, []byte(word))
		for i := 0; i+1 < len(at); i += 2 {
			got = append(got, word[at[i]:at[i+1]])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func FuzzFrequency(f *testing.F) {
	s := frequency(f, map[string]int{"bund": 420, "minister": 480, "äääää": 300, "aaaa": 100, "aaaaa": 100})
	f.Add("bundesminister")
	f.Add(strings.Repeat("a", 48))
	f.Add(strings.Repeat("ä", 49))
	f.Fuzz(func(t *testing.T, word string) {
		at := s.AppendParts(nil, []byte(word))
		end := 0
		for i := 0; i+1 < len(at); i += 2 {
			if at[i] < end || at[i] >= at[i+1] || at[i+1] > len(word) {
				t.Fatalf("part %d to %d of %q", at[i], at[i+1], word)
			}
			end = at[i+1]
		}
	})
}
