package facet

import (
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// TestUnionSumsAsMergeDoes compares values and counts of random segments, some
// without the column.
func TestUnionSumsAsMergeDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		var parts []Part
		var all []*columns.Ordinals
		for range r.IntN(5) {
			b := segment.NewBuilder()
			field := b.Field(segment.FieldOptions{Name: "v", Kind: segment.Ordinals, Multi: true})
			keep := b.Field(segment.FieldOptions{Name: "any", Kind: segment.Terms})
			for range 1 + r.IntN(20) {
				b.StartDoc()
				b.Term(keep, []byte("x"), 0)
				for range r.IntN(3) {
					b.Ordinal(field, []byte{byte('a' + r.IntN(12)), byte('a' + r.IntN(2))})
				}
				b.EndDoc(true)
			}
			column := finished(t, b).Ordinals("v")
			part := Part{Column: column}
			if column != nil {
				part.Counts = column.Counts()
			}
			all, parts = append(all, column), append(parts, part)
		}
		union := NewUnion(all)
		counts := union.Sum(parts)
		want := Merge(parts).All()
		if len(want) != union.Len() {
			t.Fatalf("round %d: %d values, want %d", round, union.Len(), len(want))
		}
		for i, c := range want {
			if string(union.Value(i)) != string(c.Value) || int64(counts[i]) != c.Count {
				t.Fatalf("round %d: value %d is %s %d, want %s %d", round, i, union.Value(i), counts[i], c.Value, c.Count)
			}
		}
	}
}
