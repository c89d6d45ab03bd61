package tokenfilter

import (
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
	"ro":  composing{letters{romanianLetters}},
	"uk":  letters{ukrainianLetters},
	"ar":  composing{letters{arabicLetters}},
	"fa":  composing{letters{persianLetters}},
	"ckb": composing{sorani{letters{soraniLetters}}},
	"ur":  composing{letters{urduLetters}},
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

// earlierNormalizers are the rules of earlier versions, where they have changed.
var earlierNormalizers = map[string]normalizer{
	"fr":  frenchArticles,
	"tr":  firstSuffix{},
	"ro":  letters{romanianLetters},
	"ar":  letters{arabicLetters},
	"fa":  letters{persianLetters},
	"ckb": sorani{letters{soraniLetters}},
	"ur":  letters{urduLetters},
}

// composing puts a word together before rules that know whole letters: alef
// with a loose hamza and the presentation forms of both are one letter.
type composing struct{ normalizer }

func (c composing) appendNormal(dst, term []byte) []byte {
	if folding().isLoose(term) {
		term = norm.NFKC.Bytes(term)
	}
	return c.normalizer.appendNormal(dst, term)
}

// letters replaces single code points; an empty replacement drops one.
type letters struct{ replacements map[rune]string }

func (l letters) concerns(_ []byte, shape token.Shape) bool { return shape&token.ShapeASCII == 0 }

func (l letters) appendNormal(dst, term []byte) []byte {
	for i := 0; i < len(term); {
		r, size := utf8.DecodeRune(term[i:])
		if to, ok := l.replacements[r]; ok {
			dst = append(dst, to...)
		} else {
			dst = append(dst, term[i:i+size]...)
		}
		i += size
	}
	return dst
}

// ukrainianLetters unifies apostrophes and removes stress marks.
var ukrainianLetters = map[rune]string{
	'’': "'", 'ʼ': "'", '`': "'", '´': "'", '‘': "'", '′': "'", '＇': "'",
	'\u0300': "", '\u0301': "",
}

// romanianLetters writes letters with a cedilla with the comma of Romanian.
var romanianLetters = map[rune]string{'Ş': "Ș", 'ş': "ș", 'Ţ': "Ț", 'ţ': "ț"}
