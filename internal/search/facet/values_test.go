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

// TestValuesCountsDocumentsOnce compares with a count document by document.
func TestValuesCountsDocumentsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	for round := range 120 {
		multi, distinct := round%3 == 0, []int{3, 62, 63, 64, 300, 70_000}[round%6]
		b := segment.NewBuilder()
		field := b.Field(segment.FieldOptions{Name: "n", Kind: segment.Ordinals, Multi: multi})
		most := []int{2, 6, 90}[round/6%3]
		held := make(map[uint32][]string)
		item, any := uint32(0), false
		var parents []uint32
		for range 1 + r.IntN(300) {
			for range r.IntN(most) {
				b.StartDoc()
				for i := range r.IntN(4) {
					if i == 0 || multi {
						value := fmt.Sprint("v", r.IntN(distinct))
						held[item] = append(held[item], value)
						b.Ordinal(field, []byte(value))
						any = true
					}
				}
				b.EndDoc(false)
				item++
			}
			b.StartDoc()
			b.EndDoc(true)
			parents = append(parents, item)
			item++
		}
		if !any {
			continue
		}
		fs := vfs.Memory()
		if _, err := b.Finish(fs, "s"); err != nil {
			t.Fatal(err)
		}
		reader, err := segment.Open(fs, "s", blockfile.VerifyAll)
		if err != nil {
			t.Fatal(err)
		}
		documents, roots := bitset.New(item), bitset.New(item)
		var items *bitset.Bitset
		if round%2 == 0 {
			items = bitset.New(item)
		}
		want := make(map[string]uint32)
		first := uint32(0)
		for _, parent := range parents {
			roots.Set(parent)
			isIn := r.IntN(3) > 0
			if isIn {
				documents.Set(parent)
			}
			var of []string
			for ; first < parent; first++ {
				if items != nil && r.IntN(2) == 0 {
					continue
				}
				if items != nil {
					items.Set(first)
				}
				of = append(of, held[first]...)
			}
			first = parent + 1
			slices.Sort(of)
			for _, value := range slices.Compact(of) {
				if isIn {
					want[value]++
				}
			}
		}
		column := reader.Ordinals("n")
		for ordinal, count := range wholeOf(CountValues(column, documents, items, roots)) {
			if value := string(column.Value(uint32(ordinal))); want[value] != count {
				t.Fatalf("round %d: %s counts %d, want %d", round, value, count, want[value])
			}
		}
	}
}
