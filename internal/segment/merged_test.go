package segment

import (
	"fmt"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

func TestMergedFormsAgreeWithEveryField(t *testing.T) {
	b := NewBuilder()
	ids := []FieldID{
		b.Field(FieldOptions{Name: "body", Kind: Terms}),
		b.Field(FieldOptions{Name: "plain", Kind: Terms}),
		b.Field(FieldOptions{Name: "title", Kind: Terms}),
	}
	for i := range 300 {
		b.StartDoc()
		for j, id := range ids {
			stem := fmt.Sprintf("w%03d", i*(j+1)%450)
			o := Occurrence{Term: []byte(stem)}
			if j != 1 {
				o.Form = []byte(stem + []string{"ing", "ed", "s"}[(i+j)%3])
			}
			b.Terms(id, []Occurrence{o})
		}
		b.EndDoc(true)
	}
	fs := vfs.Memory()
	if _, err := b.Finish(fs, "a"); err != nil {
		t.Fatal(err)
	}
	r := opened(t, fs, "a")
	names := []string{"body", "plain", "title"}
	merged := r.MergedTerms(names)
	if merged == nil || r.MergedTerms(names) != merged {
		t.Fatal("small dictionaries are merged at once, and kept")
	}
	if r.MergedTerms([]string{"body", "missing"}) != nil {
		t.Fatal("a field that is missing was merged")
	}
	o := terms.FuzzyOptions{Distance: 2, PrefixLength: 1}
	for i := range 300 {
		word := fmt.Appendf(nil, "w%03ding", i)
		got := make([][]terms.Match, len(names))
		merged.FuzzyForms(got, word, o)
		for j, name := range names {
			if want, _ := r.Terms(name).FuzzyForms(nil, word, o); !slices.Equal(got[j], want) {
				t.Fatalf("%s in %s: %v, want %v", word, name, got[j], want)
			}
		}
	}
}
