package docset

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// CountTerms returns an upper bound of how many terms of the segment a node stands for, and
// false when it is not about terms.
func CountTerms(r *segment.Reader, n plan.Node) (count int, isTerms bool) {
	switch n := n.(type) {
	case *plan.TermSet:
		if r.Terms(n.Structure) != nil {
			count = len(n.Terms)
		}
		return count, true
	case *plan.TermRange:
		if field := r.Terms(n.Structure); field != nil {
			for _, part := range termRanges(field, n.Intervals) {
				count += int(part.to - part.from)
			}
		}
		return count, true
	}
	return 0, false
}

// Terms returns the terms of the segment that a node about terms stands for.
func Terms(r *segment.Reader, n plan.Node) (entries []terms.Entry, field *terms.Field) {
	switch n := n.(type) {
	case *plan.TermSet:
		if field = r.Terms(n.Structure); field == nil {
			return nil, nil
		}
		for _, term := range n.Terms {
			if e, ok := field.Lookup([]byte(term)); ok {
				entries = append(entries, e)
			}
		}
	case *plan.TermRange:
		if field = r.Terms(n.Structure); field == nil {
			return nil, nil
		}
		for _, part := range termRanges(field, n.Intervals) {
			for ord := part.from; ord < part.to; ord++ {
				entries = append(entries, field.At(ord))
			}
		}
	}
	return entries, field
}

// termRange is a half-open range of term ordinals.
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

// Union returns the documents that hold any of the terms. documents is the size of the segment.
// It stops early with the context's error.
func Union(ctx context.Context, field *terms.Field, entries []terms.Entry, documents uint32) (*Set, error) {
	total := 0
	for _, e := range entries {
		total += int(e.DocFreq)
	}
	if total < max(SortLimit(documents), int(documents)/sparseShare) {
		m := newMarks(documents)
		held, err := m.addTerms(ctx, field, entries, documents)
		if err != nil {
			m.drop()
			return nil, err
		}
		return fromSorted(m.take(make([]uint32, 0, held)), documents), nil
	}
	var it postings.Iterator
	all := bitset.New(documents)
	for i, e := range entries {
		prefetch(field, entries, i)
		if err := stopped(ctx, i); err != nil {
			return nil, err
		}
		field.Iterator(&it, e)
		if it.NextBlock() {
			it.IntoBitset(all.Words(), 0)
		}
	}
	return FromBits(all), nil
}

// prefetched is how many terms are loaded before the first of them is read.
const prefetched = 16

// prefetch loads the next terms of a loop that is at term i, once every prefetched terms.
func prefetch(field *terms.Field, entries []terms.Entry, i int) {
	if i%prefetched == 0 {
		field.PrefetchPostings(entries[i:min(i+prefetched, len(entries))])
	}
}

// turnsPerLook is how many turns of a loop pass between two checks of its context.
const turnsPerLook = 64

// stopped returns why a loop must end, or nil. It checks the context only now and then.
func stopped(ctx context.Context, turn int) error {
	if turn%turnsPerLook != turnsPerLook-1 || ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
