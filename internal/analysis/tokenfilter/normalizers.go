package tokenfilter

import (
	"maps"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// normalizer is the locale-specific part of normalize. It runs before case
// folding, so its input may contain capitals.
type normalizer interface {
	// concerns reports whether appendNormal could change the term; false positives
	// are allowed.
	concerns(term []byte, shape token.Shape) bool
	appendNormal(dst, term []byte) []byte
}

// normalizers lists the normalizers by canonical tag.
var normalizers = map[string]normalizer{
	"ca":  elision{articles("d l m n s t")},
	"fr":  french{frenchArticles},
	"it":  elision{articles("c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d")},
	"ga":  irish{elision{articles("d m b")}},
	"el":  greek{},
	"tr":  turkish{},
	"ro":  composing{newLetters(romanianLetters)},
	"uk":  newLetters(ukrainianLetters),
	"ar":  composing{newLetters(arabicLetters)},
	"fa":  composing{newLetters(persianLetters)},
	"ckb": composing{sorani{newLetters(soraniLetters)}},
	"ur":  composing{newLetters(urduLetters)},
	"bn":  bengali{},
	"hi":  hindi{},
	"ne":  indic{},
	"gu":  indic{},
	"kn":  indic{},
	"ml":  indic{},
	"mr":  indic{},
	"or":  indic{},
	"pa":  indic{},
	"ta":  indic{},
	"te":  telugu{},
}

// earlierNormalizers are the rules of earlier versions that have changed since.
var earlierNormalizers = map[string]normalizer{
	"fr":  frenchArticles,
	"tr":  firstSuffix{},
	"ro":  newLetters(romanianLetters),
	"ar":  newLetters(arabicLetters),
	"fa":  newLetters(persianLetters),
	"ckb": sorani{newLetters(soraniLetters)},
	"ur":  newLetters(urduLetters),
}

// composing composes a word before applying rules that know only composed letters:
// alef followed by a loose hamza becomes one letter, as do their presentation forms.
type composing struct{ normalizer }

func (c composing) appendNormal(dst, term []byte) []byte {
	if folding().isLoose(term) {
		term = norm.NFKC.Bytes(term)
	}
	return c.normalizer.appendNormal(dst, term)
}

// letters replaces single code points; an empty replacement drops one. Those
// to replace lie close together.
type letters struct {
	first   rune
	entries []letter // of first and the code points after it
}

type letter struct {
	to         string
	isReplaced bool
}

func newLetters(replacements map[rune]string) letters {
	first, last := slices.Min(slices.Collect(maps.Keys(replacements))), slices.Max(slices.Collect(maps.Keys(replacements)))
	l := letters{first, make([]letter, last-first+1)}
	for from, to := range replacements {
		l.entries[from-first] = letter{to, true}
	}
	return l
}

func (l letters) concerns(_ []byte, shape token.Shape) bool { return shape&token.ShapeASCII == 0 }

func (l letters) appendNormal(dst, term []byte) []byte {
	copied := 0
	for i := 0; i < len(term); {
		r, size := utf8.DecodeRune(term[i:])
		if at := int(r - l.first); at >= 0 && at < len(l.entries) && l.entries[at].isReplaced {
			dst = append(append(dst, term[copied:i]...), l.entries[at].to...)
			copied = i + size
		}
		i += size
	}
	return append(dst, term[copied:]...)
}

// ukrainianLetters unifies apostrophes and removes stress marks.
var ukrainianLetters = map[rune]string{
	'’': "'", 'ʼ': "'", '`': "'", '´': "'", '‘': "'", '′': "'",
	'\u0300': "", '\u0301': "",
}

// romanianLetters replaces the cedilla of letters by the comma of Romanian.
var romanianLetters = map[rune]string{'Ş': "Ș", 'ş': "ș", 'Ţ': "Ț", 'ţ': "ț"}
