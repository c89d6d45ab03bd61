// Package facet counts the values of a field over sets of documents.
//
// Counting happens per segment on ordinals, into arrays: Documents counts
// documents, Values counts documents by their list values, Hits counts list
// values that are hits themselves. Merge joins the counts of all segments by
// value. What comes out are Counts, ascending by value, from which List, Tree
// and Buckets make what an answer shows.
//
// Everything here is a pure function over segment readers; any number of
// callers may run at once.
package facet

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// Documents counts, per ordinal, the documents of the set that hold it. A nil
// set is every document of the segment, deleted ones included, whose counts
// the column keeps. Of a set that holds nearly all, those that it lacks are
// counted, which deletes leave of a query that matches everything.
func Documents(column *columns.Ordinals, set *bitset.Bitset) []uint32 {
	if set == nil {
		return column.Counts()
	}
	if lacking := int(set.Len()) - set.Count(); lacking < int(set.Len())/4 {
		counts := countSet(column, complement(set))
		for i, all := range column.Counts() {
			counts[i] = all - counts[i]
		}
		return counts
	}
	return countSet(column, set)
}

// complement returns the documents that a set lacks.
func complement(set *bitset.Bitset) *bitset.Bitset {
	words := make([]uint64, len(set.Words()))
	for i, w := range set.Words() {
		words[i] = ^w
	}
	if rest := set.Len() % 64; rest > 0 {
		words[len(words)-1] &= 1<<rest - 1
	}
	return bitset.FromWords(words, set.Len())
}

// countSet is Documents, document by document.
func countSet(column *columns.Ordinals, set *bitset.Bitset) []uint32 {
	counts := make([]uint32, column.Len()+1) // ordinal plus one; 0: no value
	if column.Multi() {
		countMulti(column, set, counts)
	} else {
		w8, w16, w32 := column.Raw()
		switch {
		case w8 != nil:
			countSingle(w8, set.Words(), counts)
		case w16 != nil:
			countSingle(w16, set.Words(), counts)
		default:
			countSingle(w32, set.Words(), counts)
		}
	}
	return counts[1:]
}

// countSingle counts the ordinals of the documents in words. A word of all
// ones is walked without looking for its bits.
func countSingle[T uint8 | uint16 | uint32](ordinals []T, words []uint64, counts []uint32) {
	for i, w := range words {
		if w == 0 {
			continue
		}
		base := i << 6
		if base >= len(ordinals) {
			return
		}
		if w == ^uint64(0) && base+64 <= len(ordinals) {
			for _, ordinal := range ordinals[base : base+64] {
				counts[ordinal]++
			}
			continue
		}
		for w != 0 {
			doc := base + bits.TrailingZeros64(w)
			w &= w - 1
			if doc < len(ordinals) {
				counts[ordinals[doc]]++
			}
		}
	}
}

// countMulti counts every distinct ordinal of a document once; a document's
// ordinals are distinct already.
func countMulti(column *columns.Ordinals, set *bitset.Bitset, counts []uint32) {
	w8, w16, w32 := column.Raw()
	starts := make([]uint32, columns.BlockSize+1)
	words := set.Words()
	const blockWords = columns.BlockSize / 64
	for block := 0; block*blockWords < len(words); block++ {
		in := words[block*blockWords : min((block+1)*blockWords, len(words))]
		if empty(in) {
			continue
		}
		docs := column.Starts(block, starts)
		for i, w := range in {
			for w != 0 {
				doc := i<<6 + bits.TrailingZeros64(w)
				w &= w - 1
				if doc >= docs {
					break
				}
				from, to := starts[doc], starts[doc+1]
				switch {
				case w8 != nil:
					for _, ordinal := range w8[from:to] {
						counts[ordinal]++
					}
				case w16 != nil:
					for _, ordinal := range w16[from:to] {
						counts[ordinal]++
					}
				default:
					for _, ordinal := range w32[from:to] {
						counts[ordinal]++
					}
				}
			}
		}
	}
}

func empty(words []uint64) bool {
	var any uint64
	for _, w := range words {
		any |= w
	}
	return any == 0
}

// Hits counts, per ordinal, the list values in items. With parents the column
// belongs to the documents, and every list value counts by what its document
// holds.
func Hits(column *columns.Ordinals, items, parents *bitset.Bitset) []uint32 {
	if parents == nil {
		return Documents(column, items)
	}
	counts := make([]uint32, column.Len())
	var ordinals []uint32
	parent := uint32(0)
	for i, w := range items.Words() {
		for ; w != 0; w &= w - 1 {
			if item := uint32(i<<6 + bits.TrailingZeros64(w)); item >= parent {
				parent = parents.Next(item)
				ordinals = column.Append(ordinals[:0], parent)
			}
			for _, ordinal := range ordinals {
				counts[ordinal]++
			}
		}
	}
	return counts
}
