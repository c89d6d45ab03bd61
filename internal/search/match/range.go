package match

import (
	"context"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// rangeShare is how many times more documents than the rest of an And may
// match a range must hold for reading the values of what is left to be cheaper
// than gathering the range.
const rangeShare = 4

// rangeStep matches documents by reading their numbers, one each at most.
type rangeStep struct {
	column    *columns.Numbers
	intervals []plan.Interval
	total     int
	docs      []uint32
	values    []int64
}

// lateRange returns the step of a range inside an And of which another part
// matches at most rest documents. A range that comes up again is gathered and
// kept.
func (b *binder) lateRange(ctx context.Context, n *plan.NumberRange, rest int) (step, error) {
	column, index := b.segment.Reader.Numbers(n.Structure), b.segment.Reader.NumberPoints(n.Structure)
	if column == nil || index == nil || column.Multi() || b.view.caches.filter(b, n) != nil {
		return b.filter(ctx, n)
	}
	total := 0
	for _, i := range n.Intervals {
		total += int(index.Count(i.Min, i.Max))
	}
	if total <= docset.SortLimit(b.documents) || total/rangeShare <= rest || b.view.caches.isKnown(b, n) {
		return b.filter(ctx, n)
	}
	return &rangeStep{column: column, intervals: n.Intervals, total: total}, nil
}

func (s *rangeStep) bound(_, _ uint32) float64 { return 0 }
func (s *rangeStep) next(from uint32) uint32   { return from }
func (s *rangeStep) cost() int                 { return s.total }

func (s *rangeStep) run(base uint32, in, out *Bits, _ *Sums) {
	*out = Bits{}
	s.docs = in.AppendDocs(s.docs[:0], base)
	for i, v := range s.read(s.docs) {
		if s.holds(s.docs[i], v) {
			out.Set(s.docs[i] - base)
		}
	}
}

// read returns the numbers of documents, the lowest number for those without.
func (s *rangeStep) read(docs []uint32) []int64 {
	s.values = slices.Grow(s.values[:0], len(docs))[:len(docs)]
	s.column.Values(docs, s.values, math.MinInt64)
	return s.values
}

// holds reports whether a value read for a document, the lowest number for a
// missing one, is in the range.
func (s *rangeStep) holds(doc uint32, value int64) bool {
	if value == math.MinInt64 && !s.column.Has(doc) {
		return false
	}
	return docset.Meets(s.intervals, value, value)
}

// keepInRange drops the documents whose number is not in a range.
func (b *batch) keepInRange(s *rangeStep) {
	kept := 0
	for i, v := range s.read(b.Docs) {
		if doc := b.Docs[i]; s.holds(doc, v) {
			b.Docs[kept], b.Sums[kept] = doc, b.Sums[i]
			kept++
		}
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
}
