package terms

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/locale/spelling"
)

// TestTermsWithoutTheirDiacritics compares with a field that holds the spellings
// themselves.
func TestTermsWithoutTheirDiacritics(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for round := range 18 {
		alphabet := []string{"aeé", "aeäæ", "ouöåaß", "e\u0301é\u0323x", "ssßtþh日", "abcdefghijkléł"}[round%6]
		words := randomWords(rng, 3000, alphabet, 9)
		f := buildField(t, words, Options{})
		merged := Merge([]*Field{f, buildField(t, words[:len(words)/3], Options{})})
		var plain []string
		from := map[string][]uint32{}
		for i, w := range words {
			for _, s := range spelling.Of(w) {
				plain = append(plain, s)
				from[s] = append(from[s], uint32(i))
			}
		}
		slices.Sort(plain)
		plain = slices.Compact(plain)
		spelled := buildField(t, plain, Options{})
		for range 40 {
			word := []byte(slices.Concat(words, plain)[rng.IntN(len(words)+len(plain))])
			o := FuzzyOptions{Distance: uint8(rng.IntN(3)), PrefixLength: rng.IntN(4), Open: rng.IntN(2) == 0, Limit: 1 << 40}
			want, _ := f.Fuzzy(nil, word, o)
			near, _ := spelled.Fuzzy(nil, word, o)
			var variants []Match
			for _, m := range near {
				for _, ord := range from[plain[m.Ord]] {
					want = append(want, Match{Entry: Entry{Ord: ord}, Distance: m.Distance})
					if m.Distance == 0 {
						variants = append(variants, Match{Entry: Entry{Ord: ord}})
					}
				}
			}
			want, variants = nearest(want), nearest(variants)
			o.Spellings = true
			found, complete := f.Fuzzy(nil, word, o)
			if !complete || numbered(found) != numbered(want) {
				t.Fatalf("%q with %+v:\n%s\nwant\n%s", word, o, numbered(found), numbered(want))
			}
			byField := make([][]Match, 2)
			if merged.Fuzzy(byField, word, o); numbered(byField[0]) != numbered(want) {
				t.Fatalf("%q with %+v in merged fields:\n%s\nwant\n%s", word, o, numbered(byField[0]), numbered(want))
			}
			if got := f.Variants(nil, word, o.Open); numbered(got) != numbered(variants) {
				t.Fatalf("%q, open %v: variants\n%s\nwant\n%s", word, o.Open, numbered(got), numbered(variants))
			}
		}
	}
}

func numbered(found []Match) string {
	var all strings.Builder
	for _, m := range found {
		fmt.Fprint(&all, m.Ord, "~", m.Distance, " ")
	}
	return all.String()
}

func TestVariantsOfForms(t *testing.T) {
	words, forms := []string{"caf", "ecol", "école"}, map[string]uint32{"café": 0, "cafés": 0, "ecoles": 1, "écoles": 2}
	f := buildFieldOf(t, words, forms, Options{})
	for _, c := range []struct {
		word string
		open bool
		want string
	}{{"cafe", false, "0~0 "}, {"ecoles", false, "2~0 "}, {"caf", true, "0~0 "}, {"ec", true, "2~0 "}, {"café", false, ""}, {"ecol", false, ""}} {
		if got := numbered(f.FormVariants(nil, []byte(c.word), c.open)); got != c.want {
			t.Errorf("%q, open %v: %s, want %s", c.word, c.open, got, c.want)
		}
	}
	if got := buildField(t, words, Options{}).FormVariants(nil, []byte("cafe"), false); got != nil {
		t.Errorf("a field without forms has variants: %v", got)
	}
}
