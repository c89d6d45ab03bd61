package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
)

// maxUnion is how many terms of a filter are walked as postings; more become a set.
const maxUnion = 4

// fewHeld: a term with at most this many documents is looked up in its postings, however often
// filters use it.
const fewHeld = 8 * chunk

// filter returns the step of a node that only narrows: postings for a few terms, otherwise a
// set that is computed once.
func (b *binder) filter(ctx context.Context, n plan.Node) (step, error) {
	count, isTerms := docset.CountTerms(b.segment.Reader, n)
	if !isTerms {
		return b.cached(ctx, n, func() (*docset.Set, error) { return docset.Filter(b.segment.Reader, n) })
	}
	if count > maxUnion {
		return b.cached(ctx, n, func() (*docset.Set, error) {
			entries, field := docset.Terms(b.segment.Reader, n)
			return docset.Union(ctx, field, entries, b.documents)
		})
	}
	entries, field := docset.Terms(b.segment.Reader, n)
	switch len(entries) {
	case 0:
		return noStep{}, nil
	case 1:
		return b.newTerm(field, entries[0]), nil
	}
	union := b.newOr()
	for _, e := range entries {
		union.steps = append(union.steps, b.newTerm(field, e))
	}
	return union, nil
}

// cached returns the step of the set of a node. make computes the set once per segment as long
// as the cache keeps it.
func (b *binder) cached(ctx context.Context, n plan.Node, make func() (*docset.Set, error)) (step, error) {
	if set := b.view.caches.filter(b, n); set != nil {
		return stepOf(set), nil
	}
	set, err := make()
	if err == nil {
		err = stopped(ctx, lastTurn)
	}
	if err != nil {
		return nil, err
	}
	b.view.caches.keepFilter(b, n, set)
	return stepOf(set), nil
}

func stepOf(set *docset.Set) step {
	if set.Len() == 0 {
		return noStep{}
	}
	return setStep{set}
}

// lazyStep matches a lazy set.
type lazyStep struct{ set *docset.Lazy }

func (s lazyStep) run(base uint32, in, out *Bits, _ *Sums) {
	s.set.Window(base, out)
	out.And(in)
}

func (s lazyStep) bound(_, _ uint32) float64 { return 0 }
func (s lazyStep) next(from uint32) uint32   { return s.set.Next(from) }
func (s lazyStep) cost() int                 { return s.set.Cost() }
