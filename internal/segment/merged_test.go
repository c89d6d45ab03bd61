package segment

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
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
	budget := NewBudget(1 << 20)
	merged := r.MergedTerms(names, budget)
	if merged == nil || r.MergedTerms(names, budget) != merged {
		t.Fatal("small dictionaries are merged at once, and kept")
	}
	if r.MergedTerms([]string{"body", "missing"}, budget) != nil {
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

func TestLargeDictionariesAreMergedInTheBackground(t *testing.T) {
	b := NewBuilder()
	names := []string{"body", "title"}
	ids := []FieldID{b.Field(FieldOptions{Name: "body", Kind: Terms}), b.Field(FieldOptions{Name: "title", Kind: Terms})}
	for i := range 120 {
		b.StartDoc()
		for _, id := range ids {
			var all []Occurrence
			for j := range 100 {
				all = append(all, Occurrence{Term: fmt.Appendf(nil, "w%05d", i*100+j), Position: uint32(j)})
			}
			b.Terms(id, all)
		}
		b.EndDoc(true)
	}
	fs := vfs.Memory()
	if _, err := b.Finish(fs, "a"); err != nil {
		t.Fatal(err)
	}
	r := opened(t, fs, "a")
	budget := NewBudget(1 << 20)
	asked := 1
	for r.MergedTerms(names, budget) == nil {
		asked++
		runtime.Gosched()
	}
	if asked <= 24_000/termsPerWord {
		t.Fatalf("merged after %d words", asked)
	}
	got := make([][]terms.Match, 2)
	r.MergedTerms(names, budget).Fuzzy(got, []byte("w00700"), terms.FuzzyOptions{Distance: 1, PrefixLength: 1})
	if want, _ := r.Terms("title").Fuzzy(nil, []byte("w00700"), terms.FuzzyOptions{Distance: 1, PrefixLength: 1}); len(want) == 0 || !slices.Equal(got[1], want) {
		t.Fatalf("%v, want %v", got[1], want)
	}
}

// Merged dictionaries stay within a budget, and their memory counts until the
// segment is closed.
func TestMergedDictionariesHaveABudget(t *testing.T) {
	b := NewBuilder()
	names := []string{"body", "title"}
	ids := []FieldID{b.Field(FieldOptions{Name: "body", Kind: Terms}), b.Field(FieldOptions{Name: "title", Kind: Terms})}
	for i := range 100 {
		b.StartDoc()
		for _, id := range ids {
			b.Terms(id, []Occurrence{{Term: fmt.Appendf(nil, "w%05d", i)}})
		}
		b.EndDoc(true)
	}
	fs := vfs.Memory()
	if _, err := b.Finish(fs, "a"); err != nil {
		t.Fatal(err)
	}
	r := opened(t, fs, "a")
	size := terms.MergedBytes([]*terms.Field{r.Terms("body"), r.Terms("title")})
	if r.MergedTerms(names, nil) != nil || r.MergedTerms(names, NewBudget(2*size-2)) != nil {
		t.Error("merged without a budget, or beyond one half of it")
	}
	r, err := Open(fs, "a", blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	budget := NewBudget(2 * size)
	if r.MergedTerms(names, budget) == nil || budget.used.Load() != size {
		t.Errorf("%d of %d bytes are used", budget.used.Load(), size)
	}
	if err := r.Release(); err != nil || budget.used.Load() != 0 {
		t.Errorf("%d bytes are used after the segment: %v", budget.used.Load(), err)
	}
}
