package collect

import (
	"context"

	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
)

// fused records the rankings of a fuse node for Explain.
type fused struct {
	ranks []map[uint32]int // per ranking: global document → rank from 1
}

// fuse runs every ranking as a separate search and adds up reciprocal ranks (reciprocal rank
// fusion: Cormack, Clarke and Büttcher, SIGIR 2009).
func (s *Search) fuse(ctx context.Context, n *plan.Fuse) ([]*match.List, error) {
	scores := map[uint32]float64{}
	record := &fused{}
	for _, ranking := range n.Rankings {
		request := &Request{Query: ranking.Clause, Limit: n.Depth, CountTo: 0}
		if n.Filter != nil {
			request.Filters = []plan.Node{n.Filter}
		}
		result, err := s.Run(ctx, request)
		if err != nil {
			return nil, err
		}
		ranks := make(map[uint32]int, len(result.Hits))
		for i, hit := range result.Hits {
			ranks[hit.Doc] = i + 1
			scores[hit.Doc] += ranking.Weight / (n.RankConstant + float64(i+1))
		}
		record.ranks = append(record.ranks, ranks)
	}
	if s.fused == nil {
		s.fused = map[*plan.Fuse]*fused{}
	}
	s.fused[n] = record
	all := make([]neighbour, 0, len(scores))
	for global, score := range scores {
		segment, doc := s.locate(global)
		all = append(all, neighbour{segment, doc, float32(score)})
	}
	return listsOf(all, len(s.snapshot.Segments)), nil
}

// locate returns the index of the segment that holds a document, and the document's number in
// it.
func (s *Search) locate(global uint32) (segment int, doc uint32) {
	low, high := 0, len(s.snapshot.Segments)-1
	for low < high {
		middle := (low + high + 1) / 2
		if s.snapshot.Segments[middle].Base <= global {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, global - s.snapshot.Segments[low].Base
}
