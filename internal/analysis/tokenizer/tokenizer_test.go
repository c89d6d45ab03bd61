package tokenizer

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"

	"github.com/quiresearch/quire/internal/analysis/token"
)

func terms(t Tokenizer, text string) []string {
	var s token.Stream
	t.Tokenize(&s, []byte(text))
	out := []string{}
	for _, tok := range s.Tokens {
		out = append(out, string(tok.Term))
	}
	return out
}

// naive implements UAX 29 without any shortcut.
func naive(text string) []string {
	out := []string{}
	for it := words.FromString(text); it.Next(); {
		if _, ok := kindOf([]byte(it.Value())); ok {
			out = append(out, it.Value())
		}
	}
	return out
}

func TestUnicodeEqualsTheFullTables(t *testing.T) {
	for _, text := range samples {
		if got, want := terms(Unicode{}, text), naive(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

var samples = []string{
	"", " ", "a", "can't stop", "32.3 1,000;5", "foo_bar _x_ ___", "x.com. a.b.c. 1.a a.1 a:b 1:2 a::b",
	"wi-fi C++ don't 'quoted' it's rock'n'roll", "Émile's café naïve", "a’b l’homme", "été.fin fin.été 3é é3",
	"日本語 テキスト ひらがな", "한국어 단어", "мама мыла раму", "สวัสดีครับ hello", "flags 🇸🇪🇳🇴 👍🏽 ok",
	"a\u0301 b\u0301c \u0301d", "x\u200dy", "1\u066b2", "tab\tnew\nline\r\n", "a_b.c_d 1_000.5", "ab\xffcd \xff\xfe",
	"e.g. U.S.A. 12:30:45 10,5 a,b ;,", "שלום עולם צה\"ל", "a'é é'a 1.é",
}

func FuzzUnicodeEqualsTheFullTables(f *testing.F) {
	for _, text := range samples {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || len(text) > token.MaxTermBytes {
			return // values are valid; how invalid ones split is undefined
		}
		if got, want := terms(Unicode{}, text), naive(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	})
}

func TestOffsetsNameTheTerm(t *testing.T) {
	for _, tok := range []Tokenizer{Unicode{}, Unicode{Breaker: pairs{}}, Whitespace{}, Letter{}, Keyword{}} {
		for _, text := range samples {
			var s token.Stream
			tok.Tokenize(&s, []byte(text))
			last := 0
			for i, k := range s.Tokens {
				if text[k.Start:k.End] != string(k.Term) || int(k.Start) < last || int(k.Position) != i {
					t.Errorf("%T %q: token %q at %d to %d, position %d", tok, text, k.Term, k.Start, k.End, k.Position)
				}
				if k.Shape != 0 && k.Shape != token.ShapeOf(k.Term) {
					t.Errorf("%T %q: token %q has shape %b, want %b", tok, text, k.Term, k.Shape, token.ShapeOf(k.Term))
				}
				last = int(k.End)
			}
		}
	}
}

func TestWhitespaceSplitsLikeFields(t *testing.T) {
	for _, text := range append(samples, "a\u0085b\u2003c\u3000\u1680", "\v\fé\u00a0", "\xc2", "a\xc2 b\xe2\x80", "É\u2028É") {
		if got, want := terms(Whitespace{}, text), strings.FieldsFunc(text, unicode.IsSpace); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSimpleTokenizers(t *testing.T) {
	for _, c := range []struct {
		tokenizer Tokenizer
		text      string
		want      string
	}{
		{Whitespace{}, " a-b  c.d\te\u00a0f ", "a-b|c.d|e|f"},
		{Letter{}, "a1b2-c d'e ñandú", "a|b|c|d|e|ñandú"},
		{Keyword{}, " whole text ", " whole text "},
		{Keyword{}, "", ""},
	} {
		if got := strings.Join(terms(c.tokenizer, c.text), "|"); got != c.want {
			t.Errorf("%T %q: %q, want %q", c.tokenizer, c.text, got, c.want)
		}
	}
}

// pairs breaks after every second code point.
type pairs struct{}

func (pairs) AppendBreaks(dst []int, run []byte) []int {
	n := 0
	for i := range string(run) {
		if n > 0 && n%2 == 0 {
			dst = append(dst, i)
		}
		n++
	}
	return append(dst, len(run))
}

func TestBreakerSplitsRunsOfScriptsWithoutSpaces(t *testing.T) {
	if got, want := terms(Unicode{Breaker: pairs{}}, "ok กขคง ok ຂຄ"), []string{"ok", "กข", "คง", "ok", "ຂຄ"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestKinds(t *testing.T) {
	var s token.Stream
	Unicode{}.Tokenize(&s, []byte("word 12 a1 日 カ 한 ก 👍"))
	want := []token.Kind{token.Word, token.Number, token.Word, token.Ideograph, token.Kana, token.Hangul, token.Complex, token.Symbol}
	for i, k := range s.Tokens {
		if i >= len(want) || k.Kind != want[i] {
			t.Errorf("%q has kind %d", k.Term, k.Kind)
		}
	}
	if len(s.Tokens) != len(want) {
		t.Errorf("%d tokens, want %d", len(s.Tokens), len(want))
	}
}
