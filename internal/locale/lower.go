package locale

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lower returns s in the lower case of a locale, for comparing keywords: in
// Turkish and Azeri, I becomes ı and İ becomes i. Final sigma becomes a plain
// sigma, so that Greek words compare equal wherever they were cut. Lower-case
// text is returned unchanged.
func Lower(tag, s string) string {
	turkic := isTurkic(tag)
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c-'A' < 26 {
			return lowerFrom(s, turkic)
		}
	}
	return s
}

func isTurkic(tag string) bool {
	language, _, _ := strings.Cut(tag, "-")
	return strings.EqualFold(language, "tr") || strings.EqualFold(language, "az")
}

func lowerFrom(s string, turkic bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case turkic && r == 'I':
			return 'ı'
		case r == 'İ':
			return 'i'
		case r == 'ς':
			return 'σ'
		}
		return unicode.ToLower(r)
	}, s)
}
