package match

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDocumentsAreSorted(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		documents := 1 + r.Uint32N(1<<(2+seed%30))
		docs := make([]uint32, r.IntN(700))
		for i := range docs {
			docs[i] = r.Uint32N(documents)
		}
		want := slices.Clone(docs)
		slices.Sort(want)
		sortDocs(docs, documents)
		if !slices.Equal(docs, want) {
			t.Fatalf("seed %d: %d of %d documents are not in order", seed, len(docs), documents)
		}
	}
}
