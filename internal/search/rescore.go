package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/rewrite"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// rescoring is the compiled second pass.
type rescoring struct {
	window  int
	boost   []plan.Node
	signals []signal
	weight  float64
}

// compileRescore compiles the second pass and returns nil when there is none. It
// interprets the typed text of the second pass only when runs is set.
func (s *execution) compileRescore(ctx context.Context, r *query.Rescore, runs bool) (*rescoring, error) {
	if r == nil {
		return nil, nil
	}
	clauses := r.Boost
	if runs {
		var err error
		if clauses, err = s.typed.Read(ctx, clauses); err != nil {
			return nil, err
		}
	}
	boost, err := s.compiler.Each(clauses)
	if err != nil {
		return nil, err
	}
	signals, err := s.requestSignals(r.Signals)
	if err != nil {
		return nil, err
	}
	return &rescoring{window: r.Window, boost: boost, signals: signals, weight: r.Weight}, nil
}

// enterWindow turns a page before a position into the page at its offset if the window
// holds all its hits. Paging backward then finds the same scores and order as paging
// forward.
func (s *execution) enterWindow(ctx context.Context, r *rescoring, at *pageStart, request collect.Request, result *collect.Result) error {
	if len(result.Hits) == 0 {
		return nil
	}
	request.Before, request.Limit, request.CountTo, request.Sets, request.Into = nil, r.window, 1, false, nil
	best, err := s.collect.Run(ctx, &request)
	if err != nil {
		return err
	}
	place := func(h collect.Hit) int {
		return slices.IndexFunc(best.Hits, func(b collect.Hit) bool { return b.Doc == h.Doc })
	}
	first, last := place(result.Hits[0]), place(result.Hits[len(result.Hits)-1])
	if first < 0 || last < 0 {
		return nil
	}
	*at = pageStart{offset: first, fromCursor: true}
	result.Hits = best.Hits
	return nil
}

// runRescore adds the second score to the hits of the window and reorders them by
// the sum, in the direction of the score. Hits with equal sums keep their order.
func (s *execution) runRescore(ctx context.Context, r *rescoring, hits []hit, descending bool) error {
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
	slices.SortStableFunc(hits, func(a, b hit) int {
		if descending {
			a, b = b, a
		}
		return cmp.Compare(a.score, b.score)
	})
	return nil
}

// explainRescore explains the second pass for a document. It returns nil when the
// document does not match, there is no second pass, or a search would reject it.
func (s *execution) explainRescore(ctx context.Context, asked *query.Rescore, segment *snapshot.Segment, doc uint32, signals []signal, first *query.Explanation) (*query.Step, error) {
	if asked == nil || !first.Matched {
		return nil, nil
	}
	if rewrite.CheckClauses(s.view.Schema, &s.compiler, asked.Boost) != nil {
		return nil, nil
	}
	r, err := s.compileRescore(ctx, asked, true)
	if refused := new(problem.Problem); errors.As(err, &refused) && ctx.Err() == nil {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	order, err := s.makeOrder()
	if err != nil {
		return nil, err
	}
	request := &collect.Request{Query: s.query, Filters: s.filters, Limit: r.window, CountTo: 1, Signals: collectSignals(signals)}
	if !order.scoreAlone() {
		request.Order = order.keys
	}
	best, err := s.collect.Run(ctx, request)
	if err != nil {
		return nil, err
	}
	global := segment.Base + doc
	base := first.Score
	if !best.Scored {
		base = 1
	}
	if !slices.ContainsFunc(best.Hits, func(h collect.Hit) bool { return h.Doc == global }) {
		return &query.Step{Score: base, Description: fmt.Sprintf("not among the best %d of the first pass", r.window)}, nil
	}
	boosts := query.Step{Matched: true, Score: 1, Description: "1 and what the boosts add"}
	for _, node := range r.boost {
		explained, err := s.collect.Explain(ctx, node, global)
		if err != nil {
			return nil, err
		}
		step := s.step(explained)
		if step.Matched && !plan.Scores(node) {
			step.Score = 1
		}
		boosts.Score += step.Score
		boosts.Children = append(boosts.Children, step)
	}
	factors := explainSignals(r.signals, segment, doc)
	second := query.Step{
		Matched: true, Score: boosts.Score * factors.Score, Description: "product of the boosts and the signals of the second pass",
		Children: []query.Step{boosts, factors},
	}
	return &query.Step{
		Matched: true, Score: base + r.weight*second.Score,
		Description: fmt.Sprintf("score of the first pass and %g times that of the second", r.weight), Children: []query.Step{second},
	}, nil
}
