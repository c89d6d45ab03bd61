package facet

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
)

// TestBucketsAgainstAskingEveryOne compares tally with checking every bucket, for random
// buckets over random documents and list values.
func TestBucketsAgainstAskingEveryOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 60 {
		multi := round%3 > 0
		b := segment.NewBuilder()
		field := b.Field(segment.FieldOptions{Name: "n", Kind: segment.Ordinals, Multi: multi})
		keep := b.Field(segment.FieldOptions{Name: "any", Kind: segment.Terms})
		var values [][]int64
		var isParent []bool
		for range 1 + r.IntN(200) {
			b.StartDoc()
			b.Term(keep, []byte("x"), 0)
			var own []int64
			for range r.IntN(4) {
				if n := int64(r.IntN(40)) - 20; multi || len(own) == 0 {
					own = append(own, n)
					b.Ordinal(field, layout.AppendNumberKey(nil, n))
				}
			}
			parent := r.IntN(3) > 0
			b.EndDoc(parent)
			values, isParent = append(values, own), append(isParent, parent)
		}
		b.StartDoc()
		b.Ordinal(field, layout.AppendNumberKey(nil, 7))
		b.EndDoc(true)
		values, isParent = append(values, []int64{7}), append(isParent, true)
		fs := vfs.Memory()
		if _, err := b.Finish(fs, "s"); err != nil {
			t.Fatal(err)
		}
		reader, err := segment.Open(fs, "s", blockfile.VerifyAll)
		if err != nil {
			t.Fatal(err)
		}
		column := reader.Ordinals("n")
		set, parents := bitset.New(uint32(len(values))), bitset.New(uint32(len(values)))
		for doc := range values {
			if r.IntN(4) > 0 {
				set.Set(uint32(doc))
			}
			if isParent[doc] {
				parents.Set(uint32(doc))
			}
		}
		buckets := make([]Bounds, 1+r.IntN([]int{4, 400}[round%2]))
		for i := range buckets {
			buckets[i] = Bounds{From: int64(r.IntN(50)) - 25, To: int64(r.IntN(50)) - 25, HasFrom: r.IntN(4) > 0, HasTo: r.IntN(4) > 0}
		}
		in := func(i int, doc uint32) bool { return slices.ContainsFunc(values[doc], buckets[i].Contains) }
		want := make([][4]int64, len(buckets))
		for i := range buckets {
			counted := make(map[uint32]bool)
			for doc := set.Next(0); doc < set.Len(); doc = set.Next(doc + 1) {
				parent := parents.Next(doc)
				if in(i, doc) {
					want[i][0]++
					want[i][2]++
					if !counted[parent] {
						counted[parent] = true
						want[i][1]++
					}
				}
				if in(i, parent) {
					want[i][3]++
				}
			}
		}
		got := [4][]int64{}
		for k := range got {
			got[k] = make([]int64, len(buckets))
		}
		if column.Multi() {
			Buckets(t.Context(), column, set, buckets, got[0])
		} else {
			SumBuckets(Part{Column: column, Counts: wholeOf(CountDocuments(column, set, set.Count()))}, buckets, got[0])
		}
		ItemBuckets(t.Context(), column, set, parents, buckets, got[1])
		HitBuckets(t.Context(), column, set, nil, buckets, got[2])
		HitBuckets(t.Context(), column, set, parents, buckets, got[3])
		for i := range buckets {
			for k := range got {
				if got[k][i] != want[i][k] {
					t.Fatalf("round %d, bucket %+v, way %d: %d, not %d", round, buckets[i], k, got[k][i], want[i][k])
				}
			}
		}
	}
}
