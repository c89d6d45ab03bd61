package collect

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/simd"
)

// neighbour is a document and how near its vector is.
type neighbour struct {
	segment int
	doc     uint32
	score   float32
}

// nearer orders neighbours, the nearest first, equal ones in index order.
func nearer(a, b neighbour) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.segment, b.segment), cmp.Compare(a.doc, b.doc))
}

// nearest finds the k nearest vectors of the whole snapshot among the live
// documents, or list values, that the filter matches.
func (s *Search) nearest(ctx context.Context, n *plan.Knn) ([]*match.List, error) {
	found := make([][]neighbour, len(s.snapshot.Segments))
	err := s.pieces(ctx, func(ctx context.Context, segment int) error {
		column := s.snapshot.Segments[segment].Reader.Vectors(n.Structure)
		if column == nil || column.Len() == 0 || column.Dimensions() != len(n.Vector) {
			return nil
		}
		allowed, err := s.allowed(ctx, segment, n.Filter)
		if err != nil {
			return err
		}
		found[segment], err = scanVectors(ctx, column, n, segment, allowed)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	slices.SortFunc(all, nearer)
	if len(all) > n.K {
		all = all[:n.K]
	}
	return listsOf(all, len(s.snapshot.Segments)), nil
}

// listsOf spreads scored documents over their segments, in document order.
func listsOf(all []neighbour, segments int) []*match.List {
	slices.SortFunc(all, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.doc, b.doc))
	})
	lists := make([]*match.List, segments)
	for i := range lists {
		lists[i] = &match.List{}
	}
	for _, hit := range all {
		list := lists[hit.segment]
		list.Docs = append(list.Docs, hit.doc)
		list.Scores = append(list.Scores, hit.score)
	}
	return lists
}

// allowed returns the documents and list values of a segment that may be
// neighbours, nil for all.
func (s *Search) allowed(ctx context.Context, segment int, filter plan.Node) (*bitset.Bitset, error) {
	live := s.snapshot.Segments[segment].Live
	if filter == nil {
		return live, nil
	}
	scanner, err := s.view.AnyScanner(segment, filter)
	if err != nil {
		return nil, err
	}
	sink := &setSink{set: bitset.New(s.snapshot.Segments[segment].Reader.NumDocs())}
	return sink.set, scanner.Run(ctx, 0, sink.set.Len(), sink)
}

// checkEvery is how many vectors are compared between looks at the deadline.
const checkEvery = 4096

// scanVectors compares every allowed vector and keeps the k nearest.
func scanVectors(ctx context.Context, column *columns.Vectors, n *plan.Knn, segment int, allowed *bitset.Bitset) ([]neighbour, error) {
	best := make([]neighbour, 0, 2*n.K)
	floor := float32(math.Inf(-1))
	length := float32(math.Sqrt(float64(simd.DotF32(n.Vector, n.Vector))))
	for row := range column.Len() {
		if row%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		doc := column.Doc(row)
		if allowed != nil && !allowed.Get(doc) {
			continue
		}
		score := nearness(n.Similarity, n.Vector, column.Row(row), length)
		if score <= floor {
			continue // among equals the earlier document stands first
		}
		best = append(best, neighbour{segment, doc, score})
		if len(best) == 2*n.K {
			slices.SortFunc(best, nearer)
			best = best[:n.K]
			floor = best[n.K-1].score
		}
	}
	slices.SortFunc(best, nearer)
	return best[:min(len(best), n.K)], nil
}

// nearness is the score of 4.6.
func nearness(s plan.Similarity, a, b []float32, lengthOfA float32) float32 {
	switch s {
	case plan.Euclidean:
		return 1 / (1 + simd.SquaredDistanceF32(a, b))
	case plan.DotProduct:
		return (1 + simd.DotF32(a, b)) / 2
	}
	lengthOfB := float32(math.Sqrt(float64(simd.DotF32(b, b))))
	if lengthOfB == 0 {
		return 0.5
	}
	return (1 + simd.DotF32(a, b)/(lengthOfA*lengthOfB)) / 2
}
