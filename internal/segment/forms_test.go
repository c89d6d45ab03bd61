package segment

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

// spelled builds a segment of one document per text. A word is a term, or a surface
// form and its term with a colon in between.
func spelled(t *testing.T, fs vfs.FS, name string, texts ...string) *Reader {
	t.Helper()
	b := NewBuilder()
	f := b.Field(FieldOptions{Name: "text", Kind: Terms, Positions: true, Lengths: true})
	for _, text := range texts {
		b.StartDoc()
		var all []Occurrence
		for i, word := range strings.Fields(text) {
			form, term, differs := strings.Cut(word, ":")
			o := Occurrence{Term: []byte(form), Position: uint32(i)}
			if differs {
				o.Term, o.Form = []byte(term), []byte(form)
			}
			all = append(all, o)
		}
		b.Terms(f, all)
		b.Length(f, uint32(len(all)))
		b.EndDoc(true)
	}
	if _, err := b.Finish(fs, name); err != nil {
		t.Fatal(err)
	}
	return opened(t, fs, name)
}

func opened(t *testing.T, fs vfs.FS, name string) *Reader {
	t.Helper()
	r, err := Open(fs, name, blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Release() })
	if err := Check(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func formsOf(r *Reader) string {
	field := r.Terms("text")
	var all []string
	for i := range field.NumForms() {
		form, ord := field.Form(i)
		all = append(all, fmt.Sprintf("%s:%s", form, field.Term(ord)))
	}
	return strings.Join(all, " ")
}

func near(field *terms.Field, word string, edits uint8, open bool) string {
	matches, _ := field.FuzzyForms(nil, []byte(word), terms.FuzzyOptions{Distance: edits, Open: open})
	var all []string
	for _, m := range matches {
		all = append(all, fmt.Sprintf("%s/%d", field.Term(m.Ord), m.Distance))
	}
	return strings.Join(all, " ")
}

func TestSurfaceFormsLeadToTerms(t *testing.T) {
	r := spelled(t, vfs.Memory(), "a", "documentation:document dark", "documented:document darkness:dark", "documentation:document")
	if got, want := formsOf(r), "darkness:dark documentation:document documented:document"; got != want {
		t.Fatalf("forms %s, want %s", got, want)
	}
	field := r.Terms("text")
	for _, c := range []struct {
		word  string
		edits uint8
		open  bool
		want  string
	}{
		{"documentaton", 1, false, "document/1"},
		{"drakness", 1, false, "dark/1"},
		{"documentati", 0, true, "document/0"},
		{"documenttai", 2, true, "document/1"},
		{"documentation", 2, false, "document/0"},
		{"lamp", 2, false, ""},
	} {
		if got := near(field, c.word, c.edits, c.open); got != c.want {
			t.Errorf("%q within %d edits: %q, want %q", c.word, c.edits, got, c.want)
		}
	}
	if e, ok := field.LookupForm([]byte("darkness")); !ok || string(field.Term(e.Ord)) != "dark" {
		t.Errorf("darkness leads to %v, %v", e, ok)
	}
	if _, ok := field.LookupForm([]byte("dark")); ok {
		t.Error("a term that is spelled as itself has a form")
	}
}

func TestMergedFormsAreThoseOfTermsThatAreLeft(t *testing.T) {
	fs := vfs.Memory()
	a := spelled(t, fs, "a", "documentation:document", "running:run", "lamps:lamp")
	b := spelled(t, fs, "b", "plain", "words")
	c := spelled(t, fs, "c", "runner:run running:run", "darkness:dark")
	live := bitset.New(3)
	live.Set(0)
	live.Set(1) // the lamp is deleted
	if _, _, err := Merge(context.Background(), fs, "merged", []MergeInput{{Reader: a, Live: live}, {Reader: b}, {Reader: c}}); err != nil {
		t.Fatal(err)
	}
	merged := opened(t, fs, "merged")
	if got, want := formsOf(merged), "darkness:dark documentation:document runner:run running:run"; got != want {
		t.Errorf("forms %s, want %s", got, want)
	}
}
