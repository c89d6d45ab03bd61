package facet

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/query"
)

// The counts of one segment, or of a large one and small ones, show the same values as a list
// of the counts, in either order and among equal counts.
func TestCountsByOrdinalShowAsAList(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	same := func(a, b Count) bool { return string(a.Value) == string(b.Value) && a.Count == b.Count }
	kept := 0
	for round := range 90 {
		column := randomColumn(t, r, 1+r.IntN(700), []int{3, 200, 5000}[round%3], round%2 == 0)
		part := Part{Column: column, Counts: make([]uint32, column.Len())}
		for i := range part.Counts {
			if r.IntN(20) < []int{1, 10, 20}[round/3%3] {
				part.Counts[i] = r.Uint32N(6)
			}
		}
		parts := []Part{{}, part}
		for range round / 9 % 3 { // segments of few values, some of which the large one lacks
			small := randomColumn(t, r, 1+r.IntN(9), []int{250, 9000}[round%2], false)
			few := Part{Column: small, Counts: make([]uint32, small.Len())}
			for i := range few.Counts {
				few.Counts[i] = r.Uint32N(6)
			}
			if round%4 == 0 {
				few.Counts[0] = math.MaxUint32 // its sum with others may overflow
			}
			parts = append(parts, few)
		}
		before := slices.Clone(part.Counts)
		counts, list := Merge(parts), mergeHeap(parts[1:])
		if !slices.Equal(before, part.Counts) {
			t.Fatalf("round %d: the counts of the segment changed", round)
		}
		if round%2 == 0 {
			counts = counts.Smallest()
		}
		if !slices.EqualFunc(counts.All(), list, same) {
			t.Fatalf("round %d: %v, want %v", round, counts.All(), list)
		}
		if counts.part.Column != nil {
			kept++
		}
		for _, limit := range []int{1, 10, 1000} {
			for _, order := range []query.FacetOrder{query.OrderCount, query.OrderValue, query.OrderDeclared} {
				o := Options{Limit: limit, Order: order}
				got, values := o.choose(counts)
				if want := pick(list, o); values != len(list) || !slices.EqualFunc(got, want, same) {
					t.Fatalf("round %d: the first %d of %d by %v are %v, want %v of %d", round, limit, values, order, got, want, len(list))
				}
			}
		}
	}
	if kept < 50 || kept > 88 {
		t.Fatalf("%d of 90 stayed by ordinal", kept)
	}
}
