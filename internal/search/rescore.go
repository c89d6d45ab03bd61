package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/plan"
)

// rescoring is the compiled second pass.
type rescoring struct {
	window  int
	boost   []plan.Node
	signals []signal
	weight  float64
}

func (s *session) compileRescore() (*rescoring, error) {
	r := s.request.Rescore
	if r == nil {
		return nil, nil
	}
	boost, err := s.compiler.Each(r.Boost)
	if err != nil {
		return nil, err
	}
	signals, err := s.requestSignals(r.Signals)
	if err != nil {
		return nil, err
	}
	return &rescoring{window: r.Window, boost: boost, signals: signals, weight: r.Weight}, nil
}

// runRescore adds the second score to the hits and orders them by the sum;
// equal ones keep their place.
func (s *session) runRescore(ctx context.Context, r *rescoring, hits []hit) error {
	hits = hits[:min(r.window, len(hits))]
	documents := make([]uint32, len(hits))
	second := make([]float64, len(hits))
	for i := range hits {
		documents[i], second[i] = hits[i].Doc, 1
	}
	for _, node := range r.boost {
		matches, err := s.collect.Matches(ctx, node, documents)
		if err != nil {
			return err
		}
		for i, m := range matches {
			switch {
			case !m.Matched:
			case plan.Scores(node):
				second[i] += float64(m.Score)
			default:
				second[i]++
			}
		}
	}
	for i := range hits {
		segment, doc, ok := s.view.Snapshot.Find(hits[i].Doc)
		if !ok {
			continue
		}
		for j := range r.signals {
			second[i] *= r.signals[j].factor(segment, doc)
		}
		hits[i].score += r.weight * second[i]
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return nil
}
