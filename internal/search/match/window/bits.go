// Package window holds the arrays that a search combines: the documents of one window as bits,
// their scores as a dense array, batches of documents with scores, and the kernels over them
// and over sorted lists of documents.
//
// A segment is evaluated one window of Span documents at a time (vectorized execution: Boncz,
// Zukowski, Nes: MonetDB/X100, CIDR 2005). The matches of a window are 64 machine words and its
// scores fill the first-level cache, so clauses combine word by word and nothing is called per
// document. Each kernel has a generic form and, for processors with wide compares, one in
// assembly; tests check that both give the same results.
//
// Example, with a window of 8 documents that starts at document 16:
//
//	red                     {17, 19, 22}      bits 0101 0010
//	shoe                    {19, 20, 22}      bits 0001 1010 (bit 0 on the left)
//	And                     {19, 22}          bits 0001 0010
//	sums of red + shoe      0 1.2 0 2.5 0.9 0 2.1 0
//	Above(2.2)              {19}              bits 0001 0000
//
// Bits, Sums and a Batch belong to one goroutine; the functions are safe for concurrent use.
package window

import (
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
)

// Span is the number of documents in a window: its scores fill the first-level cache and its
// matches are 64 machine words.
const Span = 4096

// Words is the number of machine words of a window's bits.
const Words = Span / 64

// NoMore is above every document and stands for the end of a list.
const NoMore = ^uint32(0)

// Bits is a set of documents of one window; the first document of the window is bit 0 of word
// 0.
type Bits [Words]uint64

// Sums holds the scores of the documents of one window, in double precision, so that the order
// of adding does not show in the rounded score.
type Sums [Span]float64

// Has reports whether the i-th document of the window is in the set.
func (b *Bits) Has(i uint32) bool { return b[i>>6&(Words-1)]&(1<<(i&63)) != 0 }

// Set adds the i-th document of the window.
func (b *Bits) Set(i uint32) { b[i>>6&(Words-1)] |= 1 << (i & 63) }

// Count returns the number of documents in the set.
func (b *Bits) Count() int { return bitset.CountWords(b[:]) }

// Empty reports whether no document is in the set.
func (b *Bits) Empty() bool {
	var any uint64
	for _, w := range b {
		any |= w
	}
	return any == 0
}

// Or adds the documents of other.
func (b *Bits) Or(other *Bits) {
	for i := range b {
		b[i] |= other[i]
	}
}

// And keeps the documents that are in other too.
func (b *Bits) And(other *Bits) {
	for i := range b {
		b[i] &= other[i]
	}
}

// AndNot removes the documents of other.
func (b *Bits) AndNot(other *Bits) {
	for i := range b {
		b[i] &^= other[i]
	}
}

// Fill adds the documents from up to but not including to.
func (b *Bits) Fill(from, to uint32) {
	if from >= to {
		return
	}
	first, last := from>>6, (to-1)>>6
	head := ^uint64(0) << (from & 63)
	tail := ^uint64(0) >> (63 - (to-1)&63)
	if first == last {
		b[first] |= head & tail
		return
	}
	b[first] |= head
	for i := first + 1; i < last; i++ {
		b[i] = ^uint64(0)
	}
	b[last] |= tail
}

// Append appends the indexes in the window of the documents in the set, in ascending order.
func (b *Bits) Append(dst []uint16) []uint16 {
	for i, w := range b {
		for w != 0 {
			dst = append(dst, uint16(i<<6+bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
	return dst
}

// AppendDocs appends the documents in the set of the window that starts at base, in ascending
// order. Most words hold at most two documents: these are written without branches, which the
// processor could not predict.
func (b *Bits) AppendDocs(dst []uint32, base uint32) []uint32 {
	at := len(dst)
	dst = slices.Grow(dst, b.Count()+1)
	dst = dst[:cap(dst)]
	for i, w := range b {
		first := base + uint32(i<<6)
		dst[at] = first + uint32(bits.TrailingZeros64(w))
		at += int((w | -w) >> 63) // whether there is one
		w &= w - 1
		dst[at] = first + uint32(bits.TrailingZeros64(w))
		at += int((w | -w) >> 63)
		for w &= w - 1; w != 0; w &= w - 1 {
			dst[at] = first + uint32(bits.TrailingZeros64(w))
			at++
		}
	}
	return dst[:at]
}

// Load copies the window that starts at base from words, the bits of a whole segment. Documents
// past the end are absent.
func (b *Bits) Load(words []uint64, base uint32) {
	at := int(base >> 6)
	if at >= len(words) {
		*b = Bits{}
		return
	}
	n := copy(b[:], words[at:])
	clear(b[n:])
}
