package spelling

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
		"don't": "dont", "o’neill": "oneill", "l'oréal": "loreal", "u.s.a": "usa", "node.js": "", "3.5": "", "a.b.": "ab", "mu'ller": "muller", "mü'ller": "muller mueller",
	} {
		if got := strings.Join(Of(word), " "); got != want {
			t.Errorf("%q is typed as %q, want %q", word, got, want)
		}
	}
}

func TestSpellingsHaveNoSpellings(t *testing.T) {
	for r := range rune(0x2100) {
		for _, s := range Of(string(r)) {
			if again := Of(s); again != nil || !slices.Equal([]rune(s), []rune(strings.ToValidUTF8(s, ""))) {
				t.Errorf("%q is typed as %q, and that as %q", r, s, again)
			}
		}
	}
}
