package tokenfilter

import (
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/analysis/token"
)

func normalized(f Filter, words string) string {
	var s token.Stream
	for _, word := range strings.Fields(words) {
		s.Add([]byte(word), 0, len(word), token.Word, 0)
	}
	f.Apply(&s)
	var out []string
	last := int32(-1)
	for _, t := range s.Tokens {
		if t.Position == last {
			out[len(out)-1] += "|" + string(t.Term)
		} else {
			out = append(out, string(t.Term))
		}
		last = t.Position
	}
	return strings.Join(out, " ")
}

func TestTypedWordsKeepTheFormOfEarlierVersions(t *testing.T) {
	for _, c := range []struct{ locale, words, stored, typed string }{
		{"en", "Shop 14 O'Neill", "shop 14 o'neill", "shop 14 o'neill"},
		{"en", "١٤ O’Neill", "14 o'neill", "14|١٤ o'neill|o’neill"},
		{"ar", "\u0627\u0654\u062d\u0645\u062f", "احمد", "احمد|أحمد"}, // alef, loose hamza
		{"ar", "\uFE83", "ا", "ا|أ"},                                  // presentation form
		{"fa", "آب ۱۲", "اب 12", "اب 12|۱۲"},
		{"ro", "s\u0327ase", "șase", "șase|şase"},
		{"fr", "L’œuvre CŒURS Ex-Æquo ŒÆ dœ", "oeuvre coeurs ex-aequo oeae doe", "oeuvre|œuvre coeurs|cœurs ex-aequo|ex-æquo oeae|œæ doe|dœ"},
		{"tr", "Levi's", "levi", "levi"},
		{"tr", "Istanbul IŞIK ıstanbul İZMİR", "ıstanbul ışık ıstanbul izmir", "ıstanbul|istanbul ışık|işik ıstanbul izmir"},
	} {
		if got := normalized(NewNormalize(c.locale, false), c.words); got != c.stored {
			t.Errorf("%s %q is stored as %q, want %q", c.locale, c.words, got, c.stored)
		}
		if got := normalized(NewNormalizeTyped(c.locale, false), c.words); got != c.typed {
			t.Errorf("%s %q is looked up as %q, want %q", c.locale, c.words, got, c.typed)
		}
	}
}

func TestStopwordsOfEarlierFormsAreDropped(t *testing.T) {
	typed := NewNormalizeTyped("ar", false)
	stop := NewStopwords([]string{"إلى"}, typed)
	var s token.Stream
	word := "\u0627\u0655\u0644\u0649" // the hamza below is loose
	s.Add([]byte(word), 0, len(word), token.Word, 0)
	typed.Apply(&s)
	stop.Apply(&s)
	if len(s.Tokens) > 0 {
		t.Errorf("%q is left", s.Tokens[0].Term)
	}
}

// TestDigitsOfEveryScript relies on the ten digits of a script being adjacent.
func TestDigitsOfEveryScript(t *testing.T) {
	f := NewNormalize("en", false)
	for _, zero := range "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰０𐒠𑁦𑃰𝟎𝟘𞥐" {
		for n := range rune(10) {
			if got, want := normalized(f, string(zero+n)), string('0'+n); got != want {
				t.Errorf("%q: got %q, want %q", zero+n, got, want)
			}
		}
	}
}
