package terms

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/invariant"
)

// forms is the dictionary of surface forms of a field. Stemming maps
// "documentation" to the term "document"; the typo "documentaton" is one edit from
// the former and five from the latter. The dictionary contains the former and maps
// it to the latter:
//
//	documentation → document
//	documented    → document
//	drake         → drake is a term itself and not listed
//
// It is empty in segments written before it existed; these are searched by terms
// alone until they are merged with newly analysed documents.
type forms struct {
	list     List
	prefixes []byte
	ords     packed // per form, the number of its term

	trie      lazyTrie
	spellings lazySpellings
}

// openForms opens the sections of the dictionary, if the segment has them.
func openForms(section func(part uint16) []byte, terms int) (*forms, bool) {
	offsets := section(PartFormOffsets)
	if len(offsets) == 0 {
		return nil, true
	}
	f := &forms{prefixes: section(PartFormPrefixes)}
	var ok bool
	if f.list, ok = NewList(section(PartFormBytes), offsets); !ok {
		return nil, false
	}
	f.ords = packed{section(PartFormTerms), bits.Len32(uint32(terms))}
	return f, len(f.prefixes) == f.list.Len() && f.ords.holds(f.list.Len())
}

// find looks up a form by binary search.
func (f *forms) find(form []byte) (uint32, bool) {
	i, ok := f.list.Search(form)
	return uint32(i), ok
}

// NumForms returns the number of surface forms.
func (f *Field) NumForms() int {
	if f.forms == nil {
		return 0
	}
	return f.forms.list.Len()
}

// Form returns surface form number i and the number of its term. The bytes must not
// be changed.
func (f *Field) Form(i int) (form []byte, ord uint32) {
	return f.forms.list.At(i), min(f.forms.ords.at(i), max(f.stats.Terms, 1)-1)
}

// LookupForm returns the term of a surface form.
func (f *Field) LookupForm(form []byte) (Entry, bool) {
	if f.forms == nil {
		return Entry{}, false
	}
	i, ok := f.forms.find(form)
	if !ok {
		return Entry{}, false
	}
	_, ord := f.Form(int(i))
	return f.At(ord), true
}

// FormPrefix returns the half-open range of surface forms that start with prefix.
func (f *Field) FormPrefix(prefix []byte) (from, to int) {
	if f.forms == nil {
		return 0, 0
	}
	return f.forms.list.Prefix(prefix)
}

// FuzzyForms is Fuzzy over the surface forms: it appends the terms of nearby forms.
func (f *Field) FuzzyForms(dst []Match, word []byte, o FuzzyOptions) (matches []Match, complete bool) {
	if f.forms == nil {
		return dst, true
	}
	d := f.forms
	w := newWalk(d.trie.of(&d.list, d.prefixes))
	defer w.free()
	complete = w.run(word, o)
	all := append(dst, w.matches...)
	all, whole := d.spellings.near(all, &d.list, word, o)
	return all[:len(dst)+len(f.entriesOfForms(all[len(dst):]))], complete && whole
}

// entriesOfForms replaces forms by the entries of their terms, each once.
func (f *Field) entriesOfForms(found []Match) []Match {
	for i := range found {
		_, found[i].Ord = f.Form(int(found[i].Ord))
	}
	return f.entries(found)
}

// checkForms describes what is wrong with the surface forms (TE5), or returns ""
// when nothing is.
func (f *Field) checkForms() string {
	var last []byte
	for i := range f.NumForms() {
		form, _ := f.Form(i)
		ord := f.forms.ords.at(i)
		switch {
		case i > 0 && bytes.Compare(last, form) >= 0:
			return fmt.Sprintf("TE5: form %q after %q", form, last)
		case ord >= f.stats.Terms:
			return fmt.Sprintf("TE5: form %q leads to term %d of %d", form, ord, f.stats.Terms)
		case min(commonPrefix(last, form), 255) != int(f.forms.prefixes[i]):
			return fmt.Sprintf("TE5: common prefix of form %q", form)
		case bytes.Equal(f.Term(ord), form):
			return fmt.Sprintf("TE5: form %q is its own term", form)
		}
		last = form
	}
	return ""
}

// formWriter collects the surface forms of a field while its other sections are
// written.
type formWriter struct {
	list     ListWriter
	prefixes gathered
	ords     []uint32
}

// Form adds a surface form and the number of its term, in the order of forms. It
// must be called after the last End and before Finish.
func (w *Writer) Form(form []byte, ord uint32) error {
	f := &w.forms
	last := f.list.Last()
	invariant.Check(last == nil || bytes.Compare(last, form) < 0, "TE5: form %q after %q", form, last)
	invariant.Check(int(ord) < w.length, "TE5: form %q leads to term %d of %d", form, ord, w.length)
	if f.list.Size()+len(form) > 1<<32-1 {
		return fmt.Errorf("write terms: the surface forms take more than 4 GiB")
	}
	f.prefixes.add([]byte{byte(min(commonPrefix(last, form), 255))})
	f.list.Add(form)
	f.ords = append(f.ords, ord)
	return nil
}

// Len returns the number of terms written so far, which is the number of the next
// term.
func (w *Writer) Len() uint32 { return uint32(w.length) }

func (w *Writer) writeForms() error {
	f := &w.forms
	if len(f.ords) == 0 {
		return nil
	}
	if err := f.list.bytes.section(w.out, w.id(PartFormBytes)); err != nil {
		return err
	}
	if err := f.list.Finish(w.out, w.id(PartFormOffsets)); err != nil {
		return err
	}
	if err := f.prefixes.section(w.out, w.id(PartFormPrefixes)); err != nil {
		return err
	}
	w.out.Begin(blockfile.ID{Owner: w.owner, Part: PartFormTerms})
	w.pack(f.ords, bits.Len32(uint32(w.length)))
	return nil
}
