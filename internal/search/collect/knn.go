package collect

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/vectors"
)

// neighbour is a document with the similarity of its vector.
type neighbour struct {
	segment int
	doc     uint32
	score   float32
}

// nearer orders neighbours, the nearest first, and equal ones in index order.
func nearer(a, b neighbour) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.segment, b.segment), cmp.Compare(a.doc, b.doc))
}

// nearest finds the k nearest vectors of the whole snapshot among the live documents, or list
// values, that match the filter.
func (s *Search) nearest(ctx context.Context, n *plan.Knn) ([]*match.List, error) {
	found := make([][]neighbour, len(s.snapshot.Segments))
	err := s.pieces(ctx, func(ctx context.Context, segment int) error {
		column := s.snapshot.Segments[segment].Reader.Vectors(n.Structure)
		if column == nil || column.Len() == 0 || column.Options().Dimensions != len(n.Vector) {
			return nil
		}
		allowed, err := s.allowed(ctx, segment, n.Filter)
		if err != nil {
			return err
		}
		hits, err := column.SearchShared(ctx, vectors.Prepare(column.Options().Similarity, n.Vector), n.K, 0, allowed, s.help)
		if err != nil {
			return err
		}
		for _, h := range hits {
			found[segment] = append(found[segment], neighbour{segment, h.Doc, h.Score})
		}
		return nil
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

// listsOf distributes scored documents over their segments, in document order.
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

// allowed returns the documents and list values of a segment that may be neighbours, nil for
// all.
func (s *Search) allowed(ctx context.Context, segment int, filter plan.Node) (*bitset.Bitset, error) {
	live := s.snapshot.Segments[segment].Live
	if filter == nil {
		return live, nil
	}
	scanner, err := s.view.AnyScanner(ctx, segment, filter)
	if err != nil {
		return nil, err
	}
	defer scanner.Close()
	sink := &setSink{set: bitset.New(s.snapshot.Segments[segment].Reader.NumDocs())}
	return sink.set, scanner.Run(ctx, 0, sink.set.Len(), sink)
}
