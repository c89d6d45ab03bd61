package facet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/vfs"
)

// randomColumn returns a column of random documents with a limited number of values.
func randomColumn(t *testing.T, r *rand.Rand, docs, distinct int, multi bool) *columns.Ordinals {
	t.Helper()
	b := segment.NewBuilder()
	field := b.Field(segment.FieldOptions{Name: "n", Kind: segment.Ordinals, Multi: multi})
	for doc := range docs {
		b.StartDoc()
		for i := range max(r.IntN(4), 1-min(doc, 1)) {
			if i == 0 || multi {
				b.Ordinal(field, fmt.Appendf(nil, "v%d", r.IntN(distinct)))
			}
		}
		b.EndDoc(true)
	}
	return finished(t, b).Ordinals("n")
}

// finished opens the segment that a builder has made.
func finished(t *testing.T, b *segment.Builder) *segment.Reader {
	t.Helper()
	fs := vfs.Memory()
	if _, err := b.Finish(fs, "s"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, "s", blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// Counting the documents missing from a dense set gives the same result as counting the set.
func TestDenseSetsCountAsOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 60 {
		docs := 1 + r.IntN(700)
		column := randomColumn(t, r, docs, []int{3, 200, 300, 5000}[round%4], round%3 == 0)
		set := bitset.NewFull(uint32(docs))
		for range r.IntN(1 + docs/5) {
			set.Clear(r.Uint32N(uint32(docs)))
		}
		want := make([]uint32, column.Len()+1)
		countSet(column, set, 0, set.Len(), want)
		if got, want := wholeOf(CountDocuments(column, set, set.Count())), want[1:]; !slices.Equal(got, want) {
			t.Fatalf("round %d: %v, want %v", round, got, want)
		}
	}
}

// A part beside which the others are small merges like any other, whether or not it has their
// values.
func TestADominantPartMergesAsOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	dominated := 0
	for round := range 60 {
		parts := make([]Part, 2+r.IntN(4))
		large := r.IntN(len(parts))
		for i := range parts {
			docs := 1 + r.IntN(15)
			if i == large {
				docs = 600
			}
			parts[i].Column = randomColumn(t, r, docs, 2000, round%3 == 0)
			parts[i].Counts = slices.Clone(parts[i].Column.Counts())
			for range r.IntN(5) { // values that no document holds any more
				parts[i].Counts[r.IntN(len(parts[i].Counts))] = 0
			}
		}
		if dominant(parts) >= 0 {
			dominated++
		}
		same := func(a, b Count) bool { return string(a.Value) == string(b.Value) && a.Count == b.Count }
		if got, want := Merge(parts).All(), mergeHeap(parts); !slices.EqualFunc(got, want, same) {
			t.Fatalf("round %d: %d counts, want %d", round, len(got), len(want))
		}
	}
	if dominated < 30 {
		t.Fatalf("one part was dominant in %d rounds of 60", dominated)
	}
}
