package docset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/points"
)

// Filter returns the documents of a segment with a number in a range or a geo point in a
// circle.
func Filter(r *segment.Reader, n plan.Node) (*Set, error) {
	switch n := n.(type) {
	case *plan.NumberRange:
		return inRange(r, n), nil
	case *plan.Distance:
		return inCircle(r, n), nil
	}
	return nil, fmt.Errorf("no set for %T", n)
}

func inRange(r *segment.Reader, n *plan.NumberRange) *Set {
	documents := r.NumDocs()
	column := r.Numbers(n.Structure)
	if column == nil {
		return &Set{}
	}
	if index := r.NumberPoints(n.Structure); index != nil {
		total := uint64(0)
		for _, i := range n.Intervals {
			total += index.Count(i.Min, i.Max)
		}
		if total <= uint64(SortLimit(documents)) {
			docs := make([]uint32, 0, total)
			for _, i := range n.Intervals {
				docs = index.AppendDocs(docs, i.Min, i.Max)
			}
			return FromDocs(docs, documents)
		}
		if column.Multi() {
			return FromBits(gather(index, n.Intervals, documents))
		}
		outside := uint64(column.DocsWithValue()) - total
		if all := byBlocks(column, n.Intervals, min(total, outside)); all != nil {
			return FromBits(all)
		}
		if total <= outside {
			return FromBits(gather(index, n.Intervals, documents))
		}
		all := gather(index, between(n.Intervals), documents)
		all.Flip()
		if present := column.Present(); present != nil {
			all.And(present)
		}
		return FromBits(all)
	}
	return FromBits(scanNumbers(column, n.Intervals, documents))
}

// gather returns the documents with a value in one of the intervals.
func gather(index *points.Numbers, intervals []plan.Interval, documents uint32) *bitset.Bitset {
	all := bitset.New(documents)
	for _, i := range intervals {
		index.IntoBitset(i.Min, i.Max, all)
	}
	return all
}

// between returns the gaps around intervals, which are in ascending order and do not overlap.
func between(intervals []plan.Interval) []plan.Interval {
	var gaps []plan.Interval
	from := int64(math.MinInt64)
	for _, i := range intervals {
		if i.Min > from {
			gaps = append(gaps, plan.Interval{Min: from, Max: i.Min - 1})
		}
		if i.Max == math.MaxInt64 {
			return gaps
		}
		from = i.Max + 1
	}
	return append(gaps, plan.Interval{Min: from, Max: math.MaxInt64})
}

// byBlocks returns the documents with a value in one of the intervals by means of the bounds of
// blocks, as zone maps do: if values follow the order of documents, like times, most blocks lie
// inside an interval or outside all. It returns nil if the blocks to read have more than
// most documents in all.
//
// Example: 4,096 documents in the order of their times; a filter asks for the last week, which
// are 1,500 of them. Of four blocks two are outside, the last is inside, and the values of the
// third, 1,024, are read.
func byBlocks(column *columns.Numbers, intervals []plan.Interval, most uint64) *bitset.Bitset {
	read := uint64(0)
	for block := range column.NumBlocks() {
		low, high, ok := column.BlockBounds(block)
		if !ok {
			continue
		}
		at := firstFrom(intervals, low)
		if at == len(intervals) || intervals[at].Min > high || intervals[at].Min <= low && high <= intervals[at].Max {
			continue
		}
		if read += columns.BlockSize; read > most {
			return nil
		}
	}
	all := bitset.New(column.NumDocs())
	for block := range column.NumBlocks() {
		low, high, _ := column.BlockBounds(block)
		for at := firstFrom(intervals, low); at < len(intervals) && intervals[at].Min <= high; at++ {
			column.IntoBitset(block, intervals[at].Min, intervals[at].Max, all)
		}
	}
	return all
}

// scanNumbers reads a column without a range index, skipping blocks outside of all intervals.
func scanNumbers(column *columns.Numbers, intervals []plan.Interval, documents uint32) *bitset.Bitset {
	all := bitset.New(documents)
	var values []int64
	for start := uint32(0); start < documents; start += columns.BlockSize {
		low, high, ok := column.BlockBounds(int(start / columns.BlockSize))
		if !ok || !Meets(intervals, low, high) {
			continue
		}
		for doc := start; doc < min(start+columns.BlockSize, documents); doc++ {
			values = column.AppendAll(values[:0], doc)
			for _, v := range values {
				if Meets(intervals, v, v) {
					all.Set(doc)
					break
				}
			}
		}
	}
	return all
}

// Meets reports whether some number from low to high is in one of the intervals, which are in
// ascending order.
func Meets(intervals []plan.Interval, low, high int64) bool {
	at := firstFrom(intervals, low)
	return at < len(intervals) && intervals[at].Min <= high
}

// firstFrom returns the index of the first interval that does not end before low,
// len(intervals) if there is none.
func firstFrom(intervals []plan.Interval, low int64) int {
	at, _ := slices.BinarySearchFunc(intervals, low, func(i plan.Interval, low int64) int { return cmp.Compare(i.Max, low) })
	return at
}

func inCircle(r *segment.Reader, n *plan.Distance) *Set {
	documents := r.NumDocs()
	all := bitset.New(documents)
	if index := r.GeoPoints(n.Structure); index != nil {
		index.IntoCircle(n.Lat, n.Lon, n.Radius, all)
	} else if column := r.Geo(n.Structure); column != nil {
		for doc := range documents {
			if d, ok := column.Distance(doc, n.Lat, n.Lon); ok && d <= n.Radius {
				all.Set(doc)
			}
		}
	}
	return FromBits(all)
}
