package docset

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// Filter returns the documents of a segment that have a number in a range or a
// place in a circle.
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
		all := bitset.New(documents)
		for _, i := range n.Intervals {
			index.IntoBitset(i.Min, i.Max, all)
		}
		return FromBits(all)
	}
	return FromBits(scanNumbers(column, n.Intervals, documents))
}

// scanNumbers reads a column without range index, skipping blocks outside of
// all intervals.
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

// Meets reports whether some number from low to high is in one of the
// intervals, which rise.
func Meets(intervals []plan.Interval, low, high int64) bool {
	at, _ := slices.BinarySearchFunc(intervals, low, func(i plan.Interval, low int64) int { return cmp.Compare(i.Max, low) })
	return at < len(intervals) && intervals[at].Min <= high
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
