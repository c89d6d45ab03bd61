package stem

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns a word in the form that analysis gives it before stemming.
func Fold(word string) string { return cases.Fold().String(norm.NFKC.String(word)) }

// WriteForms writes pairs of form and base form in the format that OpenForms
// reads, folded, and returns the number of forms. If a form has several base
// forms, the first one wins.
func WriteForms(w io.Writer, pairs [][2]string) (int, error) {
	bases := make(map[string]string, len(pairs))
	for _, p := range pairs {
		form, base := Fold(p[0]), Fold(p[1])
		if _, ok := bases[form]; !ok && form != "" && isWord(form) && isWord(base) {
			bases[form] = base
		}
	}
	forms := slices.Sorted(maps.Keys(bases))
	numbers := make(map[formRule]uint64)
	var rules []formRule
	var fst bytes.Buffer
	b, err := vellum.New(&fst, nil)
	if err != nil {
		return 0, err
	}
	for _, form := range forms {
		r := ruleOf(form, bases[form])
		number, ok := numbers[r]
		if !ok {
			number = uint64(len(rules))
			numbers[r] = number
			rules = append(rules, r)
		}
		if err := b.Insert([]byte(form), number); err != nil {
			return 0, err
		}
	}
	if err := b.Close(); err != nil {
		return 0, err
	}
	head := []byte(formsMark)
	head = binary.AppendUvarint(head, uint64(len(rules)))
	for _, r := range rules {
		head = binary.AppendUvarint(head, uint64(r.cut))
		head = binary.AppendUvarint(head, uint64(len(r.add)))
		head = append(head, r.add...)
	}
	if _, err := w.Write(head); err != nil {
		return 0, err
	}
	_, err = w.Write(fst.Bytes())
	return len(forms), err
}

// isWord reports whether a word consists of letters and apostrophes.
func isWord(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) && r != '\'' {
			return false
		}
	}
	return true
}

func ruleOf(form, base string) formRule {
	shared := 0
	for shared < len(form) && shared < len(base) && form[shared] == base[shared] {
		shared++
	}
	for shared > 0 && (shared < len(form) && !utf8.RuneStart(form[shared]) || shared < len(base) && !utf8.RuneStart(base[shared])) {
		shared--
	}
	return formRule{len(form) - shared, base[shared:]}
}
