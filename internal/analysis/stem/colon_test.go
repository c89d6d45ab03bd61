package stem

import "testing"

func TestEndingsBehindAColonAreCutOff(t *testing.T) {
	for tag, words := range map[string][][2]string{
		"fi": {{"eu:ssa", "eu"}, {"eu:n", "eu"}, {"gimp:lle", "gimp"}, {"pcr:ää", "pcr"}, {"gcc:stä", "gcc"}},
		"sv": {{"eu:s", "eu"}, {"cd:n", "cd"}, {"cpu:erna", "cpu"}},
	} {
		stemmer, _ := For(tag)
		stem := func(word string) string {
			var scratch Scratch
			return string(stemmer.AppendStem(&scratch, nil, []byte(word)))
		}
		for _, w := range words {
			if inflected, plain := stem(w[0]), stem(w[1]); inflected != plain {
				t.Errorf("%s: %s has the stem %s, %s the stem %s", tag, w[0], inflected, w[1], plain)
			}
		}
		if got := stem("avain:arvot"); got == stem("avain") {
			t.Errorf("%s: what stands behind the colon of avain:arvot is not an ending", tag)
		}
	}
}
