package stem

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/blevesearch/vellum"

	"github.com/quiresearch/quire/internal/format"
)

// formsMark opens a list of full forms: rules, each a number of bytes to cut
// and what to put in their place, then a map from forms to rules.
var formsMark = fmt.Sprint(format.Forms.Mark, format.Forms.Version)

var errForms = errors.New("full-form list is damaged")

// Forms stems by a list of full forms: every listed form has its base form as
// stem, any other word itself.
type Forms struct {
	rules []formRule
	words *vellum.FST
}

// formRule turns a form into its base.
type formRule struct {
	cut int
	add string
}

// OpenForms opens a list that WriteForms wrote.
func OpenForms(data []byte) (*Forms, error) {
	if len(data) < len(formsMark) || string(data[:len(formsMark)]) != formsMark {
		return nil, errForms
	}
	data = data[len(formsMark):]
	number := func() (uint64, bool) {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return 0, false
		}
		data = data[n:]
		return v, true
	}
	count, ok := number()
	if !ok || count > uint64(len(data)) {
		return nil, errForms
	}
	f := &Forms{}
	for range count {
		cut, ok1 := number()
		size, ok2 := number()
		if !ok1 || !ok2 || size > uint64(len(data)) || cut > 1<<12 {
			return nil, errForms
		}
		f.rules = append(f.rules, formRule{int(cut), string(data[:size])})
		data = data[size:]
	}
	words, err := vellum.Load(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errForms, err)
	}
	f.words = words
	return f, nil
}

// AppendStem appends the base form of word, or word itself when it is not
// listed.
func (f *Forms) AppendStem(_ *Scratch, dst, word []byte) []byte {
	if r, ok := f.rule(word); ok {
		return append(append(dst, word[:len(word)-r.cut]...), r.add...)
	}
	return append(dst, word...)
}

// rule finds the rule of a listed form.
func (f *Forms) rule(word []byte) (formRule, bool) {
	number, ok, err := f.words.Get(word)
	if err != nil || !ok || number >= uint64(len(f.rules)) || f.rules[number].cut > len(word) {
		return formRule{}, false
	}
	return f.rules[number], true
}
