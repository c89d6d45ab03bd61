package decompound

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/blevesearch/vellum"

	"github.com/quiresearch/quire/internal/format"
)

// formsMark opens a list of full forms.
var formsMark = fmt.Sprint(format.Forms.Mark, format.Forms.Version)

var errForms = errors.New("full-form list is damaged")

func writeForms(w io.Writer, rules []rule, fst []byte) error {
	head := []byte(formsMark)
	head = binary.AppendUvarint(head, uint64(len(rules)))
	for _, r := range rules {
		head = binary.AppendUvarint(head, uint64(r.cut))
		head = binary.AppendUvarint(head, uint64(len(r.add)))
		head = append(head, r.add...)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(fst)
	return err
}

// Forms gives the base forms of words. It is immutable and may be used by any
// number of goroutines.
type Forms struct {
	rules []rule
	words *vellum.FST
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
		f.rules = append(f.rules, rule{int(cut), string(data[:size])})
		data = data[size:]
	}
	words, err := vellum.Load(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errForms, err)
	}
	f.words = words
	return f, nil
}

// AppendBase appends the base form of word, or word itself when it is not
// listed.
func (f *Forms) AppendBase(dst, word []byte) []byte {
	number, ok, err := f.words.Get(word)
	if err != nil || !ok || number >= uint64(len(f.rules)) || f.rules[number].cut > len(word) {
		return append(dst, word...)
	}
	r := f.rules[number]
	return append(append(dst, word[:len(word)-r.cut]...), r.add...)
}
