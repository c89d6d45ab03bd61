package match

import (
	"context"
	"fmt"
	"slices"

	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/snapshot"
)

// binder turns the nodes of a plan into steps over one segment.
type binder struct {
	view      *View
	number    int // of the segment
	segment   *snapshot.Segment
	documents uint32
	scoring   bool // scores are wanted
	isInside  bool // clauses apply to list values
	owned     []*termStep
	bests     []*bestStep
	sums      []*sumStep
	words     []*wordStep
	scratches []*scratch // see newScratch
	pool      *stepPool  // see steps
	paths     []string   // see listPaths

	reading *plan.Word  // the word whose readings are looked up, nil when unknown
	found   []nearTerms // its terms in other fields, found along the way; see together.go
	isEarly bool        // found terms are kept in the view

	ownedBuffer [4]*termStep
}

// init points a zero binder at a segment.
func (b *binder) init(v *View, segment int, scoring bool) {
	b.view, b.number, b.segment, b.scoring = v, segment, v.Snapshot.Segments[segment], scoring
	b.documents = b.segment.Reader.NumDocs()
	b.owned = b.ownedBuffer[:0]
}

// lookups returns a binder that looks up words in a segment and makes no steps.
func (v *View) lookups(segment int) binder {
	s := v.Snapshot.Segments[segment]
	return binder{view: v, number: segment, segment: s, documents: s.Reader.NumDocs(), reading: v.reading, isEarly: v.reading != nil}
}

// bind returns the step of a node. Scores are multiplied by factor.
func (b *binder) bind(ctx context.Context, n plan.Node, factor float64) (step, error) {
	switch n := n.(type) {
	case nil, *plan.Everything:
		return &everyStep{int(b.documents)}, nil
	case *plan.Nothing:
		return noStep{}, nil
	case *plan.Term:
		return b.term(n, factor), nil
	case *plan.Word:
		return b.word(ctx, n, factor)
	case *plan.Pair:
		return b.pair(n, factor), nil
	case *plan.Phrase:
		return b.phrase(ctx, n, factor)
	case *plan.Expand:
		return b.expand(ctx, n)
	case *plan.TermSet, *plan.TermRange, *plan.NumberRange, *plan.Distance:
		return b.filter(ctx, n)
	case *plan.And:
		return b.and(ctx, n, factor)
	case *plan.Or:
		return b.or(ctx, n, factor)
	case *plan.Best:
		return b.best(ctx, n, factor)
	case *plan.Not:
		s := &notStep{documents: int(b.documents)}
		var err error
		s.steps, err = b.each(ctx, nil, n.Clauses, 0)
		return s, err
	case *plan.Cover:
		return b.cover(ctx, n)
	case *plan.Scale:
		return b.bind(ctx, n.Clause, factor*n.Weight)
	case *plan.Constant:
		inner, err := b.bind(ctx, n.Clause, 0)
		if err != nil || !b.scoring || factor*n.Score == 0 {
			return inner, err
		}
		return &constantStep{step: inner, score: factor * n.Score}, nil
	case *plan.Nested:
		return b.nested(ctx, n, factor)
	case *plan.Knn, *plan.Fuse:
		return b.list(n, factor)
	}
	return nil, fmt.Errorf("no way to match %T", n)
}

// each appends the steps of the nodes, leaving out those that match nothing.
func (b *binder) each(ctx context.Context, steps []step, nodes []plan.Node, factor float64) ([]step, error) {
	for _, n := range nodes {
		s, err := b.bind(ctx, n, factor)
		if err != nil {
			return steps, err
		}
		if _, never := s.(noStep); !never {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

func (b *binder) term(n *plan.Term, factor float64) step {
	field := b.segment.Reader.Terms(n.Structure)
	if field == nil {
		return noStep{}
	}
	stats := b.view.preparedTerm(n.Structure, n.Text)
	entry := stats.entries[b.number]
	if entry.DocFreq == 0 {
		return noStep{}
	}
	s := b.newTerm(field, entry)
	if n.Scoring != nil && b.scoring && factor > 0 {
		weight := factor * n.Scoring.Weight * b.view.idf(n.Structure, n.Text)
		s.scoreBy(b.view.tableOf(n.Structure, n.Scoring), weight, n.Scoring.Once)
	}
	return s
}

func (b *binder) and(ctx context.Context, n *plan.And, factor float64) (step, error) {
	s := b.newAnd()
	var late []plan.Node
	if err := b.flatten(ctx, s, &late, n, factor); err != nil {
		return nil, err
	}
	if err := b.filterTerms(ctx, s, late); err != nil {
		return nil, err
	}
	rest := int(b.documents)
	for _, c := range s.steps {
		rest = min(rest, c.cost())
	}
	for _, n := range late {
		var c step
		var err error
		switch n := n.(type) {
		case *plan.Term:
			continue
		case *plan.NumberRange:
			c, err = b.lateRange(ctx, n, rest)
		case *plan.Nested:
			c, err = b.lateValues(ctx, n, rest)
		}
		if err != nil {
			return nil, err
		}
		s.steps = append(s.steps, c)
	}
	if len(s.steps) == 0 {
		s.steps = append(s.steps, &everyStep{int(b.documents)})
	}
	if len(s.steps) == 1 && len(s.optional) == 0 {
		return s.steps[0], nil
	}
	slices.SortStableFunc(s.steps, func(x, y step) int { return x.cost() - y.cost() })
	return s, nil
}

// filterTerms appends steps for the terms among the late clauses of an And. If other clauses
// come first and another search asked for the same frequent term before, the term becomes a
// cached set, in which lookups are cheaper than in postings. In an And of filters alone, terms
// stay terms because those can be counted; in clauses about list values they stay terms because
// those are sought.
func (b *binder) filterTerms(ctx context.Context, s *andStep, late []plan.Node) error {
	others := len(s.steps) // steps that the terms narrow
	for _, n := range late {
		term, ok := n.(*plan.Term)
		if !ok {
			continue
		}
		c := b.term(term, 0)
		if t, ok := c.(*termStep); ok && others > 0 && !b.isInside && t.cost() > max(fewHeld, docset.SortLimit(b.documents)) &&
			b.view.caches.keepsBits(b) && b.view.caches.isKnown(b, n) {
			var err error
			c, err = b.cached(ctx, n, func() (*docset.Set, error) {
				return docset.Union(ctx, t.field, []terms.Entry{t.entry}, b.documents)
			})
			if err != nil {
				return err
			}
		}
		s.steps = append(s.steps, c)
	}
	return nil
}

// flatten gathers the steps of an And and of the Ands directly below it. Terms, ranges and
// nested clauses that do not score go to late: how they are best matched depends on the other
// clauses.
func (b *binder) flatten(ctx context.Context, s *andStep, late *[]plan.Node, n *plan.And, factor float64) error {
	for _, c := range n.Clauses {
		switch c := c.(type) {
		case *plan.Everything:
			continue
		case *plan.And:
			if err := b.flatten(ctx, s, late, c, factor); err != nil {
				return err
			}
			continue
		case *plan.NumberRange:
			*late = append(*late, c)
			continue
		case *plan.Term:
			if c.Scoring == nil {
				*late = append(*late, c)
				continue
			}
		case *plan.Nested:
			if !plan.Scores(c) {
				*late = append(*late, c)
				continue
			}
		}
		inner, err := b.bind(ctx, c, factor)
		if err != nil {
			return err
		}
		s.steps = append(s.steps, inner)
		if b.scoring && factor > 0 && plan.Scores(c) && !isMute(c) {
			s.scoring = append(s.scoring, inner)
		}
	}
	if !b.scoring || factor == 0 {
		return nil
	}
	for _, c := range n.Optional {
		inner, err := b.bind(ctx, c, factor)
		if err != nil {
			return err
		}
		if _, never := inner.(noStep); !never {
			s.optional = append(s.optional, inner)
		}
	}
	return nil
}

// isMute reports whether a node that scores contributes nothing.
func isMute(n plan.Node) bool {
	scale, ok := n.(*plan.Scale)
	return ok && scale.Weight == 0
}

func (b *binder) or(ctx context.Context, n *plan.Or, factor float64) (step, error) {
	s := b.newOr()
	if err := b.alternatives(ctx, s, n.Clauses, factor); err != nil {
		return nil, err
	}
	return s.smallest(), nil
}

func (b *binder) alternatives(ctx context.Context, s *orStep, nodes []plan.Node, factor float64) (err error) {
	s.steps, err = b.each(ctx, s.steps, nodes, factor)
	return err
}

// smallest returns noStep without alternatives, the only alternative, or s itself.
func (s *orStep) smallest() step {
	switch len(s.steps) {
	case 0:
		return noStep{}
	case 1:
		return s.steps[0]
	}
	return s
}

func (b *binder) best(ctx context.Context, n *plan.Best, factor float64) (step, error) {
	if !b.scoring || factor == 0 {
		return b.or(ctx, &plan.Or{Clauses: n.Clauses}, factor)
	}
	s := b.newBest()
	if err := b.alternatives(ctx, &s.orStep, n.Clauses, factor); err != nil {
		return nil, err
	}
	if len(s.steps) < 2 {
		return s.smallest(), nil
	}
	return s, nil
}

func (b *binder) list(n plan.Node, factor float64) (step, error) {
	lists, ok := b.view.lists[n]
	if !ok {
		return nil, fmt.Errorf("%T was not worked out before matching", n)
	}
	list := lists[b.number]
	if list == nil || len(list.Docs) == 0 {
		return noStep{}, nil
	}
	return newListStep(list.Docs, scaled(list.Scores, factor)), nil
}

func scaled(scores []float32, factor float64) []float32 {
	if factor == 1 || scores == nil {
		return scores
	}
	if factor == 0 {
		return nil
	}
	out := make([]float32, len(scores))
	for i, s := range scores {
		out[i] = s * float32(factor)
	}
	return out
}

// listValues returns the dictionary entry of the list values of a path.
func (b *binder) listValues(path string) (*terms.Field, terms.Entry, bool) {
	field := b.segment.Reader.Terms(layout.Lists)
	if field == nil {
		return nil, terms.Entry{}, false
	}
	entry, ok := field.Lookup([]byte(path))
	return field, entry, ok
}
