package interpret

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/currency"
	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/locale/cldr"
)

// Vocabulary is how the units of an index, numbers and comparatives are written
// in one locale.
type Vocabulary struct {
	language  *language
	own, root signs               // of numbers: the locale's and those of no locale
	spellings map[string][]string // folded spelling → declared units
	longest   int                 // bytes of the longest spelling
}

// NewVocabulary returns the vocabulary of a locale ("" reads as en) for the
// units that the fields of an index declare.
func NewVocabulary(locale string, units []string) *Vocabulary {
	if locale == "" {
		locale = "en"
	}
	v := &Vocabulary{
		language: languageOf(locale), own: signsOf(cldr.SymbolsOf(locale)), root: signsOf(cldr.Root()),
		spellings: make(map[string][]string),
	}
	for _, unit := range units {
		for _, spelling := range append(spellingsOf(unit, locale), unit) {
			folded := fold(spelling)
			if folded == "" || strings.ContainsAny(folded, " \u00a0") || slices.Contains(v.spellings[folded], unit) {
				continue
			}
			v.spellings[folded] = append(v.spellings[folded], unit)
			v.longest = max(v.longest, len(folded))
		}
	}
	return v
}

func (v *Vocabulary) isUnit(word string) bool { return len(v.spellings[word]) > 0 }

// spellingsOf returns how a declared unit may be typed beside the unit itself.
func spellingsOf(unit, locale string) []string {
	if isCurrency(unit) {
		return cldr.CurrencySpellings(unit, locale)
	}
	return cldr.UnitSpellings(unit, locale)
}

// isCurrency reports whether a declared unit is a code of ISO 4217.
func isCurrency(unit string) bool {
	code, err := currency.ParseISO(unit)
	return err == nil && code.String() == unit
}

// fold returns the form in which words are compared; either apostrophe is one.
func fold(word string) string {
	ascii := true
	for i := range len(word) {
		if word[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(word)
	}
	return cases.Fold().String(norm.NFKC.String(strings.ReplaceAll(word, "’", "'")))
}

// hasDigit reports whether folding may leave a digit of a word.
func hasDigit(word string) bool {
	for _, r := range word {
		if r >= '0' && r <= '9' || r >= 0x80 && unicode.IsNumber(r) {
			return true
		}
	}
	return false
}
