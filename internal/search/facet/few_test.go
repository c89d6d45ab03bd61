package facet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
)

// TestFewAsMany counts random documents as lists and as sets.
func TestFewAsMany(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	var scratch Scratch
	for round := range 60 {
		multi, distinct := round%3 == 0, []int{3, 200, 300, 5000}[round%4]
		var parts []Part
		var few [][]Count
		for n := range 1 + round%3 {
			b := segment.NewBuilder()
			field := b.Field(segment.FieldOptions{Name: "n", Kind: segment.Ordinals, Multi: multi})
			count := 1 + r.IntN(600)
			for doc := range count {
				b.StartDoc()
				for i := range max(r.IntN(4), 1-min(doc, 1)) {
					if i == 0 || multi {
						b.Ordinal(field, fmt.Appendf(nil, "v%d", r.IntN(distinct)))
					}
				}
				b.EndDoc(true)
			}
			fs := vfs.Memory()
			name := fmt.Sprint("s", n)
			if _, err := b.Finish(fs, name); err != nil {
				t.Fatal(err)
			}
			reader, err := segment.Open(fs, name, blockfile.VerifyAll)
			if err != nil {
				t.Fatal(err)
			}
			set := bitset.New(uint32(count))
			for range r.IntN(count) {
				set.Set(r.Uint32N(uint32(count)))
			}
			column := reader.Ordinals("n")
			parts = append(parts, Part{Column: column, Counts: Documents(column, set)})
			few = append(few, scratch.Listed(column, set.AppendTo(nil, 0, set.Len())))
		}
		same := func(a, b Count) bool { return string(a.Value) == string(b.Value) && a.Count == b.Count }
		if got, want := Sum(few), Merge(parts); !slices.EqualFunc(got, want, same) {
			t.Fatalf("round %d: %d counts, want %d", round, len(got), len(want))
		}
	}
}
