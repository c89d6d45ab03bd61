package interpret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/currency"
	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/locale/cldr"
)

// Vocabulary holds the spellings of the units of an index, and of numbers and
// comparatives, in one locale.
type Vocabulary struct {
	language  *language
	own, root signs               // of numbers: those of the locale and of the root locale
	spellings map[string][]string // folded spelling → declared units
	longest   int                 // bytes of the longest spelling
	others    map[string]bool     // with noCurrency, folded spellings of usual units that no field declares
	names     map[string]bool     // with noCurrency, folded last words of the names of other number fields
	words     int                 // of the spelling with the most words, such as "miles per hour"

	doubtsYears bool // with noCurrency: numbers that may be years are not amounts of money
}

// NewVocabulary returns the vocabulary of a locale for the units that the fields of
// an index declare; numbers are the paths of its number fields without a unit. The
// locale "" is treated as en.
func NewVocabulary(locale string, units, numbers []string) *Vocabulary {
	if locale == "" {
		locale = "en"
	}
	v := &Vocabulary{
		language: languageOf(locale), own: signsOf(cldr.SymbolsOf(locale)), root: signsOf(cldr.Root()),
		spellings: make(map[string][]string), others: make(map[string]bool), names: make(map[string]bool),
	}
	for _, unit := range units {
		spellings := spellingsOf(unit, locale)
		if unit == noCurrency {
			spellings = append(spellings, otherCurrencies(units, locale)...)
		}
		for _, spelling := range spellings {
			v.add(spelling, unit)
			if strings.Contains(spelling, "/") {
				v.add(strings.ReplaceAll(spelling, " ", ""), unit) // l/100 km is also written l/100km
			}
		}
		if !strings.ContainsAny(unit, " \u00a0") {
			v.add(unit, unit)
		}
	}
	if slices.Contains(units, noCurrency) {
		v.doubtsYears = true
		v.addOthers(locale, numbers)
	}
	return v
}

// addOthers adds the units after which a number is not an amount of money, and the names
// behind which it is not one: "rating over 4".
func (v *Vocabulary) addOthers(locale string, numbers []string) {
	for _, path := range numbers {
		words := strings.FieldsFunc(path, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if len(words) > 0 {
			v.names[fold(words[len(words)-1])] = true
		}
	}
	for _, unit := range usualUnits {
		for _, spelling := range cldr.UnitSpellings(unit, locale) {
			if utf8.RuneCountInString(spelling) > 1 && !v.isUnit(spelling) {
				v.others[spelling] = true
			}
		}
	}
}

// usualUnits are units that people type after a number. Those with a spelling that is
// also a currency or a common word, such as pounds and in, are not among them.
var usualUnits = []string{
	"milligram", "gram", "kilogram", "tonne", "millimeter", "centimeter", "meter", "kilometer", "foot", "mile", "milliliter", "liter",
	"minute", "hour", "day", "week", "month", "year", "watt", "kilowatt", "kilowatt-hour", "megahertz", "gigahertz",
	"kilobyte", "megabyte", "gigabyte", "terabyte", "celsius", "percent",
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

// unitAt returns the longest spelling of a unit that starts at word i and the
// number of words it takes, 0 when there is none.
func (v *Vocabulary) unitAt(words []string, i int) (unit string, taken int) {
	for n := min(v.words, len(words)-i); n > 0; n-- {
		if spelling := strings.Join(words[i:i+n], " "); v.isUnit(spelling) {
			return spelling, n
		}
	}
	return "", 0
}

// spellingsOf returns the spellings of a declared unit apart from the unit itself.
func spellingsOf(unit, locale string) []string {
	if isCurrency(unit) {
		return cldr.CurrencySpellings(unit, locale)
	}
	return cldr.UnitSpellings(unit, locale)
}

// noCurrency is the code of ISO 4217 for no currency: the currency of the field is not
// known. A number with any widely used currency that no field declares is interpreted
// on it.
const noCurrency = "XXX"

// widelyUsed are currencies none of whose spellings is also a common word or a unit.
var widelyUsed = []string{"EUR", "USD", "GBP", "JPY", "CHF", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "BRL"}

func otherCurrencies(declared []string, locale string) []string {
	var spellings []string
	for _, code := range widelyUsed {
		if !slices.Contains(declared, code) {
			spellings = append(spellings, cldr.CurrencySpellings(code, locale)...)
		}
	}
	return spellings
}

// isCurrency reports whether a declared unit is an ISO 4217 code.
func isCurrency(unit string) bool {
	code, err := currency.ParseISO(unit)
	return err == nil && code.String() == unit
}

// fold returns the form in which words are compared. Typographic apostrophes become
// ASCII ones, the dotless i and the dotted capital İ become i, because only Turkish tells
// their capitals apart, and the digits of every script become those of ASCII.
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
	return cases.Fold().String(strings.Map(plain, norm.NFKC.String(word)))
}

func plain(r rune) rune {
	switch {
	case r == '’':
		return '\''
	case r == 'İ', r == 'ı':
		return 'i'
	case r >= 0x80 && unicode.Is(unicode.Nd, r):
		// The digits of a script are adjacent and start with zero.
		zero := r
		for unicode.Is(unicode.Nd, zero-1) && r-zero < 9 {
			zero--
		}
		return '0' + r - zero
	}
	return r
}

// hasDigit reports whether the folded word may contain a digit.
func hasDigit(word string) bool {
	for _, r := range word {
		if r >= '0' && r <= '9' || r >= 0x80 && unicode.IsNumber(r) {
			return true
		}
	}
	return false
}
