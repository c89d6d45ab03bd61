package terms

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMergedFuzzyAgreesWithEveryField(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for round := range 6 {
		alphabet := []string{"ab", "abcdefgh", "aé日x"}[round%3]
		var fields []*Field
		var words []string
		for _, n := range []int{6000, 0, 3000, 9} {
			some := randomWords(rng, n, alphabet, 12)
			fields = append(fields, buildField(t, some, Options{}))
			words = append(words, some...)
		}
		merged := Merge(fields)
		for range 60 {
			word := []rune(words[rng.IntN(len(words))])
			for range rng.IntN(3) {
				if len(word) > 0 {
					word[rng.IntN(len(word))] = []rune(alphabet)[rng.IntN(len([]rune(alphabet)))]
				}
			}
			o := FuzzyOptions{Distance: uint8(rng.IntN(3)), PrefixLength: rng.IntN(4), Open: rng.IntN(2) == 0, Limit: 1 << 40}
			got := make([][]Match, len(fields))
			if !merged.Fuzzy(got, []byte(string(word)), o) {
				t.Fatal("the limit was reached")
			}
			for i, f := range fields {
				want, _ := f.Fuzzy(nil, []byte(string(word)), o)
				if !slices.Equal(got[i], want) {
					t.Fatalf("%q with %+v in field %d: %v, want %v", string(word), o, i, fmt.Sprint(got[i]), fmt.Sprint(want))
				}
			}
		}
	}
}

func TestKeysAreNotMerged(t *testing.T) {
	words := []string{"a", "b"}
	if Merge([]*Field{buildField(t, words, Options{}), buildField(t, words, Options{Key: true})}) != nil {
		t.Fatal("keys were merged")
	}
}
