package match

import (
	"context"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// rangeShare: reading the values of the documents that the rest of an And matches is cheaper
// than gathering a range if the range holds more than rangeShare times as many documents.
const rangeShare = 4

// rangeStep matches documents by reading their numbers, at most one each.
type rangeStep struct {
	column    *columns.Numbers
	intervals []plan.Interval
	total     int
	docs      []uint32
	values    []int64
}

// lateRange returns the step of a range in an And whose cheapest other part matches at most
// rest documents. A range that another search used before is gathered and kept.
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

// read returns the number of each document, math.MinInt64 for documents without one.
func (s *rangeStep) read(docs []uint32) []int64 {
	s.values = slices.Grow(s.values[:0], len(docs))[:len(docs)]
	s.column.Values(docs, s.values, math.MinInt64)
	return s.values
}

// holds reports whether a value that read returned for a document is in the range.
func (s *rangeStep) holds(doc uint32, value int64) bool {
	if value == math.MinInt64 && !s.column.Has(doc) {
		return false
	}
	return docset.Meets(s.intervals, value, value)
}

// keepInRange drops the documents whose numbers are not in a range.
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
