package segment

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/vfs"
)

// manyFields is the largest number of names of wildcard fields in an index.
const manyFields = 10_000

// buildFields adds documents that each have values in a few of many fields, so that
// every field occurs three times.
func buildFields(b *Builder) {
	const docs, each = 300, manyFields / 100
	for doc := range docs {
		b.StartDoc()
		for i := range each {
			name := fmt.Sprint("attributes.name", (doc*each+i)%manyFields)
			text := b.Field(FieldOptions{Name: name, Kind: Terms, Positions: true, Lengths: true})
			b.Term(text, []byte("word"), 0)
			b.Length(text, 1)
			b.Number(b.Field(FieldOptions{Name: name, Kind: Numbers, Points: true}), int64(doc))
			b.Ordinal(b.Field(FieldOptions{Name: name, Kind: Ordinals}), []byte("value"))
		}
		b.EndDoc(true)
	}
}

// heapOf returns by how much do increases the heap in use, per field.
func heapOf(do func()) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	do()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return (int(after.HeapAlloc) - int(before.HeapAlloc)) / (3 * manyFields)
}

// A field costs little before and after it is written, so that an index may have
// thousands of names of wildcard fields: an open segment keeps the options and
// location of each, and opens those that a search uses.
func TestAFieldTakesLittleMemory(t *testing.T) {
	fs := vfs.OS(t.TempDir())
	b := NewBuilder()
	var counted int64
	if got := heapOf(func() { buildFields(b); counted = b.Bytes() }); got > 800 || int64(got) > 2*counted/(3*manyFields) {
		t.Errorf("a field that is built takes %d bytes, of which %d are counted", got, counted/(3*manyFields))
	}
	if _, err := b.Finish(fs, "s"); err != nil {
		t.Fatal(err)
	}
	for _, verify := range []blockfile.Verification{blockfile.VerifyAll, blockfile.Trusted, blockfile.VerifyUsed} {
		var r *Reader
		if got := heapOf(func() {
			var err error
			if r, err = Open(fs, "s", verify); err != nil {
				t.Fatal(err)
			}
		}); got > 160 {
			t.Errorf("verification %d: a field of an open segment takes %d bytes", verify, got)
		}
		if r.Terms("attributes.name9999") == nil || r.Terms("attributes.name10000") != nil {
			t.Error("fields are not found")
		}
		if err := r.Release(); err != nil {
			t.Fatal(err)
		}
	}
}

// The running count of a builder equals the memory of its fields.
func TestABuilderCountsItsFields(t *testing.T) {
	b := NewBuilder()
	for round := range 3 {
		buildFields(b)
		want := b.chains.bytes() + b.packed.bytes() + int64(8*cap(b.parents)) + int64(b.stored.Bytes())
		for _, f := range b.fields {
			want += f.bytes()
		}
		if got := b.Bytes(); got != want {
			t.Errorf("round %d: %d bytes, want %d", round, got, want)
		}
	}
}
