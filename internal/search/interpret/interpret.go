// Package interpret reads quantities and field values out of what a person
// typed: "shoes under 100 kr" holds the words shoes and a price below 100.
//
// A Reader is made for one search. It knows the fields that declare a unit and
// finds, in the loose words of a text, numbers with units and comparatives
// (Numbers), and spans of words that are values of fields (Values). Rewrite
// turns a clause and its readings into clauses: for each reading, a filter or
// the words themselves, so that a reading never takes away a document that
// holds the words.
//
// A Reader belongs to one goroutine.
package interpret

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/currency"
	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/locale/cldr"
	"github.com/quiresearch/quire/query"
)

// Reading is one thing read out of the typed text: either a filter on one of
// the alternatives, or the words.
type Reading struct {
	Words        []string // as typed
	First, Last  int      // places of the words among the text's parts, both included
	Alternatives []Alternative
}

// Alternative is one field a reading may be a filter on.
type Alternative struct {
	Field Field
	Match query.Matcher
}

// Field is a field that is read on: of documents, or values of its list, where
// When holds and no earlier field of its chain has a value.
type Field struct {
	*definition.ResolvedField
	When    []query.Clause
	Earlier []Field
	Target  *query.Target // the target whose chain it belongs to; nil without
}

// IsFallback reports whether the field serves only what earlier fields of its
// chain do not.
func (f *Field) IsFallback() bool { return len(f.Earlier) > 0 }

// Reader reads the texts of one search.
type Reader struct {
	language  language
	own, root signs // of numbers: the locale's and those of no locale
	fields    []Field
	targeted  bool
	spellings map[string][]int // folded spelling → fields that declare it
	longest   int              // bytes of the longest spelling
}

// NewReader returns a reader for a locale ("" reads as en). fields are the
// number fields with a unit that may be read on; with targets they are those
// that the request names.
func NewReader(locale string, fields []Field, targeted bool) *Reader {
	if locale == "" {
		locale = "en"
	}
	r := &Reader{
		language: languageOf(locale), own: signsOf(cldr.SymbolsOf(locale)), root: signsOf(cldr.Root()),
		fields: fields, targeted: targeted, spellings: make(map[string][]int),
	}
	for i, f := range fields {
		for _, spelling := range append(spellingsOf(f.Unit, locale), f.Unit) {
			folded := fold(spelling)
			if folded == "" || strings.ContainsAny(folded, " \u00a0") {
				continue
			}
			if known := r.spellings[folded]; len(known) == 0 || known[len(known)-1] != i {
				r.spellings[folded] = append(known, i)
			}
			r.longest = max(r.longest, len(folded))
		}
	}
	return r
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

// quantity is a number with the fields its unit belongs to.
type quantity struct {
	value   float64
	unit    string // folded spelling; "" without one
	consume int    // words
}

// Numbers returns the quantities read out of a text's parts, left to right.
func (r *Reader) Numbers(parts []query.TextPart) []Reading {
	if len(r.fields) == 0 {
		return nil
	}
	var readings []Reading
	forEachRun(parts, nil, func(from, to int) {
		words := make([]string, to-from)
		for i := range words {
			words[i] = fold(parts[from+i].Text)
		}
		for i := 0; i < len(words); {
			reading, used := r.at(words, i)
			if used == 0 {
				i++
				continue
			}
			if len(reading.Alternatives) > 0 {
				reading.First, reading.Last = from+i, from+i+used-1
				for j := range used {
					reading.Words = append(reading.Words, parts[from+i+j].Text)
				}
				readings = append(readings, reading)
			}
			i += used
		}
	})
	return readings
}

// forEachRun calls work for every stretch of neighbouring loose words that no
// reading has taken.
func forEachRun(parts []query.TextPart, taken func(i int) bool, work func(from, to int)) {
	for i := 0; i < len(parts); {
		from := i
		for i < len(parts) && parts[i].Kind == query.LooseWord && (taken == nil || !taken(i)) {
			i++
		}
		if i > from {
			work(from, i)
		} else {
			i++
		}
	}
}
