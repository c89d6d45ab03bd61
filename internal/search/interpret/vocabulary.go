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
	words     int                 // of the spelling with most, such as "miles per hour"
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
		for _, spelling := range spellingsOf(unit, locale) {
			v.add(spelling, unit)
			if strings.Contains(spelling, "/") {
				v.add(strings.ReplaceAll(spelling, " ", ""), unit) // l/100 km is written l/100km as well
			}
		}
		if !strings.ContainsAny(unit, " \u00a0") {
			v.add(unit, unit)
		}
	}
	return v
}

func (v *Vocabulary) add(spelling, unit string) {
	folded := fold(spelling)
	if folded == "" || slices.Contains(v.spellings[folded], unit) {
		return
	}
	v.spellings[folded] = append(v.spellings[folded], unit)
	v.longest = max(v.longest, len(folded))
	v.words = max(v.words, 1+strings.Count(folded, " "))
}

func (v *Vocabulary) isUnit(word string) bool { return len(v.spellings[word]) > 0 }

// unitAt returns the longest spelling of a unit that begins at word i and how many
// words it takes, 0 when there is none.
func (v *Vocabulary) unitAt(words []string, i int) (unit string, taken int) {
	for n := min(v.words, len(words)-i); n > 0; n-- {
		if spelling := strings.Join(words[i:i+n], " "); v.isUnit(spelling) {
			return spelling, n
		}
	}
	return "", 0
}

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
