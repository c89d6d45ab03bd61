package stem

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/blevesearch/vellum"

	"github.com/quiresearch/quire/internal/format"
)

// formsMark begins a list of full forms: rules, each a number of bytes to cut
// and a replacement, followed by a map from forms to rules.
var formsMark = fmt.Sprint(format.Forms.Mark, format.Forms.Version)

var errForms = errors.New("full-form list is damaged")

// Forms stems with a list of full forms: the stem of a listed form is its base
// form, that of any other word is the word itself.
type Forms struct {
	rules []formRule
	words *vellum.FST
}

// formRule converts a form to its base form.
type formRule struct {
	cut int
	add string
}

// OpenForms opens a list written by WriteForms.
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

// AppendStem appends the base form of word, or word itself if it is not listed.
func (f *Forms) AppendStem(_ *Scratch, dst, word []byte) []byte {
	if r, ok := f.rule(word); ok {
		return append(append(dst, word[:len(word)-r.cut]...), r.add...)
	}
	return append(dst, word...)
}

// rule returns the rule of a listed form.
func (f *Forms) rule(word []byte) (formRule, bool) {
	number, ok, err := f.words.Get(word)
	if err != nil || !ok || number >= uint64(len(f.rules)) || f.rules[number].cut > len(word) {
		return formRule{}, false
	}
	return f.rules[number], true
}
