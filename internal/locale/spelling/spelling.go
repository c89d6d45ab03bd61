// Package spelling knows how people type words whose diacritics and signs they leave
// out: "cafe" for "café", "lodz" for "łódź", "muller" or "mueller" for "müller", "dont"
// for "don't", "usa" for "u.s.a".
//
// Only letters count that people take for plain ones: Latin and Greek letters with
// marks, Latin letters that stand beside plain ones on a common keyboard, and the
// Russian ё. A Russian й is no и, and an Arabic or Indic mark is not left out. Dots
// are left out between single letters only.
package spelling

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Append appends a word as people type it without its diacritics and signs, and
// reports whether that differs from the word. With wide, letters that some people
// type as two are written so; then it reports whether there are any.
//
//	müller   muller, wide mueller
//	école    ecole, which has no wide spelling
func Append(dst, word []byte, wide bool) (spelling []byte, differs bool) {
	dropsDots := isAcronym(word)
	for len(word) > 0 {
		r, size := rune(word[0]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(word)
		}
		letter := letterOf(r)
		switch {
		case wide && letter.wide != "":
			dst, differs = append(dst, letter.wide...), true
		case letter.isSign || letter.plain != "" || r == '.' && dropsDots:
			dst, differs = append(dst, letter.plain...), differs || !wide
		default:
			dst = append(dst, word[:size]...)
		}
		word = word[size:]
	}
	return dst, differs
}

// MayDiffer reports whether a word may have a spelling. Most words have none, and it
// says so quickly.
func MayDiffer(word []byte) bool {
	return slices.ContainsFunc(word, func(b byte) bool { return b >= utf8.RuneSelf || b == '\'' }) || len(word) > 2 && word[1] == '.'
}

// isAcronym reports whether a word consists of single letters with dots between
// them.
func isAcronym(word []byte) bool {
	if len(word) < 3 {
		return false
	}
	for i, b := range word {
		if isDot := b == '.'; isDot != (i%2 == 1) || b >= utf8.RuneSelf || b >= '0' && b <= '9' {
			return false
		}
	}
	return true
}

// Of returns the ways to type a word without its diacritics and signs; none if it
// has none.
func Of(word string) (spellings []string) {
	for _, wide := range []bool{false, true} {
		if s, differs := Append(nil, []byte(word), wide); differs {
			spellings = append(spellings, string(s))
		}
	}
	return spellings
}

// letter is how a letter is typed without its diacritics.
type letter struct {
	plain  string
	wide   string // another way, if there is one
	isSign bool   // a mark after its letter, or an apostrophe: it is not typed
}

func letterOf(r rune) letter {
	switch {
	case r >= 0x300 && r <= 0x36F || r == '\'' || r == '’' || r == 'ʼ':
		return letter{isSign: true}
	case r < first || r > last:
		return letter{}
	}
	return letters()[r-first]
}

// blocks of letters with diacritics, with the last letter of each.
var blocks = [][2]rune{{first, 0x24F}, {0x370, 0x3FF}, {0x451, 0x451}, {0x1E00, last}}

const first, last = 0xC0, 0x1FFF

// others are letters that do not decompose, and letters that some people type as
// two.
var others = map[rune]letter{
	'đ': {plain: "d"}, 'Đ': {plain: "D"}, 'ð': {plain: "d"}, 'Ð': {plain: "D"}, 'ħ': {plain: "h"}, 'Ħ': {plain: "H"},
	'ı': {plain: "i"}, 'ł': {plain: "l"}, 'Ł': {plain: "L"}, 'ŧ': {plain: "t"}, 'Ŧ': {plain: "T"},
	'æ': {plain: "ae"}, 'Æ': {plain: "Ae"}, 'œ': {plain: "oe"}, 'Œ': {plain: "Oe"}, 'ß': {plain: "ss"}, 'þ': {plain: "th"}, 'Þ': {plain: "Th"},
	'ø': {plain: "o", wide: "oe"}, 'Ø': {plain: "O", wide: "Oe"}, 'ä': {plain: "a", wide: "ae"}, 'Ä': {plain: "A", wide: "Ae"},
	'ö': {plain: "o", wide: "oe"}, 'Ö': {plain: "O", wide: "Oe"}, 'ü': {plain: "u", wide: "ue"}, 'Ü': {plain: "U", wide: "Ue"},
	'å': {plain: "a", wide: "aa"}, 'Å': {plain: "A", wide: "Aa"},
}

var letters = sync.OnceValue(func() []letter {
	all := make([]letter, last-first+1)
	for _, block := range blocks {
		for r := block[0]; r <= block[1]; r++ {
			base := baseOf(r)
			if l, ok := others[r]; ok {
				all[r-first] = l
			} else if l, ok := others[base]; ok {
				all[r-first] = l
			} else if base != 0 {
				all[r-first].plain = string(base)
			}
		}
	}
	return all
})

// baseOf returns the letter that r consists of besides marks, 0 if there are none.
func baseOf(r rune) rune {
	parts := []rune(norm.NFD.String(string(r)))
	if len(parts) < 2 || !unicode.IsLetter(parts[0]) || slices.ContainsFunc(parts[1:], func(m rune) bool { return !unicode.Is(unicode.Mn, m) }) {
		return 0
	}
	return parts[0]
}
