package decompound

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns a word as analysis writes it before splitting.
func Fold(word string) string { return cases.Fold().String(norm.NFKC.String(word)) }

// WriteWords writes a list of words in the form that New reads, folded, in
// order, each once, and returns how many there are. Words that cannot be parts
// are left out.
func WriteWords(w io.Writer, words []string) (int, error) {
	kept := make([]string, 0, len(words))
	for _, word := range words {
		folded := Fold(word)
		n := utf8.RuneCountInString(folded)
		if n >= minPart && n <= maxPart && onlyLetters(folded) {
			kept = append(kept, folded)
		}
	}
	slices.Sort(kept)
	kept = slices.Compact(kept)
	b, err := vellum.New(w, nil)
	if err != nil {
		return 0, err
	}
	for _, word := range kept {
		if err := b.Insert([]byte(word), 0); err != nil {
			return 0, fmt.Errorf("insert %q: %w", word, err)
		}
	}
	return len(kept), b.Close()
}

func onlyLetters(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// A list of full forms maps each form of a word to its base form: a map from
// forms to rules, and the rules, each a number of bytes to cut and what to put
// in their place.

// WriteForms writes pairs of form and base form in the form that OpenForms
// reads, folded. Of several bases of one form the first counts.
func WriteForms(w io.Writer, pairs [][2]string) (int, error) {
	bases := make(map[string]string, len(pairs))
	for _, p := range pairs {
		form, base := Fold(p[0]), Fold(p[1])
		if _, ok := bases[form]; !ok && form != "" && onlyLetters(form) && onlyLetters(base) {
			bases[form] = base
		}
	}
	forms := make([]string, 0, len(bases))
	for form := range bases {
		forms = append(forms, form)
	}
	slices.Sort(forms)
	rules := make(map[rule]uint64)
	var order []rule
	var fst bytes.Buffer
	b, err := vellum.New(&fst, nil)
	if err != nil {
		return 0, err
	}
	for _, form := range forms {
		r := ruleOf(form, bases[form])
		number, ok := rules[r]
		if !ok {
			number = uint64(len(order))
			rules[r] = number
			order = append(order, r)
		}
		if err := b.Insert([]byte(form), number); err != nil {
			return 0, err
		}
	}
	if err := b.Close(); err != nil {
		return 0, err
	}
	return len(forms), writeForms(w, order, fst.Bytes())
}

// rule turns a form into its base.
type rule struct {
	cut int
	add string
}

func ruleOf(form, base string) rule {
	shared := 0
	for shared < len(form) && shared < len(base) && form[shared] == base[shared] {
		shared++
	}
	for shared > 0 && (shared < len(form) && !utf8.RuneStart(form[shared]) || shared < len(base) && !utf8.RuneStart(base[shared])) {
		shared--
	}
	return rule{len(form) - shared, base[shared:]}
}
