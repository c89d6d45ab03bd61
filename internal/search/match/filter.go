package match

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// maxUnion is how many terms are walked side by side; more become a set.
const maxUnion = 4

// filter returns the step of a node that only narrows: postings where one or
// a few terms say it, a set worked out once otherwise.
func (b *binder) filter(n plan.Node) (step, error) {
	count, isTerms := b.countTerms(n)
	if !isTerms {
		return b.cached(n, func() (*Set, error) { return b.filterSet(n) })
	}
	if count > maxUnion {
		return b.cached(n, func() (*Set, error) {
			entries, field := b.filterTerms(n)
			return b.unionOf(field, entries)
		})
	}
	entries, field := b.filterTerms(n)
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

// cached returns the set of a node, made once per segment as long as the
// cache keeps it.
func (b *binder) cached(n plan.Node, make func() (*Set, error)) (step, error) {
	if set := b.view.caches.filter(b, n); set != nil {
		return stepOf(set), nil
	}
	set, err := make()
	if err == nil {
		err = b.view.stopped(lastTurn)
	}
	if err != nil {
		return nil, err
	}
	b.view.caches.keepFilter(b, n, set)
	return stepOf(set), nil
}

func stepOf(set *Set) step {
	if set.count == 0 {
		return noStep{}
	}
	return setStep{set}
}

// countTerms returns how many terms of the segment a node stands for at most,
// and false when it is not about terms.
func (b *binder) countTerms(n plan.Node) (count int, isTerms bool) {
	switch n := n.(type) {
	case *plan.TermSet:
		if b.segment.Reader.Terms(n.Structure) != nil {
			count = len(n.Terms)
		}
		return count, true
	case *plan.TermRange:
		if field := b.segment.Reader.Terms(n.Structure); field != nil {
			for _, r := range termRanges(field, n.Intervals) {
				count += int(r.to - r.from)
			}
		}
		return count, true
	}
	return 0, false
}

// filterTerms returns the terms that a node about terms stands for in the
// segment.
func (b *binder) filterTerms(n plan.Node) (entries []terms.Entry, field *terms.Field) {
	switch n := n.(type) {
	case *plan.TermSet:
		if field = b.segment.Reader.Terms(n.Structure); field == nil {
			return nil, nil
		}
		for _, term := range n.Terms {
			if e, ok := field.Lookup([]byte(term)); ok {
				entries = append(entries, e)
			}
		}
	case *plan.TermRange:
		if field = b.segment.Reader.Terms(n.Structure); field == nil {
			return nil, nil
		}
		for _, r := range termRanges(field, n.Intervals) {
			for ord := r.from; ord < r.to; ord++ {
				entries = append(entries, field.At(ord))
			}
		}
	}
	return entries, field
}

// termRange is a half-open range of the numbers of terms.
type termRange struct{ from, to uint32 }

// termRanges returns the terms inside any of the intervals, each once.
func termRanges(field *terms.Field, intervals []plan.TermInterval) []termRange {
	var all []termRange
	for _, interval := range intervals {
		if from, to := termBounds(field, interval); from < to {
			all = append(all, termRange{from, to})
		}
	}
	slices.SortFunc(all, func(a, b termRange) int { return cmp.Compare(a.from, b.from) })
	apart := all[:0]
	for _, r := range all {
		if n := len(apart); n > 0 && r.from <= apart[n-1].to {
			apart[n-1].to = max(apart[n-1].to, r.to)
			continue
		}
		apart = append(apart, r)
	}
	return apart
}

// termBounds returns the half-open range of terms inside an interval.
func termBounds(field *terms.Field, interval plan.TermInterval) (from, to uint32) {
	to = field.Stats().Terms
	if interval.From != nil {
		ord, found := field.Search([]byte(*interval.From))
		from = ord
		if found && interval.FromExclusive {
			from++
		}
	}
	if interval.To != nil {
		ord, found := field.Search([]byte(*interval.To))
		to = ord
		if found && !interval.ToExclusive {
			to++
		}
	}
	return from, to
}

func (b *binder) filterSet(n plan.Node) (*Set, error) {
	switch n := n.(type) {
	case *plan.NumberRange:
		return b.numberSet(n), nil
	case *plan.Distance:
		return b.distanceSet(n), nil
	}
	return nil, fmt.Errorf("no set for %T", n)
}

func (b *binder) numberSet(n *plan.NumberRange) *Set {
	column := b.segment.Reader.Numbers(n.Structure)
	if column == nil {
		return &Set{}
	}
	if index := b.segment.Reader.NumberPoints(n.Structure); index != nil {
		total := uint64(0)
		for _, i := range n.Intervals {
			total += index.Count(i.Min, i.Max)
		}
		if total <= uint64(sortLimit(b.documents)) {
			docs := make([]uint32, 0, total)
			for _, i := range n.Intervals {
				docs = index.AppendDocs(docs, i.Min, i.Max)
			}
			return newSparseSet(docs, b.documents)
		}
		all := bitset.New(b.documents)
		for _, i := range n.Intervals {
			index.IntoBitset(i.Min, i.Max, all)
		}
		return newSet(all)
	}
	return newSet(scanNumbers(column, n.Intervals, b.documents))
}

// scanNumbers reads a column without range index, skipping blocks outside of
// all intervals.
func scanNumbers(column *columns.Numbers, intervals []plan.Interval, documents uint32) *bitset.Bitset {
	all := bitset.New(documents)
	var values []int64
	for start := uint32(0); start < documents; start += columns.BlockSize {
		low, high, ok := column.BlockBounds(int(start / columns.BlockSize))
		if !ok || !meets(intervals, low, high) {
			continue
		}
		for doc := start; doc < min(start+columns.BlockSize, documents); doc++ {
			values = column.AppendAll(values[:0], doc)
			for _, v := range values {
				if meets(intervals, v, v) {
					all.Set(doc)
					break
				}
			}
		}
	}
	return all
}

func meets(intervals []plan.Interval, low, high int64) bool {
	at, _ := slices.BinarySearchFunc(intervals, low, func(i plan.Interval, low int64) int { return cmp.Compare(i.Max, low) })
	return at < len(intervals) && intervals[at].Min <= high
}

func (b *binder) distanceSet(n *plan.Distance) *Set {
	all := bitset.New(b.documents)
	if index := b.segment.Reader.GeoPoints(n.Structure); index != nil {
		index.IntoCircle(n.Lat, n.Lon, n.Radius, all)
	} else if column := b.segment.Reader.Geo(n.Structure); column != nil {
		for doc := range b.documents {
			if d, ok := column.Distance(doc, n.Lat, n.Lon); ok && d <= n.Radius {
				all.Set(doc)
			}
		}
	}
	return newSet(all)
}
