package match

import (
	"fmt"
	"slices"

	"github.com/quiresearch/quire/internal/layout"
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
	owned     []*termStep
	bests     []*bestStep
	blends    []*blendStep
	rooms     []*room  // see newRoom
	paths     []string // see listPaths

	ownedRoom [4]*termStep
}

// set makes a new binder that of a segment.
func (b *binder) set(v *View, segment int, scoring bool) {
	b.view, b.number, b.segment, b.scoring = v, segment, v.Snapshot.Segments[segment], scoring
	b.documents = b.segment.Reader.NumDocs()
	b.owned = b.ownedRoom[:0]
}

// bind returns the step of a node whose scores count factor times.
func (b *binder) bind(n plan.Node, factor float64) (step, error) {
	switch n := n.(type) {
	case nil, *plan.Everything:
		return &everyStep{int(b.documents)}, nil
	case *plan.Nothing:
		return noStep{}, nil
	case *plan.Term:
		return b.term(n, factor), nil
	case *plan.Blend:
		return b.blend(n, factor), nil
	case *plan.Phrase:
		return b.phrase(n, factor)
	case *plan.Expand:
		return b.expand(n, factor)
	case *plan.TermSet, *plan.TermRange, *plan.NumberRange, *plan.Distance:
		return b.filter(n)
	case *plan.And:
		return b.and(n, factor)
	case *plan.Or:
		return b.or(n, factor)
	case *plan.Best:
		return b.best(n, factor)
	case *plan.Not:
		steps, err := b.each(n.Clauses, 0)
		if err != nil {
			return nil, err
		}
		return &notStep{steps: steps, documents: int(b.documents)}, nil
	case *plan.Scale:
		return b.bind(n.Clause, factor*n.Weight)
	case *plan.Constant:
		inner, err := b.bind(n.Clause, 0)
		if err != nil || !b.scoring || factor*n.Score == 0 {
			return inner, err
		}
		return &constantStep{step: inner, score: factor * n.Score}, nil
	case *plan.Nested:
		return b.nested(n, factor)
	case *plan.Knn, *plan.Fuse:
		return b.list(n, factor)
	}
	return nil, fmt.Errorf("no way to match %T", n)
}

func (b *binder) each(nodes []plan.Node, factor float64) ([]step, error) {
	steps := make([]step, 0, len(nodes))
	for _, n := range nodes {
		s, err := b.bind(n, factor)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
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
		s.scoreBy(b.view.table(n.Structure, n.Scoring), weight, n.Scoring.Once)
	}
	return s
}

func (b *binder) and(n *plan.And, factor float64) (step, error) {
	s := &andStep{}
	var late []plan.Node
	if err := b.flatten(s, &late, n, factor); err != nil {
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
		case *plan.NumberRange:
			c, err = b.lateRange(n, rest)
		case *plan.Nested:
			c, err = b.lateValues(n, rest)
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

// flatten gathers the steps of an And and of the Ands directly below it. How
// ranges, and nested clauses that do not score, are matched depends on the
// others: they come late.
func (b *binder) flatten(s *andStep, late *[]plan.Node, n *plan.And, factor float64) error {
	for _, c := range n.Clauses {
		switch c := c.(type) {
		case *plan.Everything:
			continue
		case *plan.And:
			if err := b.flatten(s, late, c, factor); err != nil {
				return err
			}
			continue
		case *plan.NumberRange:
			*late = append(*late, c)
			continue
		case *plan.Nested:
			if !plan.Scores(c) {
				*late = append(*late, c)
				continue
			}
		}
		inner, err := b.bind(c, factor)
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
		inner, err := b.bind(c, factor)
		if err != nil {
			return err
		}
		if _, never := inner.(noStep); !never {
			s.optional = append(s.optional, inner)
		}
	}
	return nil
}

// isMute reports whether a node that scores adds nothing.
func isMute(n plan.Node) bool {
	scale, ok := n.(*plan.Scale)
	return ok && scale.Weight == 0
}

func (b *binder) alternatives(nodes []plan.Node, factor float64) ([]step, error) {
	steps, err := b.each(nodes, factor)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(steps, func(s step) bool { _, never := s.(noStep); return never }), nil
}

func (b *binder) or(n *plan.Or, factor float64) (step, error) {
	steps, err := b.alternatives(n.Clauses, factor)
	switch {
	case err != nil:
		return nil, err
	case len(steps) == 0:
		return noStep{}, nil
	case len(steps) == 1:
		return steps[0], nil
	}
	return &orStep{steps: steps}, nil
}

func (b *binder) best(n *plan.Best, factor float64) (step, error) {
	steps, err := b.alternatives(n.Clauses, factor)
	switch {
	case err != nil:
		return nil, err
	case len(steps) == 0:
		return noStep{}, nil
	case len(steps) == 1:
		return steps[0], nil
	case !b.scoring || factor == 0:
		return &orStep{steps: steps}, nil
	}
	s := b.newBest()
	s.steps = steps
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

// lists returns the dictionary entry of the list values of a path.
func (b *binder) listValues(path string) (*terms.Field, terms.Entry, bool) {
	field := b.segment.Reader.Terms(layout.Lists)
	if field == nil {
		return nil, terms.Entry{}, false
	}
	entry, ok := field.Lookup([]byte(path))
	return field, entry, ok
}
