package hunspell

import (
	"slices"
	"testing"
)

func forms(t *testing.T, aff, dic string) []string {
	t.Helper()
	words, err := Expand([]byte(aff), []byte(dic))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, w := range words {
		out = append(out, w.Form+"<"+w.Stem)
	}
	return out
}

func TestSuffixesFollowTheirConditions(t *testing.T) {
	aff := "SET UTF-8\nSFX A Y 2\nSFX A 0 er [^e]\nSFX A e er/B e\nSFX B Y 1\nSFX B 0 ne .\n"
	if got, want := forms(t, aff, "2\nbil/A\njakke/A\n"), []string{"bil<bil", "biler<bil", "jakke<jakke", "jakker<jakke", "jakkerne<jakke"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFlagsOfEveryKind(t *testing.T) {
	for _, c := range []struct{ aff, dic string }{
		{"FLAG long\nSFX Aa Y 1\nSFX Aa 0 s .\n", "1\nhus/BbAa\n"},
		{"FLAG num\nSFX 17 Y 1\nSFX 17 0 s .\n", "1\nhus/3,17\n"},
		{"AF 2\nAF X\nAF AX\nSFX A Y 1\nSFX A 0 s .\n", "1\nhus/2\n"},
		{"SET ISO8859-1\nSFX \xe5 Y 1\nSFX \xe5 0 s .\n", "1\nhus/\xe5\n"},
	} {
		if got, want := forms(t, c.aff, c.dic), []string{"hus<hus", "huss<hus"}; !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.aff, got, want)
		}
	}
}

func TestForbiddenAndBoundStems(t *testing.T) {
	aff := "FORBIDDENWORD !\nNEEDAFFIX -\nSFX A Y 1\nSFX A 0 s .\n"
	if got, want := forms(t, aff, "2\nbad/!A\nhaus/-A\n"), []string{"hauss<haus"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("SFX A Y 1\nSFX A 0 s [ab\n", "1\nx/A\n")
	f.Add("FLAG num\nAF 1\nAF 5\nSFX 5 e er/5 .\n", "e/1")
	f.Fuzz(func(t *testing.T, aff, dic string) {
		_, _ = Expand([]byte(aff), []byte(dic))
	})
}
