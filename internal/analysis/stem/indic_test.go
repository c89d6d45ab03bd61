package stem

import "testing"

func TestTeluguSingularAndPluralShareAStem(t *testing.T) {
	stemmer, ok := For("te")
	if !ok {
		t.Fatal("no stemmer")
	}
	stem := func(word string) string {
		var scratch Scratch
		return string(stemmer.AppendStem(&scratch, nil, []byte(word)))
	}
	for _, c := range [][2]string{{"పిల్ల", "పిల్లలు"}, {"పిల్ల", "పిల్లలకు"}} {
		if a, b := stem(c[0]), stem(c[1]); a != b {
			t.Errorf("%s has the stem %s, %s the stem %s", c[0], a, c[1], b)
		}
	}
}
