// Package interpret reads quantities and field values out of what a person
// typed: "shoes under 100 kr" holds the words shoes and a price below 100.
//
// A Vocabulary is made once for an index and a locale: how its units, numbers
// and comparatives are written. A Reader is made for one search. It knows the
// fields that may be read on and finds, in the loose words of a text, numbers
// with units and comparatives (Numbers), and spans of words that are values of
// fields (Values). Rewrite turns a clause and its interpretations into clauses: for
// each interpretation, a filter or the words themselves, so that an interpretation never takes
// away a document that holds the words.
//
// A Vocabulary never changes; any number of goroutines may use it. A Reader
// belongs to one goroutine.
package interpret

import (
	"slices"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/query"
)

// Interpretation is one thing read out of the typed text: either a filter on one of
// the alternatives, or the words.
type Interpretation struct {
	Words        []string // as typed
	First, Last  int      // places of the words among the text's parts, both included
	IsValue      bool     // a value of a field, not a number
	Alternatives []Alternative
}

// Alternative is one field an interpretation may be a filter on.
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
	Target  *query.Target // that names it; nil without
}

// IsFallback reports whether the field serves only what earlier fields of its
// chain do not.
func (f *Field) IsFallback() bool { return len(f.Earlier) > 0 }

// Reader reads the texts of one search.
type Reader struct {
	*Vocabulary
	fields   []Field
	targeted bool
}

// NewReader returns a reader. fields are the number fields with a unit that
// may be read on; with targets they are those that the request names.
func NewReader(v *Vocabulary, fields []Field, targeted bool) *Reader {
	return &Reader{Vocabulary: v, fields: fields, targeted: targeted}
}

// quantity is a number with the fields its unit belongs to.
type quantity struct {
	value   float64
	unit    string // folded spelling; "" without one
	consume int    // words
}

// Numbers returns the quantities read out of a text's parts, left to right.
func (r *Reader) Numbers(parts []query.TextPart) []Interpretation {
	if len(r.fields) == 0 || !slices.ContainsFunc(parts, func(p query.TextPart) bool { return hasDigit(p.Text) }) {
		return nil
	}
	var interpretations []Interpretation
	forEachRun(parts, nil, func(from, to int) {
		words := make([]string, to-from)
		for i := range words {
			words[i] = fold(parts[from+i].Text)
		}
		for i := 0; i < len(words); {
			interpretation, used := r.at(words, i)
			if used == 0 {
				i++
				continue
			}
			if len(interpretation.Alternatives) > 0 {
				interpretation.First, interpretation.Last = from+i, from+i+used-1
				for j := range used {
					interpretation.Words = append(interpretation.Words, parts[from+i+j].Text)
				}
				interpretations = append(interpretations, interpretation)
			}
			i += used
		}
	})
	return interpretations
}

// forEachRun calls work for every stretch of neighbouring loose words that no
// interpretation has taken.
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
