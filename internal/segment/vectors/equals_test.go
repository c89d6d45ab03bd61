package vectors

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
)

// A merge that drops the representative of equal vectors, and meets more of
// them in another column, keeps all that are left.
func TestMergeKeepsEqualVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	one := gaussian(random, 8)
	large := append(around(random, one, 3_000, 0), spread(random, 10_000, 8)...)
	small := around(random, one, 500, 0)
	o := Options{Dimensions: 8, Similarity: Euclidean}
	next := uint32(0)
	renumber := func(doc uint32) (uint32, bool) {
		if doc < 20 { // the first ten copies of each column
			return 0, false
		}
		next++
		return next - 1, true
	}
	var out bytes.Buffer
	inputs := []Input{{build(t, o, large), renumber}, {build(t, o, small), renumber}}
	if err := Merge(context.Background(), &out, o, inputs, 1); err != nil {
		t.Fatal(err)
	}
	r := open(t, out.Bytes())
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	const copies = 3_000 - 10 + 500 - 10
	if r.graph.twins != copies-1 {
		t.Errorf("%d twins of %d copies", r.graph.twins, copies)
	}
	for _, k := range []int{10, 1000, copies} {
		hits, err := r.Search(context.Background(), one, k, 0, nil)
		if err != nil || len(hits) != k {
			t.Fatalf("%d hits of %d, %v", len(hits), k, err)
		}
		for i, h := range hits {
			if h.Score != 1 || i > 0 && h.Doc <= hits[i-1].Doc {
				t.Fatalf("hit %d of %d is %v after %v", i, k, h, hits[max(0, i-1)])
			}
		}
	}
}
