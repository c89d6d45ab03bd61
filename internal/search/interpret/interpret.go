// Package interpret finds quantities and field values in typed text: "shoes under
// 100 kr" consists of the word shoes and a price below 100.
//
// A Vocabulary holds the spellings of units, numbers and comparatives for one index
// and one locale. A Reader belongs to one search and knows the fields that numbers
// may be interpreted on. In the loose words of a text, Numbers finds numbers with
// units and comparatives, and Values finds spans of words that are values of
// fields. Rewrite turns a clause and its interpretations into clauses: for each
// interpretation, a filter or the words themselves, so that an interpretation never
// loses a document that holds the words.
//
// A Vocabulary never changes; any number of goroutines may use it. A Reader
// belongs to one goroutine.
package interpret

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/query"
)

// Interpretation is one part of the typed text that was interpreted. It matches a
// filter on any of the alternatives, or the words.
type Interpretation struct {
	Words        []string // as typed
	First, Last  int      // indexes of the words among the parts of the text, both included
	IsValue      bool     // a value of a field, not a number
	Alternatives []Alternative
}

// Alternative is one field that an interpretation may filter on.
type Alternative struct {
	Field Field
	Match query.Matcher
}

// Field is a field that text is interpreted on: of documents, or of the values of
// its list. It applies where When holds and no earlier field of its chain has a
// value.
type Field struct {
	*definition.ResolvedField
	When    []query.Clause
	Earlier []Field
	Target  *query.Target // the target that names it; nil without targets
}

// IsFallback reports whether the field applies only where earlier fields of its
// chain have no value.
func (f *Field) IsFallback() bool { return len(f.Earlier) > 0 }

// Reader interprets the texts of one search.
type Reader struct {
	*Vocabulary
	fields   []Field
	targeted bool
}

// NewReader returns a reader. fields are the number fields with a unit that may be
// interpreted; when targeted is set, they are those the request names.
func NewReader(v *Vocabulary, fields []Field, targeted bool) *Reader {
	return &Reader{Vocabulary: v, fields: fields, targeted: targeted}
}

// quantity is a number with an optional unit.
type quantity struct {
	value   float64
	unit    string // folded spelling; "" without one
	consume int    // number of words taken
}

// Numbers returns the quantities found in the parts of a text, from left to right.
func (r *Reader) Numbers(parts []query.TextPart) []Interpretation {
	if len(r.fields) == 0 || !slices.ContainsFunc(parts, func(p query.TextPart) bool { return hasDigit(p.Text) }) {
		return nil
	}
	var interpretations []Interpretation
	forEachRun(parts, nil, func(from, to int) {
		words := make([]string, to-from)
		for i := range words {
			words[i] = fold(unpunctuated(parts[from+i].Text))
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

// unpunctuated returns a word without trailing punctuation, as in
// "is there a tent under 100 usd?".
func unpunctuated(word string) string { return strings.TrimRight(word, "?!,;？！，；、。") }

// forEachRun calls work for every run of adjacent loose words that are not taken.
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
