package tokenfilter

import (
	"maps"
	"unicode/utf8"
)

// arabicMarks are marks of the Arabic script that readers omit: tatweel and the
// short vowels.
var arabicMarks = map[rune]string{
	'\u0640': "", // tatweel
	'\u064B': "", '\u064C': "", '\u064D': "", '\u064E': "", '\u064F': "", '\u0650': "", '\u0651': "", '\u0652': "",
	'\u0670': "", // superscript alef
}

// joined returns the arabicMarks combined with more rules.
func joined(rules map[rune]string) map[rune]string {
	all := maps.Clone(arabicMarks)
	maps.Copy(all, rules)
	return all
}

// arabicLetters unifies all forms of alef, and maps alef maksura to yeh and teh
// marbuta to heh.
var arabicLetters = joined(map[rune]string{
	'\u0622': "\u0627", '\u0623': "\u0627", '\u0625': "\u0627", '\u0671': "\u0627",
	'\u0649': "\u064A",
	'\u0629': "\u0647",
})

// persianLetters maps the Persian yeh and kaf to the Arabic ones and heh with
// yeh and heh goal to heh, and drops hamza above.
var persianLetters = joined(map[rune]string{
	'\u0622': "\u0627", '\u0623': "\u0627", '\u0625': "\u0627", '\u0671': "\u0627",
	'\u06CC': "\u064A", '\u06D2': "\u064A", '\u0649': "\u064A",
	'\u06A9': "\u0643",
	'\u06C0': "\u0647", '\u06C1': "\u0647", '\u0629': "\u0647",
	'\u0654': "",
})

// urduLetters maps Arabic and Persian forms to the Urdu letters.
var urduLetters = joined(map[rune]string{
	'\u064A': "\u06CC", '\u0649': "\u06CC",
	'\u0643': "\u06A9",
	'\u0647': "\u06C1", '\u06D5': "\u06C1", '\u0629': "\u06C1", '\u06C3': "\u06C1", '\u06C0': "\u06C1", '\u06C2': "\u06C1",
	'\u0622': "\u0622", '\u0623': "\u0627", '\u0625': "\u0627", '\u0671': "\u0627",
	'\u0654': "", '\u0653': "",
})

// soraniLetters follows the Central Kurdish orthography: yeh and kaf as on
// Kurdish keyboards, teh marbuta and heh with ZWNJ as ae.
var soraniLetters = joined(map[rune]string{
	'\u064A': "\u06CC", '\u0649': "\u06CC",
	'\u0643': "\u06A9",
	'\u0629': "\u06D5",
	'\u06BE': "\u0647",
	'\u0692': "\u0695",
	'\u200D': "", '\u200E': "", '\u200F': "",
})

// sorani is soraniLetters with context-dependent rules: heh before ZWNJ and heh
// at the end of a word are the vowel ae, and reh at the beginning of a word is
// rolled.
type sorani struct{ letters }

func (n sorani) appendNormal(dst, term []byte) []byte {
	begin := len(dst)
	dst = n.letters.appendNormal(dst, term)
	out := dst[:begin]
	rest := dst[begin:]
	first := true
	for len(rest) > 0 {
		r, size := utf8.DecodeRune(rest)
		next, nextSize := utf8.DecodeRune(rest[size:])
		if r == utf8.RuneError && size == 1 {
			out = append(out, rest[0])
			rest = rest[1:]
			continue
		}
		switch {
		case r == '\u0647' && next == '\u200C' && nextSize > 0:
			r, size = '\u06D5', size+nextSize
		case r == '\u0647' && size == len(rest):
			r = '\u06D5'
		case r == '\u0631' && first:
			r = '\u0695'
		case r == '\u200C':
			rest = rest[size:]
			continue
		}
		out = utf8.AppendRune(out, r) // never longer than the input read so far
		rest = rest[size:]
		first = false
	}
	return out
}
