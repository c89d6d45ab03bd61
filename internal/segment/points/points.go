// Package points finds the documents of a range of numbers, or of a region of
// the earth, in time that follows the result.
//
// Numbers lie in the order of values in blocks of 512, with their documents:
// a range is a run of blocks, of which only the first and the last are looked
// into. Places lie along a curve that keeps near ones together, in blocks with
// their bounding box.
//
// Writers gather in memory, then Finish. The read sides may be used by any
// number of goroutines.
//
// Invariants:
//
//	N1  Values do not fall; documents of equal values rise.
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

// pair is a sort key with what it stands for.
type pair struct {
	key uint64
	doc uint32
	at  uint32
}

// sortPairs sorts by key, stable: radix sort by bytes, leaving out those all
// keys share.
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
