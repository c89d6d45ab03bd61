package vectors

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
)

// A merge that drops the representative of equal vectors, and meets more of them in
// another column, keeps all remaining ones.
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

// A link to a twin does not replace a link that a node is reached through.
func TestEqualVectorsLeaveNoneOut(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	var all [][]float32
	for range 40 {
		for _, v := range around(random, gaussian(random, 8), 170, 0.02) {
			all = append(all, v, v)
		}
	}
	for _, m := range []int{2, 4, 16} {
		r := open(t, writeColumn(t, Options{Dimensions: 8, Similarity: Euclidean, M: m, EfConstruction: 20}, all, 1, 1))
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		if r.graph.twins != len(all)/2 {
			t.Errorf("M %d: %d twins of %d vectors", m, r.graph.twins, len(all))
		}
		reached := newMarks(len(all))
		reached.add(r.graph.entry)
		for i := 0; i < len(reached.nodes); i++ {
			links, _, _ := r.graph.split(reached.nodes[i])
			for _, n := range links {
				reached.add(n)
			}
		}
		if want := len(all) - r.graph.twins; len(reached.nodes) != want {
			t.Errorf("M %d: %d of %d nodes can be reached", m, len(reached.nodes), want)
		}
	}
}
