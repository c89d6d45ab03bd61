package segment

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/vfs"
)

// TestMergeKeepsLittlePerDocument bounds what a merge allocates in all, live or
// not, for a document with a key, a word and a value of its own: what it would hold if nothing
// were collected.
func TestMergeKeepsLittlePerDocument(t *testing.T) {
	const segments, docs = 8, 10_000
	fs := vfs.OS(t.TempDir())
	var inputs []MergeInput
	for s := range segments {
		b := NewBuilder()
		key := b.Field(FieldOptions{Name: "key", Kind: Terms, Key: true})
		text := b.Field(FieldOptions{Name: "text", Kind: Terms, Freqs: true, Positions: true, Lengths: true})
		number := b.Field(FieldOptions{Name: "number", Kind: Numbers, Points: true})
		tag := b.Field(FieldOptions{Name: "tag", Kind: Ordinals})
		title := b.Field(FieldOptions{Name: "title", Kind: Ordinals})
		for i := range docs {
			n := i*segments + s
			b.StartDoc()
			b.Term(key, fmt.Appendf(nil, "document-%012x", n*7919), 0)
			for p := range 8 {
				b.Term(text, fmt.Appendf(nil, "word%d", n%(37*(p+1))), uint32(p))
			}
			b.Term(text, fmt.Appendf(nil, "single%d", n), 8)
			b.Length(text, 9)
			b.Number(number, int64(n*31%1000))
			b.Ordinal(tag, fmt.Appendf(nil, "tag%d", n%500))
			b.Ordinal(title, fmt.Appendf(nil, "%080d", n))
			b.Stored(fmt.Appendf(nil, `{"id":"document-%012x","number":%d}`, n*7919, n))
			b.EndDoc(true)
		}
		name := fmt.Sprintf("%d.seg", s)
		if _, err := b.Finish(fs, name); err != nil {
			t.Fatal(err)
		}
		r, err := Open(fs, name, blockfile.Trusted)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		inputs = append(inputs, MergeInput{Reader: r})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	info, _, err := Merge(t.Context(), fs, "merged.seg", inputs)
	runtime.ReadMemStats(&after)
	if err != nil || info.Docs != segments*docs {
		t.Fatalf("%d documents, %v", info.Docs, err)
	}
	perDocument := float64(after.TotalAlloc-before.TotalAlloc) / (segments * docs)
	// A document brings a key and a word of its own, each some 80 bytes, and a
	// value of a column, which is some 20, however long it is.
	if perDocument > 270 {
		t.Errorf("%.0f bytes per document in all", perDocument)
	}
}
