// Package facet counts the values of a field over sets of documents.
//
// Segments are counted by ordinal, into arrays, as a whole or by ranges of documents:
// CountDocuments counts documents, CountValues counts documents by their list values, CountHits
// counts list values that are hits themselves. Merge adds up the counts of all segments by
// value. The result is Counts, in ascending order of values, from which List, Tree and Buckets
// make what an answer shows.
//
// Everything here is a pure function over segment readers and safe for concurrent use.
package facet

import (
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// countSet counts the documents of a set in a range, document by document.
func countSet(column *columns.Ordinals, set *bitset.Bitset, from, to uint32, counts []uint32) {
	countFlipped(column, set, from, to, 0, counts)
}

// countLacked is countSet for the documents missing from a set.
func countLacked(column *columns.Ordinals, set *bitset.Bitset, from, to uint32, counts []uint32) {
	countFlipped(column, set, from, to, ^uint64(0), counts)
}

// countFlipped counts the documents of a set whose words are first XORed with flip: with 0 the
// documents in the set, with all ones those missing from it.
func countFlipped(column *columns.Ordinals, set *bitset.Bitset, from, to uint32, flip uint64, counts []uint32) {
	words := set.Words()[from/64 : bitset.WordsFor(to)]
	if column.Multi() {
		countMulti(column, words, from, flip, counts)
	} else {
		w8, w16, w32 := column.Raw()
		switch {
		case w8 != nil:
			countSingle(behind(w8, from), words, flip, counts)
		case w16 != nil:
			countSingle(behind(w16, from), words, flip, counts)
		default:
			countSingle(behind(w32, from), words, flip, counts)
		}
	}
}

// behind returns the ordinals of the documents that are not before from.
func behind[T uint8 | uint16 | uint32](ordinals []T, from uint32) []T {
	return ordinals[min(int(from), len(ordinals)):]
}

// countDocs counts a list of documents.
func countDocs(column *columns.Ordinals, docs, counts []uint32) {
	w8, w16, w32 := column.Raw()
	switch {
	case column.Multi():
		var several []uint32
		for _, doc := range docs {
			several = column.Append(several[:0], doc)
			for _, ordinal := range several {
				counts[ordinal+1]++
			}
		}
	case w8 != nil:
		countEach(w8, docs, counts)
	case w16 != nil:
		countEach(w16, docs, counts)
	default:
		countEach(w32, docs, counts)
	}
}

func countEach[T uint8 | uint16 | uint32](ordinals []T, docs, counts []uint32) {
	for _, doc := range docs {
		if int(doc) < len(ordinals) {
			counts[ordinals[doc]]++
		}
	}
}

// countMulti counts every ordinal of a document once; a document's ordinals are distinct
// already. words begin with the document from, which begins a block.
func countMulti(column *columns.Ordinals, words []uint64, from uint32, flip uint64, counts []uint32) {
	w8, w16, w32 := column.Raw()
	starts := make([]uint32, columns.BlockSize+1)
	const blockWords = columns.BlockSize / 64
	for block := 0; block*blockWords < len(words); block++ {
		in := words[block*blockWords : min((block+1)*blockWords, len(words))]
		if !slices.ContainsFunc(in, func(w uint64) bool { return w != flip }) {
			continue
		}
		docs := column.Starts(int(from/columns.BlockSize)+block, starts)
		for i, w := range in {
			for w ^= flip; w != 0; {
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

// countHits counts the list values of a range by the values of their documents.
func countHits(column *columns.Ordinals, items, parents *bitset.Bitset, from, to uint32, counts []uint32) {
	var ordinals []uint32
	parent := from
	for i, w := range items.Words()[from/64 : bitset.WordsFor(to)] {
		for ; w != 0; w &= w - 1 {
			if item := from + uint32(i<<6+bits.TrailingZeros64(w)); item >= parent {
				parent = parents.Next(item)
				ordinals = column.Append(ordinals[:0], parent)
			}
			for _, ordinal := range ordinals {
				counts[ordinal+1]++
			}
		}
	}
}
