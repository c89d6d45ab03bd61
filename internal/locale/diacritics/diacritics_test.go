package diacritics

import (
	"slices"
	"strings"
	"testing"
)

func TestSpellings(t *testing.T) {
	for word, want := range map[string]string{
		"cafe": "", "café": "cafe", "cafe\u0301": "cafe", "Łódź": "Lodz", "hà": "ha", "nội": "noi", "điện": "dien", "kůň": "kun",
		"müller": "muller mueller", "straße": "strasse", "ærøskøbing": "aeroskobing aeroeskoebing", "ångström": "angstrom aangstroem",
		"ışık": "isik", "αθήνα": "αθηνα", "ёлка": "елка", "йод": "", "हिन्दी": "", "مُحَمَّد": "", "가": "", "é\xff": "e\xff", "ΐ": "ι",
	} {
		if got := strings.Join(Spellings(word), " "); got != want {
			t.Errorf("%q is typed as %q, want %q", word, got, want)
		}
	}
}

func TestSpellingsHaveNoDiacritics(t *testing.T) {
	for r := range rune(0x2100) {
		for _, s := range Spellings(string(r)) {
			if again := Spellings(s); again != nil || !slices.Equal([]rune(s), []rune(strings.ToValidUTF8(s, ""))) {
				t.Errorf("%q is typed as %q, and that as %q", r, s, again)
			}
		}
	}
}
