package faceting

import (
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
)

func TestKeepOfKeepsTheValuesOfDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 41))
	for range 200 {
		n := uint32(1 + r.IntN(700))
		items, documents, parents := bitset.New(n), bitset.New(n), bitset.New(n)
		share := r.IntN(100)
		for doc := range n {
			if doc == n-1 || r.IntN(100) < share {
				parents.Set(doc)
				if r.IntN(2) == 0 {
					documents.Set(doc)
				}
			} else if r.IntN(3) > 0 {
				items.Set(doc)
			}
		}
		want := bitset.New(n)
		for item := range n {
			if items.Get(item) && documents.Get(parents.Next(item)) {
				want.Set(item)
			}
		}
		keepOf(items, documents, parents)
		if !items.Equal(want) {
			t.Fatalf("%d documents: %v, want %v", n, items.AppendTo(nil, 0, n), want.AppendTo(nil, 0, n))
		}
	}
}
