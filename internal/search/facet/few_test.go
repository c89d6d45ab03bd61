package facet

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
)

// TestFewAsMany counts random documents as lists and as sets.
func TestFewAsMany(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	var scratch Scratch
	for round := range 60 {
		multi, distinct := round%3 == 0, []int{3, 200, 300, 5000}[round%4]
		var parts []Part
		var few [][]Count
		for range 1 + round%3 {
			count := 1 + r.IntN(600)
			column := randomColumn(t, r, count, distinct, multi)
			set := bitset.New(uint32(count))
			for range r.IntN(count) {
				set.Set(r.Uint32N(uint32(count)))
			}
			parts = append(parts, Part{Column: column, Counts: wholeOf(CountDocuments(column, set, set.Count()))})
			few = append(few, scratch.Listed(column, set.AppendTo(nil, 0, set.Len())))
		}
		same := func(a, b Count) bool { return string(a.Value) == string(b.Value) && a.Count == b.Count }
		if got, want := Sum(few), Merge(parts).All(); !slices.EqualFunc(got, want, same) {
			t.Fatalf("round %d: %d counts, want %d", round, len(got), len(want))
		}
	}
}
