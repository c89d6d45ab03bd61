package segment

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/vfs"
)

// watched is a context that measures the memory in use at every few calls.
type watched struct {
	context.Context
	asked   int
	highest uint64
}

func (w *watched) Err() error {
	if w.asked++; w.asked%8 == 0 {
		w.look()
	}
	return w.Context.Err()
}

func (w *watched) look() {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.highest = max(w.highest, m.HeapAlloc)
}

// TestMergeKeepsLittlePerDocument bounds the memory that a merge needs for every
// further document with a key, a word and a value of its own.
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
	held := func(name string, inputs []MergeInput) float64 {
		ctx := &watched{Context: t.Context()}
		ctx.look()
		before := ctx.highest
		info, _, err := Merge(ctx, fs, name, inputs)
		if err != nil || int(info.Docs) != len(inputs)*docs {
			t.Fatalf("%d documents, %v", info.Docs, err)
		}
		return float64(ctx.highest) - float64(before)
	}
	const few = segments / 4
	perDocument := (held("merged.seg", inputs) - held("few.seg", inputs[:few])) / ((segments - few) * docs)
	if perDocument > 60 {
		t.Errorf("%.0f bytes more for every document", perDocument)
	}
	merged, err := Open(fs, "merged.seg", blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	defer merged.Release()
	if err := Check(merged); err != nil {
		t.Fatal(err)
	}
	want, err := fs.ReadFile("merged.seg")
	if err != nil {
		t.Fatal(err)
	}
	if names, err := fs.List("."); err != nil || len(names) != segments+2 {
		t.Fatalf("files %v, %v", names, err)
	}
	// The result is the same if the temporary file beside the segment cannot be
	// created.
	if err := fs.MakeDir("again.seg" + AsideSuffix); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Merge(t.Context(), fs, "again.seg", inputs); err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile("again.seg"); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("another segment, %v", err)
	}
}
