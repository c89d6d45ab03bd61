package facet

import (
	"context"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// Bounds is a bucket over numbers: From inclusive, To exclusive. Without HasFrom or HasTo, that
// side is unbounded.
type Bounds struct {
	From, To       int64
	HasFrom, HasTo bool
}

// Contains reports whether a number falls into the bucket.
func (b Bounds) Contains(n int64) bool {
	return (!b.HasFrom || n >= b.From) && (!b.HasTo || n < b.To)
}

// ordinals returns the half-open range of a column's ordinals that fall into the bucket.
func (b Bounds) ordinals(column *columns.Ordinals) (from, to uint32) {
	to = column.Len()
	if b.HasFrom {
		from, _ = column.Lookup(layout.AppendNumberKey(nil, b.From))
	}
	if b.HasTo {
		to, _ = column.Lookup(layout.AppendNumberKey(nil, b.To))
	}
	return from, max(from, to)
}

// watchEvery is how many documents are counted between two checks of the context.
const watchEvery = 4096

// Buckets adds, per bucket, how many documents of the set hold a number in it to totals, for a
// column with several values per document. A nil set means every document. When ctx ends,
// Buckets returns early and totals are meaningless; the same holds for ItemBuckets and
// HitBuckets.
func Buckets(ctx context.Context, column *columns.Ordinals, set *bitset.Bitset, buckets []Bounds, totals []int64) {
	t := newTally(column, buckets)
	if set == nil {
		set = bitset.NewFull(column.NumDocs())
	}
	var ordinals []uint32
	for doc, turn := set.Next(0), 1; doc < set.Len(); doc, turn = set.Next(doc+1), turn+1 {
		if turn%watchEvery == 0 && ctx.Err() != nil {
			return
		}
		ordinals = column.Append(ordinals[:0], doc)
		t.touch(ordinals)
		t.next()
	}
	t.add(totals)
}

// SumBuckets is Buckets for a column of single values that have been counted already.
func SumBuckets(p Part, buckets []Bounds, totals []int64) {
	sums := make([]int64, len(p.Counts)+1)
	for i, n := range p.Counts {
		sums[i+1] = sums[i] + int64(n)
	}
	for i, r := range rangesOf(p.Column, buckets) {
		totals[i] += sums[r[1]] - sums[r[0]]
	}
}

// ItemBuckets adds, per bucket, how many documents have a list value in items that holds a
// number in it to totals.
func ItemBuckets(ctx context.Context, column *columns.Ordinals, items, parents *bitset.Bitset, buckets []Bounds, totals []int64) {
	t := newTally(column, buckets)
	var ordinals []uint32
	current := uint32(0)
	for item, turn := items.Next(0), 1; item < items.Len(); item, turn = items.Next(item+1), turn+1 {
		if turn%watchEvery == 0 && ctx.Err() != nil {
			return
		}
		if parent := parents.Next(item); parent != current {
			t.next()
			current = parent
		}
		ordinals = column.Append(ordinals[:0], item)
		t.touch(ordinals)
	}
	t.next()
	t.add(totals)
}

// HitBuckets adds, per bucket, how many list values in items hold a number in it to totals.
// With parents, it adds how many belong to a document that holds such a number.
func HitBuckets(ctx context.Context, column *columns.Ordinals, items, parents *bitset.Bitset, buckets []Bounds, totals []int64) {
	t := newTally(column, buckets)
	var ordinals []uint32
	for item, turn := items.Next(0), 1; item < items.Len(); item, turn = items.Next(item+1), turn+1 {
		if turn%watchEvery == 0 && ctx.Err() != nil {
			return
		}
		doc := item
		if parents != nil {
			doc = parents.Next(item)
		}
		ordinals = column.Append(ordinals[:0], doc)
		t.touch(ordinals)
		t.next()
	}
	t.add(totals)
}

func rangesOf(column *columns.Ordinals, buckets []Bounds) [][2]uint32 {
	ranges := make([][2]uint32, len(buckets))
	for i, b := range buckets {
		ranges[i][0], ranges[i][1] = b.ordinals(column)
	}
	return ranges
}
