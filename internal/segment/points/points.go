// Package points finds the documents in a range of numbers, or in a region of the
// earth, in time proportional to the result.
//
// Numbers are stored in ascending order in blocks of 512, with their documents: a
// range is a run of blocks, of which only the first and the last are searched. Geo
// points are stored along a Z-order curve, which keeps nearby points together, in
// blocks with their bounding box.
//
// Writers collect in memory until Finish. The read sides are safe for concurrent
// use.
//
// Invariants:
//
//	N1  Values never decrease; documents of equal values ascend.
//	N2  Every point of a block lies in its box.
//
// The bytes are described in FORMAT.md.
package points

import "slices"

// BlockSize is the number of points in a block.
const BlockSize = 512

// Parts of a points index in the segment file; they follow those of columns,
// with which they share an owner.
const (
	PartData = iota + 33
	PartBlocks
)

// pair is a sort key with the entry it belongs to.
type pair struct {
	key uint64
	doc uint32
	at  uint32
}

// sortPairs sorts by key, stably: a radix sort by bytes that skips bytes shared by
// all keys.
func sortPairs(pairs []pair) []pair {
	if len(pairs) < 256 {
		slices.SortStableFunc(pairs, func(a, b pair) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return 0
		})
		return pairs
	}
	other := make([]pair, len(pairs))
	for shift := 0; shift < 64; shift += 8 {
		var counts [256]int
		for i := range pairs {
			counts[byte(pairs[i].key>>shift)]++
		}
		if counts[byte(pairs[0].key>>shift)] == len(pairs) {
			continue
		}
		at := 0
		for i, n := range counts {
			counts[i] = at
			at += n
		}
		for _, p := range pairs {
			b := byte(p.key >> shift)
			other[counts[b]] = p
			counts[b]++
		}
		pairs, other = other, pairs
	}
	return pairs
}
