// Package bitset implements sets of document numbers as dense bits.
//
// A Bitset has a fixed length; bits at and beyond it are always zero, so whole
// words can be combined and counted without masks. Words() is the raw view for
// loops over words.
//
// Invariants:
//
//	B1  Bits beyond Len in the last word are zero.
//
// A Bitset is safe for concurrent reading while it is not being changed.
package bitset

import (
	"encoding/binary"
	"io"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/invariant"
)

// Bitset is a set of numbers below Len. The zero value is empty with length 0.
type Bitset struct {
	words []uint64
	n     uint32
}

// New returns an empty set of numbers below n.
func New(n uint32) *Bitset {
	return &Bitset{words: make([]uint64, WordsFor(n)), n: n}
}

// NewFull returns the set of all numbers below n.
func NewFull(n uint32) *Bitset {
	b := New(n)
	b.SetRange(0, n)
	return b
}

// WordsFor returns the number of words for n bits.
func WordsFor(n uint32) int { return int((uint64(n) + 63) / 64) }

// FromWords returns a set over words, which it keeps. There must be exactly
// WordsFor(n) of them; bits beyond n are cleared in place.
func FromWords(words []uint64, n uint32) *Bitset {
	invariant.Check(len(words) == WordsFor(n), "B1: %d words for %d bits", len(words), n)
	b := &Bitset{words: words, n: n}
	if n%64 != 0 && words[len(words)-1]>>(n%64) != 0 {
		words[len(words)-1] &= 1<<(n%64) - 1
	}
	return b
}

// Len returns the length: one more than the highest number that the set can hold.
func (b *Bitset) Len() uint32 { return b.n }

// Words returns the raw content, lowest numbers first.
func (b *Bitset) Words() []uint64 { return b.words }

// Get reports whether i is in the set; numbers beyond Len are not.
func (b *Bitset) Get(i uint32) bool {
	w := int(i >> 6)
	return w < len(b.words) && b.words[w]>>(i&63)&1 != 0
}

// Set adds i, which must be below Len.
func (b *Bitset) Set(i uint32) {
	invariant.Check(i < b.n, "B1: set %d of %d", i, b.n)
	b.words[i>>6] |= 1 << (i & 63)
}

// Clear removes i, which must be below Len.
func (b *Bitset) Clear(i uint32) { b.words[i>>6] &^= 1 << (i & 63) }

// SetRange adds all numbers in [from, to).
func (b *Bitset) SetRange(from, to uint32) {
	to = min(to, b.n)
	if from >= to {
		return
	}
	first, last := from>>6, (to-1)>>6
	head := ^uint64(0) << (from & 63)
	tail := ^uint64(0) >> (63 - (to-1)&63)
	if first == last {
		b.words[first] |= head & tail
		return
	}
	b.words[first] |= head
	for w := first + 1; w < last; w++ {
		b.words[w] = ^uint64(0)
	}
	b.words[last] |= tail
}

// Count returns the number of members.
func (b *Bitset) Count() int { return CountWords(b.words) }

// CountRange returns the number of members in [from, to).
func (b *Bitset) CountRange(from, to uint32) int {
	to = min(to, b.n)
	if from >= to {
		return 0
	}
	first, last := from>>6, (to-1)>>6
	head := ^uint64(0) << (from & 63)
	tail := ^uint64(0) >> (63 - (to-1)&63)
	if first == last {
		return bits.OnesCount64(b.words[first] & head & tail)
	}
	n := bits.OnesCount64(b.words[first]&head) + bits.OnesCount64(b.words[last]&tail)
	return n + CountWords(b.words[first+1:last])
}

// Next returns the lowest member not below i, or Len when there is none.
func (b *Bitset) Next(i uint32) uint32 {
	w := int(i >> 6)
	if w >= len(b.words) {
		return b.n
	}
	if word := b.words[w] >> (i & 63); word != 0 {
		return i + uint32(bits.TrailingZeros64(word))
	}
	for w++; w < len(b.words); w++ {
		if word := b.words[w]; word != 0 {
			return uint32(w<<6 + bits.TrailingZeros64(word))
		}
	}
	return b.n
}

// NextAbsent returns the lowest number not below i that is not in the set, or Len
// when there is none.
func (b *Bitset) NextAbsent(i uint32) uint32 {
	w := int(i >> 6)
	if w >= len(b.words) {
		return b.n
	}
	if word := ^b.words[w] >> (i & 63); word != 0 {
		return min(i+uint32(bits.TrailingZeros64(word)), b.n)
	}
	w++
	for ; w+8 <= len(b.words); w += 8 { // sets for which this is called are mostly almost full
		eight := b.words[w : w+8 : w+8]
		if eight[0]&eight[1]&eight[2]&eight[3]&eight[4]&eight[5]&eight[6]&eight[7] != 1<<64-1 {
			break
		}
	}
	for ; w < len(b.words); w++ {
		if word := ^b.words[w]; word != 0 {
			return min(uint32(w<<6+bits.TrailingZeros64(word)), b.n)
		}
	}
	return b.n
}

// Previous returns the highest member not above i, or -1 when there is none.
func (b *Bitset) Previous(i uint32) int64 {
	if b.n == 0 {
		return -1
	}
	i = min(i, b.n-1)
	w := int(i >> 6)
	if word := b.words[w] << (63 - i&63); word != 0 {
		return int64(i) - int64(bits.LeadingZeros64(word))
	}
	for w--; w >= 0; w-- {
		if word := b.words[w]; word != 0 {
			return int64(w<<6 + 63 - bits.LeadingZeros64(word))
		}
	}
	return -1
}

// And removes all numbers that are not in other. Both sets must have the same
// length.
func (b *Bitset) And(other *Bitset) { AndWords(b.words, other.words) }

// Flip replaces the set by its complement among the numbers below Len.
func (b *Bitset) Flip() {
	for i := range b.words {
		b.words[i] = ^b.words[i]
	}
	if b.n%64 != 0 {
		b.words[len(b.words)-1] &= 1<<(b.n%64) - 1
	}
}

// Clone returns a copy with memory of its own.
func (b *Bitset) Clone() *Bitset {
	return &Bitset{words: append([]uint64(nil), b.words...), n: b.n}
}

// Equal reports whether both hold the same numbers and have the same length.
func (b *Bitset) Equal(other *Bitset) bool {
	if b.n != other.n {
		return false
	}
	for i, w := range b.words {
		if other.words[i] != w {
			return false
		}
	}
	return true
}

// AppendTo appends the members in [from, to).
func (b *Bitset) AppendTo(dst []uint32, from, to uint32) []uint32 {
	for i := b.Next(from); i < to && i < b.n; i = b.Next(i + 1) {
		dst = append(dst, i)
	}
	return dst
}

// AppendBytes appends the words in little-endian order.
func (b *Bitset) AppendBytes(dst []byte) []byte {
	dst = slices.Grow(dst, 8*len(b.words))
	for _, w := range b.words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// WriteTo writes the output of AppendBytes in parts.
func (b *Bitset) WriteTo(w io.Writer) (written int64, err error) {
	var part [4096]byte
	for words := range slices.Chunk(b.words, len(part)/8) {
		for i, word := range words {
			binary.LittleEndian.PutUint64(part[8*i:], word)
		}
		n, err := w.Write(part[:8*len(words)])
		if written += int64(n); err != nil {
			return written, err
		}
	}
	return written, nil
}

// FromBytes decodes a set of numbers below n from the output of AppendBytes. It
// returns false when the length does not match or a bit beyond n is set.
func FromBytes(data []byte, n uint32) (*Bitset, bool) {
	if len(data) != WordsFor(n)*8 {
		return nil, false
	}
	b := New(n)
	for i := range b.words {
		b.words[i] = binary.LittleEndian.Uint64(data[i*8:])
	}
	if n%64 != 0 && b.words[len(b.words)-1]>>(n%64) != 0 {
		return nil, false
	}
	return b, true
}

// AndWords does dst &= src over the shorter length.
func AndWords(dst, src []uint64) {
	src = src[:min(len(src), len(dst))]
	dst = dst[:len(src)]
	for i, w := range src {
		dst[i] &= w
	}
}

// OrWords does dst |= src over the shorter length.
func OrWords(dst, src []uint64) {
	src = src[:min(len(src), len(dst))]
	dst = dst[:len(src)]
	for i, w := range src {
		dst[i] |= w
	}
}
