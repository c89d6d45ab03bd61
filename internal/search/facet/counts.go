package facet

import (
	"cmp"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/segment/columns"
)

// Counts holds the values with a count above 0 in ascending byte order. The counts of a single
// segment, or of a segment so dominant that the others add few values, remain indexed by
// ordinal, so that only values that an answer shows are looked up in the column. Counts never
// change and are valid as long as the segments are.
type Counts struct {
	list   []Count
	part   Part    // replaces list if it has a column
	others []Count // of values that are not counted in part
	used   int     // number of values in both
}

// Listed returns counts that are already a list.
func Listed(list []Count) Counts { return Counts{list: list} }

// countBytes is the memory of one count in a list: a slice and a number.
const countBytes = 32

// countsOf returns the counts of one segment.
func countsOf(p Part) Counts {
	used := 0
	for _, n := range p.Counts {
		used += int(-uint64(n) >> 63) // 1 unless n is 0; a branch would be mispredicted
	}
	return Counts{part: p, used: used}
}

// with returns the counts of a part and of other parts that have few values. The ordinals of
// these values in the part are known or looked up, so no other values are compared.
func (p Part) with(few []Part) Counts {
	sums := Part{Column: p.Column, Counts: slices.Clone(p.Counts)} // the segment keeps its own
	var others []Count
	for _, part := range few {
		places := part.Column.PlacesIn(sums.Column)
		for ordinal, n := range part.Counts {
			if n == 0 {
				continue
			}
			if at := places[ordinal]; at != columns.Absent && sums.Counts[at] <= math.MaxUint32-n {
				sums.Counts[at] += n
			} else {
				others = append(others, part.count(uint32(ordinal)))
			}
		}
	}
	others = join(others)
	for i, c := range others {
		if at, found := sums.Column.Lookup(c.Value); found { // the sum overflows a count of the part
			others[i].Count += int64(sums.Counts[at])
			sums.Counts[at] = 0
		}
	}
	counts := countsOf(sums)
	counts.others, counts.used = others, counts.used+len(others)
	return counts
}

// Smallest returns the same counts in the form that takes less memory.
func (c Counts) Smallest() Counts {
	if countBytes*c.used < 4*len(c.part.Counts) {
		return Listed(c.All())
	}
	return c
}

// All returns every value. Callers must not change the result.
func (c Counts) All() []Count {
	if c.part.Column == nil {
		return c.list
	}
	return c.first(c.used)
}

// Bytes returns the memory that the counts take.
func (c Counts) Bytes() int {
	return countBytes*(len(c.list)+len(c.others)) + 4*len(c.part.Counts)
}

// first returns the first values of part and others together.
func (c Counts) first(limit int) []Count {
	limit = min(limit, c.used)
	all := make([]Count, 0, limit)
	next := uint32(0)
	until := func(end uint32) {
		for ; next < end && len(all) < limit; next++ {
			if c.part.Counts[next] > 0 {
				all = append(all, c.part.count(next))
			}
		}
	}
	for _, other := range c.others {
		ordinal, _ := c.part.Column.Lookup(other.Value)
		if until(ordinal); len(all) == limit {
			return all
		}
		all = append(all, other)
	}
	until(uint32(len(c.part.Counts)))
	return all
}

func (p Part) count(ordinal uint32) Count {
	return Count{Value: p.Column.Value(ordinal), Count: int64(p.Counts[ordinal])}
}

// top returns the values with the highest counts, the first ones among equals. Ordinals ascend
// by value.
func (p Part) top(limit int) []Count {
	type ranked struct{ ordinal, count uint32 }
	compare := func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.ordinal, b.ordinal))
	}
	if limit = min(limit, len(p.Counts)); limit == 0 {
		return nil
	}
	best := make([]ranked, 0, limit)
	least := uint32(0) // a count must exceed it
	for ordinal, n := range p.Counts {
		if n <= least {
			continue
		}
		if one := (ranked{uint32(ordinal), n}); len(best) < limit {
			best = append(best, one)
			siftUp(best, compare)
		} else {
			best[0] = one
			siftDown(best, compare)
		}
		if len(best) == limit {
			least = best[0].count
		}
	}
	slices.SortFunc(best, compare)
	top := make([]Count, len(best))
	for i, one := range best {
		top[i] = p.count(one.ordinal)
	}
	return top
}
