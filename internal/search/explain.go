package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/written"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// Explain returns why a document matches a search and how its score is computed.
// With value hits it explains the list value at position instead.
func (s *Searcher) Explain(ctx context.Context, view View, request *query.Search, key string, position int) (*query.Explanation, error) {
	first := *request
	first.Rescore = nil // a second pass that a search would reject does not fail the explanation
	e, took, err := serve(ctx, s, s.options.Timeout, view, &first, func(w *execution, timed context.Context) (*query.Explanation, error) {
		e, err := w.explain(timed, key, position, request.Rescore)
		if err == nil {
			e.Relaxed, e.Interpreted = w.report(), w.typed.Interpreted
		}
		return e, err
	})
	if err != nil {
		return nil, err
	}
	e.Generation, e.Freshness, e.TookMs = view.Generation, view.Freshness, took
	return e, nil
}

func (s *execution) explain(ctx context.Context, key string, position int, second *query.Rescore) (*query.Explanation, error) {
	values, err := s.valueHits()
	if err != nil {
		return nil, err
	}
	signals, err := s.signals()
	if err != nil {
		return nil, err
	}
	segment, doc, err := s.document(key)
	if err != nil {
		return nil, err
	}
	if err := s.relaxEmpty(ctx); err != nil {
		return nil, err
	}
	global := segment.Base + doc
	if values != nil {
		values.Required = s.requiredNested(values.Path, s.query)
	}
	detail, err := s.explainDocument(ctx, segment, doc, signals)
	if err != nil {
		return nil, err
	}
	if values == nil {
		e := explanation(detail)
		e.Rescored, err = s.explainRescore(ctx, second, segment, doc, signals, e)
		return e, err
	}
	if values.When != nil {
		expands, err := s.collect.Matches(ctx, values.When, []uint32{global})
		if err != nil {
			return nil, err
		}
		if !expands[0].Matched {
			return explanation(detail), nil
		}
	}
	item, err := s.item(ctx, segment, doc, values.Path, key, position)
	if err != nil {
		return nil, err
	}
	return s.explainValue(ctx, detail, values, segment.Base+item)
}

func explanation(detail query.Step) *query.Explanation {
	return &query.Explanation{Matched: detail.Matched, Score: detail.Score, Detail: detail}
}

// document finds the document with a key given as text.
func (s *execution) document(key string) (*snapshot.Segment, uint32, error) {
	field := s.view.Schema.PrimaryKey()
	if field == nil {
		return nil, 0, problem.IndexNoPrimaryKey.New()
	}
	parsed, err := document.ParseKey(field, key, problem.At("key"))
	if err != nil {
		return nil, 0, err
	}
	segment, doc, ok, err := s.view.Snapshot.LookupKey(string(parsed))
	switch {
	case err != nil:
		return nil, 0, err
	case !ok:
		return nil, 0, problem.SearchExplainDocumentNotFound.New("key", key)
	}
	return segment, doc, nil
}

// item finds the list value at a position of a list of the document.
func (s *execution) item(ctx context.Context, segment *snapshot.Segment, doc uint32, list, key string, position int) (uint32, error) {
	items, err := s.collect.MatchedValues(ctx, list, nil, []uint32{segment.Base + doc})
	if err != nil {
		return 0, err
	}
	for _, item := range items[0] {
		if positionOf(segment, item-segment.Base) == position {
			return item - segment.Base, nil
		}
	}
	return 0, problem.SearchExplainValueNotFound.New("key", key, "index", position)
}

// explainDocument explains the query, filters and signals for one document.
func (s *execution) explainDocument(ctx context.Context, segment *snapshot.Segment, doc uint32, signals []signal) (query.Step, error) {
	global := segment.Base + doc
	relevance, err := s.collect.Explain(ctx, s.query, global)
	if err != nil {
		return query.Step{}, err
	}
	root := query.Step{Matched: relevance.Matched, Score: relevance.Score, Description: "relevance of the query"}
	if step := s.step(relevance); step.Clause == "" {
		root.Children = step.Children
		if len(step.Children) == 0 && !scope.IsEverything(s.query) {
			root.Children = []query.Step{step}
		}
	} else {
		root.Children = []query.Step{step}
	}
	for _, filter := range s.filters {
		explained, err := s.collect.Explain(ctx, filter, global)
		if err != nil {
			return query.Step{}, err
		}
		step := stepOf(explained, false)
		root.Matched = root.Matched && step.Matched
		root.Children = append(root.Children, step)
	}
	if len(signals) > 0 {
		root.Description = "relevance of the query multiplied by the signals"
		if s.query == nil || !plan.Scores(s.query) {
			root.Score, root.Description = 1, "1 multiplied by the signals, as the query does not score"
		}
		step := explainSignals(signals, segment, doc)
		root.Score = float64(float32(root.Score))
		for i := range step.Children {
			root.Score *= step.Children[i].Score // one at a time and from a rounded score, as a search does
		}
		root.Children = append(root.Children, step)
	}
	if root.Score = float64(float32(root.Score)); !root.Matched {
		root.Score = 0
	}
	return root, nil
}

func explainSignals(signals []signal, segment *snapshot.Segment, doc uint32) query.Step {
	step := query.Step{Matched: true, Score: 1, Description: "product of the ranking signals"}
	for i := range signals {
		g := &signals[i]
		factor := g.factor(segment, doc)
		read := "no value"
		if v, ok := g.value(segment, doc); ok {
			read = "value " + g.written(v)
		}
		step.Score *= factor
		step.Children = append(step.Children, query.Step{
			Matched: true, Score: factor, Field: g.field.Path,
			Description: fmt.Sprintf("signal on %s: %s with %s, weight %s, %s", g.field.Path, g.shape, g.parameter(), decimal(g.Weight), read),
		})
	}
	return step
}

// parameter names the parameter of the signal's shape and gives its value.
func (g *signal) parameter() string {
	switch g.shape {
	case query.Decay:
		return "half-life " + decimal(g.Parameter) + " seconds"
	case query.Linear:
		return "ceiling " + decimal(g.Parameter)
	}
	return "pivot " + decimal(g.Parameter)
}

// written returns a value of the signal as the interface writes it.
func (g *signal) written(v float64) string {
	if g.field.Type == definition.Timestamp {
		return written.Timestamp(time.UnixMilli(int64(v)).UTC())
	}
	return decimal(v)
}

// decimal writes a number as JSON does: with an exponent only if it is very large
// or very small.
func decimal(v float64) string {
	if size := math.Abs(v); size >= 1e21 || size < 1e-6 && size > 0 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// explainValue adds what one list value contributes to its document's score.
func (s *execution) explainValue(ctx context.Context, detail query.Step, values *collect.Values, item uint32) (*query.Explanation, error) {
	root := query.Step{
		Matched: detail.Matched, Score: detail.Score, Description: "sum of the document's score and the value's",
		Children: []query.Step{detail},
	}
	if values.When != nil {
		root.Description = "score of the document"
	}
	value := 0.0
	for _, required := range values.Required {
		explained, err := s.collect.Explain(ctx, required.Clause, item)
		if err != nil {
			return nil, err
		}
		step := s.step(explained)
		if step.Clause == "" {
			step.Clause, step.ClauseType = required.Origin.Clause, "nested"
		}
		root.Matched = root.Matched && step.Matched
		value += step.Score
		root.Children = append(root.Children, step)
	}
	if values.When == nil {
		root.Score = float64(float32(root.Score) + float32(value)) // as a search adds them
	}
	if !root.Matched {
		root.Score = 0
	}
	return explanation(root), nil
}

// step converts a step of the plan into a step of the answer.
func (s *execution) step(from *collect.Step) query.Step { return stepOf(from, true) }

// stepOf converts a step of the plan into a step of the answer. Unless counts is
// set, neither the step nor its descendants have a score: filters do not score.
func stepOf(from *collect.Step, counts bool) query.Step {
	origin := from.Node.From()
	step := query.Step{
		Matched: from.Matched, Description: describe(from),
		Clause: origin.Clause, ClauseType: origin.Type, Field: origin.Field, Usage: origin.Usage, Locale: origin.Locale,
	}
	if from.Matched && counts {
		step.Score = from.Score
	}
	if _, isOr := from.Node.(*plan.Or); isOr && !from.Matched {
		return step
	}
	if c, ok := from.Node.(*plan.Constant); ok && len(from.Children) == 1 && c.Clause.From().Clause == origin.Clause {
		// Show a clause with a constant score as a single step.
		inner := stepOf(from.Children[0], counts)
		if counts {
			inner.Score = step.Score
			inner.Description = fmt.Sprintf("constant %g: %s", c.Score, inner.Description)
		}
		return inner
	}
	if from.Detail != nil && from.Matched && counts {
		if from.Detail.Pair != nil {
			step.Children = pairSteps(from.Detail.Pair)
		}
		if from.Detail.Phrase != nil {
			step.Description = "product of weight, rarity and quality: " + step.Description
			step.Children = phraseSteps(from.Detail.Phrase)
		}
		if from.Detail.Whole != nil {
			step.Children = []query.Step{wholeStep(from.Detail.Whole)}
		}
		for i := range from.Detail.Readings {
			step.Children = append(step.Children, readingStep(&from.Detail.Readings[i], origin.Word))
		}
	}
	fuse, isFuse := from.Node.(*plan.Fuse)
	for i, child := range from.Children {
		if isFuse {
			step.Children = append(step.Children, rankingStep(fuse, i, child, counts))
			continue
		}
		inner := stepOf(child, counts)
		// Omit a node that merely repeats its clause.
		if len(from.Children) == 1 && inner.Clause == step.Clause && inner.Field == step.Field && inner.Description == step.Description {
			step.Children = inner.Children
			continue
		}
		step.Children = append(step.Children, inner)
	}
	for _, filter := range from.Filters {
		step.Children = append(step.Children, stepOf(filter, false))
	}
	return step
}

// rankingStep describes the contribution of one ranking of a fuse clause.
func rankingStep(n *plan.Fuse, i int, from *collect.Step, counts bool) query.Step {
	step := query.Step{Matched: from.Matched}
	switch {
	case from.Detail == nil:
		step.Description = fmt.Sprintf("ranking %d: not among its best %d", i, n.Depth)
	case !counts:
		step.Description = fmt.Sprintf("ranking %d: rank %d", i, from.Detail.Rank)
	default:
		step.Score = from.Score
		step.Description = fmt.Sprintf("ranking %d: rank %d, %g / (%g + %d)", i, from.Detail.Rank, n.Rankings[i].Weight, n.RankConstant, from.Detail.Rank)
	}
	for _, child := range from.Children {
		step.Children = append(step.Children, stepOf(child, counts))
	}
	return step
}

// describe returns a description of a step in words.
func describe(step *collect.Step) string {
	origin := step.Node.From()
	switch n := step.Node.(type) {
	case *plan.Everything:
		return "matches every document"
	case *plan.Nothing:
		return "matches no document"
	case *plan.Term:
		switch {
		case n.Structure == layout.Exists:
			return "there is a value"
		case n.Scoring == nil:
			return fmt.Sprintf("holds %q", origin.Word)
		}
		if n.Scoring.Once {
			return fmt.Sprintf("the whole value is %q: boost and weight %g, times the rarity, divided by 1 + %g", n.Text, n.Scoring.Weight, score.K1)
		}
		return fmt.Sprintf("the best of the readings of %q", n.Text)
	case *plan.Word:
		return fmt.Sprintf("the best of the readings of %q", origin.Word)
	case *plan.Pair:
		return fmt.Sprintf("product of weight, rarity and nearness: %q and %q stand at most %d words apart", n.First.From().Word, n.Second.From().Word, score.Near)
	case *plan.Expand:
		return describeNear(n.Text, n.Prefix, n.Edits)
	case *plan.TermSet:
		return "the value is one that was asked for"
	case *plan.TermRange:
		return "the value is in a range that was asked for"
	case *plan.NumberRange:
		if slices.ContainsFunc(n.Intervals, func(i plan.Interval) bool { return i.Min < i.Max }) {
			return "the value is in a range that was asked for"
		}
		return "the value is one that was asked for"
	case *plan.Distance:
		return fmt.Sprintf("within %s metres", decimal(n.Radius))
	case *plan.Phrase:
		return "the words stand in order"
	case *plan.And:
		return "sum of what has to match together"
	case *plan.Or:
		return "sum of the alternatives that match"
	case *plan.Best:
		return "the best of the alternatives"
	case *plan.Not:
		return "none of the clauses matches"
	case *plan.Cover:
		return "holds enough of the words of the text"
	case *plan.Scale:
		return fmt.Sprintf("weight %g times", n.Weight)
	case *plan.Constant:
		return fmt.Sprintf("constant %g", n.Score)
	case *plan.Nested:
		return describeNested(n, step)
	case *plan.Knn:
		return fmt.Sprintf("one of the %d nearest vectors", n.K)
	case *plan.Fuse:
		return "sum of weight / (rankConstant + rank) over the rankings"
	}
	return "clause"
}

// describeNested describes how the scores of list values are combined.
func describeNested(n *plan.Nested, step *collect.Step) string {
	if step.Detail == nil || !plan.Scores(n) {
		return fmt.Sprintf("a value of %s matches", n.Path)
	}
	of := fmt.Sprintf("of the scores of %s, values that match: %d", n.Path, step.Detail.Values)
	if shown := len(step.Children); shown > 1 && shown < step.Detail.Values {
		of += fmt.Sprintf(", shown: %d", shown)
	}
	switch n.Fold {
	case plan.FoldMin:
		return "the lowest " + of
	case plan.FoldAvg:
		return "average " + of
	case plan.FoldTotal:
		return "sum " + of
	}
	return "the best " + of
}
