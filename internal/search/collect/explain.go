package collect

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/plan"
)

// Matches returns the outcome of a plan for documents given by global number.
func (s *Search) Matches(ctx context.Context, n plan.Node, documents []uint32) ([]Match, error) {
	if err := s.prepare(ctx, n); err != nil {
		return nil, err
	}
	bySegment := make([][]uint32, len(s.snapshot.Segments))
	for _, global := range documents {
		segment, doc := s.locate(global)
		bySegment[segment] = append(bySegment[segment], doc)
	}
	scored := make([]map[uint32]float64, len(s.snapshot.Segments))
	for segment, docs := range bySegment {
		if len(docs) == 0 {
			continue
		}
		if ctx.Err() != nil {
			return nil, timedOut(ctx, context.Cause(ctx))
		}
		scores, err := s.view.Scores(ctx, segment, n, docs)
		if err != nil {
			return nil, err
		}
		scored[segment] = scores
	}
	matches := make([]Match, len(documents))
	for i, global := range documents {
		segment, doc := s.locate(global)
		if score, ok := scored[segment][doc]; ok {
			matches[i] = Match{Matched: true, Score: float32(score)}
		}
	}
	return matches, nil
}

// Explain returns the outcome of every node of a plan for one document, or for one list value
// if the plan is about list values. The score of a step is the score of its node alone, without
// the weights around it.
func (s *Search) Explain(ctx context.Context, n plan.Node, global uint32) (*Step, error) {
	if err := s.prepare(ctx, n); err != nil {
		return nil, err
	}
	segment, doc := s.locate(global)
	return s.explain(ctx, n, segment, doc)
}

func (s *Search) explain(ctx context.Context, n plan.Node, segment int, doc uint32) (*Step, error) {
	if ctx.Err() != nil {
		return nil, timedOut(ctx, context.Cause(ctx))
	}
	scores, err := s.view.Scores(ctx, segment, n, []uint32{doc})
	if err != nil {
		return nil, err
	}
	step := &Step{Node: n}
	if score, ok := scores[doc]; ok {
		step.Matched, step.Score = true, score
	}
	if step.Detail, err = s.detail(ctx, n, segment, doc, step.Matched); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *plan.Knn:
		step.Filters, err = s.explainFilter(ctx, n.Own, segment, doc)
		return step, err
	case *plan.Fuse:
		if step.Filters, err = s.explainFilter(ctx, n.Filter, segment, doc); err != nil {
			return nil, err
		}
		return s.explainFuse(ctx, step, n, segment, doc)
	case *plan.Nested:
		return s.explainNested(ctx, step, n, segment, doc)
	}
	_, isOr := n.(*plan.Or)
	_, isBest := n.(*plan.Best)
	optional := map[plan.Node]bool{}
	if and, ok := n.(*plan.And); ok {
		for _, o := range and.Optional {
			optional[o] = true
		}
	}
	for _, child := range plan.Children(n) {
		inner, err := s.explain(ctx, child, segment, doc)
		if err != nil {
			return nil, err
		}
		// Show clauses that do not match, including boosts; leave out readings that do not
		// match.
		if !inner.Matched && (isOr || isBest || optional[child] && child.From().Type != "boost") {
			continue
		}
		step.Children = append(step.Children, inner)
	}
	return step, nil
}

// explainFilter returns a step per clause of a filter, none without a filter.
func (s *Search) explainFilter(ctx context.Context, filter plan.Node, segment int, doc uint32) ([]*Step, error) {
	if filter == nil {
		return nil, nil
	}
	step, err := s.explain(ctx, filter, segment, doc)
	if err != nil {
		return nil, err
	}
	if and, ok := filter.(*plan.And); ok && and.Origin.Clause == "" {
		return step.Children, nil // it only joins the clauses
	}
	return []*Step{step}, nil
}

// maxExplained bounds how many list values of a document are explained when all of them count.
const maxExplained = 100

// explainNested explains the clause on the list values that make up the score: the value with
// the highest or lowest score, or all that are added. If none matches, the first one shows
// which clauses hold.
func (s *Search) explainNested(ctx context.Context, step *Step, n *plan.Nested, segment int, doc uint32) (*Step, error) {
	base := s.snapshot.Segments[segment].Base
	values, err := s.MatchedValues(ctx, n.Path, nil, []uint32{base + doc})
	if err != nil || len(values[0]) == 0 {
		return step, err
	}
	all := values[0]
	for i := range all {
		all[i] -= base
	}
	scores, err := s.view.Scores(ctx, segment, n.Clause, all)
	if err != nil {
		return nil, err
	}
	shown := all[:1]
	if matched := slices.DeleteFunc(slices.Clone(all), func(v uint32) bool { _, ok := scores[v]; return !ok }); len(matched) > 0 {
		step.Detail = &Detail{Values: len(matched)}
		byScore := func(a, b uint32) int { return cmp.Compare(scores[a], scores[b]) }
		switch {
		case !plan.Scores(n):
			shown = matched[:1]
		case n.Fold == plan.FoldMax:
			shown = []uint32{slices.MaxFunc(matched, byScore)}
		case n.Fold == plan.FoldMin:
			shown = []uint32{slices.MinFunc(matched, byScore)}
		default:
			shown = matched[:min(len(matched), maxExplained)]
		}
	}
	for _, value := range shown {
		inner, err := s.explain(ctx, n.Clause, segment, value)
		if err != nil {
			return nil, err
		}
		step.Children = append(step.Children, inner)
	}
	return step, nil
}

// explainFuse returns a step per ranking with its contribution and, below it, the scores of its
// clauses alone.
func (s *Search) explainFuse(ctx context.Context, step *Step, n *plan.Fuse, segment int, doc uint32) (*Step, error) {
	record := s.fused[n]
	if record == nil {
		return step, nil
	}
	global := s.snapshot.Segments[segment].Base + doc
	for i, ranking := range n.Rankings {
		inner, err := s.explain(ctx, ranking.Clause, segment, doc)
		if err != nil {
			return nil, err
		}
		outer := &Step{Node: ranking.Clause, Children: []*Step{inner}}
		if place, ok := record.ranks[i][global]; ok {
			outer.Matched = true
			outer.Score = ranking.Weight / (n.RankConstant + float64(place))
			outer.Detail = &Detail{Rank: place}
		}
		step.Children = append(step.Children, outer)
	}
	return step, nil
}

// detail returns the components of the score of a word, pair, phrase or whole value.
func (s *Search) detail(ctx context.Context, n plan.Node, segment int, doc uint32, matched bool) (*Detail, error) {
	if !matched {
		return nil, nil
	}
	switch n := n.(type) {
	case *plan.Pair:
		reading, err := s.view.Pair(segment, n, doc)
		return &Detail{Pair: reading}, err
	case *plan.Phrase:
		reading, err := s.view.Phrase(ctx, segment, n, doc)
		return &Detail{Phrase: reading}, err
	case *plan.Term:
		if n.Scoring != nil && n.Scoring.Once {
			return &Detail{Whole: s.view.Rarity(n)}, nil
		}
	}
	word, ok := plan.WordOf(n)
	if !ok {
		return nil, nil
	}
	readings, err := s.view.Readings(ctx, segment, word, doc)
	return &Detail{Readings: readings}, err
}
