package collect_test

import (
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/vectors"
	"github.com/quiresearch/quire/internal/snapshot"
)

// Several threads find the same neighbours as one thread, over segments that are scanned in
// parts and others that are not.
func TestThreadsFindTheSameNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	snap := snapshot.New(1, []*snapshot.Segment{pointsSegment(t, r, "many", 9_000), pointsSegment(t, r, "few", 300), pointsSegment(t, r, "more", 7_000)}, nil)
	defer snap.Release()
	alone := collect.NewRunner(collect.Options{Threads: -1}, nil)
	for i := range 60 {
		runner := collect.NewRunner(collect.Options{Threads: 1 + i%4}, nil)
		runner.AlwaysHelp()
		nearest := &plan.Knn{Structure: "point", Vector: randomPoint(r), K: 1 + r.IntN(40), Similarity: plan.Euclidean}
		if i%2 == 0 {
			nearest.Filter = &plan.NumberRange{Structure: "number", Intervals: []plan.Interval{{Min: 0, Max: 1 + r.Int64N(100)}}}
		}
		compareRuns(t, "nearest", alone, runner, snap, collect.Request{Query: nearest, Limit: nearest.K, CountTo: collect.Everything})
	}
}

// randomPoint returns coordinates, many of which are equal.
func randomPoint(r *rand.Rand) []float32 {
	return []float32{float32(r.IntN(9)), float32(r.IntN(9)), float32(r.IntN(9)), r.Float32()}
}

func pointsSegment(t *testing.T, r *rand.Rand, name string, docs int) *snapshot.Segment {
	t.Helper()
	b := segment.NewBuilder()
	point := b.Field(segment.FieldOptions{Name: "point", Kind: segment.Vector,
		Vectors: vectors.Options{Dimensions: 4, Similarity: vectors.Euclidean, M: 4, EfConstruction: 8}})
	number := b.Field(segment.FieldOptions{Name: "number", Kind: segment.Numbers, Points: true})
	for range docs {
		b.StartDoc()
		b.Vector(point, randomPoint(r))
		b.Number(number, r.Int64N(100))
		b.EndDoc(true)
	}
	return snapshot.NewSegment(finished(t, b, name), nil, nil, nil)
}
