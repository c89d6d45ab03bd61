// Package docset holds sets of documents of one segment: their representation, how they are
// built from terms, numbers and geo points, and a cache of them.
//
// A set is a bitset when dense and a sorted array when sparse, as in Roaring bitmaps (Chambi,
// Lemire, Kaser, Godin: Better bitmap performance with Roaring bitmaps, 2016), but the form is
// chosen once for the whole segment: walks choose their loop by the form of a set, not by the
// form of each block. A set never changes once it is built, so searches share it; a Cache keeps
// the sets of filters that recur. A Lazy set gathers the first documents of the segment at once
// and the rest when a search gets that far.
//
// Example, in a segment of 6,400 documents, where a set below 1/32 is sparse:
//
//	price < 10       2,000 documents   bitset of 100 words, 800 bytes
//	brand = acme        60 documents   array of 60 numbers, 240 bytes
//
// A walk over both takes the 60 of the array and looks up each in the bitset: 60 bit tests,
// however many documents the price matches.
//
// Sets, Lazy sets and Caches are safe for concurrent use.
package docset

import (
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// sparseShare: a set with less than 1/sparseShare of the documents of the segment is a sorted
// array, which takes 32 bits per document against one bit per document of the segment.
const sparseShare = 32

// Set is a set of documents of one segment, a bitset when dense and a sorted array when sparse.
// It never changes once built and may be shared.
type Set struct {
	words []uint64 // dense; nil when sparse
	docs  []uint32 // sparse, ascending
	count int
}

// FromBits returns the set of the documents of a bitset, which it takes over.
func FromBits(b *bitset.Bitset) *Set {
	count := b.Count()
	if count < int(b.Len())/sparseShare {
		return &Set{docs: extract(make([]uint32, 0, count), b.Words()), count: count}
	}
	return &Set{words: b.Words(), count: count}
}

// extract appends the documents of a bitset.
func extract(docs []uint32, words []uint64) []uint32 {
	for i, w := range words {
		for w != 0 {
			docs = append(docs, uint32(i<<6+bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
	return docs
}

// SortLimit is the largest number of documents that are sorted as an array. More documents are
// sorted by setting bits, which requires a walk over the bits of the segment.
func SortLimit(documents uint32) int { return max(256, int(documents/64)) }

// fewToSort is the largest number of documents that are sorted by comparison. In a very large
// segment, marks has a long upper level, all of which is walked.
func fewToSort(documents uint32) int { return max(16, int(documents>>17)) }

// FromDocs sorts docs, removes duplicates and takes the slice over. It does not write past the
// end of docs. The set becomes dense when docs are many for the segment.
func FromDocs(docs []uint32, documents uint32) *Set {
	if len(docs) > SortLimit(documents) {
		b := bitset.New(documents)
		for _, doc := range docs {
			b.Set(doc)
		}
		return FromBits(b)
	}
	if len(docs) <= fewToSort(documents) {
		slices.Sort(docs)
		docs = slices.Compact(docs)
	} else {
		m := newMarks(documents)
		m.add(docs)
		docs = m.take(docs[:0:len(docs)])
	}
	return &Set{docs: docs, count: len(docs)}
}

// fromSorted returns the set of docs, in ascending order, which it takes over.
func fromSorted(docs []uint32, documents uint32) *Set {
	if len(docs) < int(documents)/sparseShare {
		return &Set{docs: docs, count: len(docs)}
	}
	b := bitset.New(documents)
	for _, doc := range docs {
		b.Set(doc)
	}
	return &Set{words: b.Words(), count: len(docs)}
}

// CountUnion returns how many documents are in any of the sets. documents is the size of the
// segment.
func CountUnion(sets []*Set, documents uint32) int {
	var filled []*Set
	isSparse := true
	for _, set := range sets {
		if set.count > 0 {
			filled = append(filled, set)
			isSparse = isSparse && set.words == nil
		}
	}
	switch {
	case len(filled) == 0:
		return 0
	case len(filled) == 1:
		return filled[0].count
	case isSparse:
		union := filled[0].docs
		for _, set := range filled[1:] {
			union = merged(union, set.docs)
		}
		return len(union)
	}
	union := bitset.New(documents)
	for _, set := range filled {
		if set.words != nil {
			bitset.OrWords(union.Words(), set.words)
			continue
		}
		for _, doc := range set.docs {
			union.Set(doc)
		}
	}
	return union.Count()
}

// CountLive returns how many documents in any of the sets are live. It checks each document
// separately, so the sets should be small.
func CountLive(sets []*Set, live []uint64) int {
	var few [4][]uint32
	left := few[:0] // by set, the remaining documents
	for _, set := range sets {
		if set.count > 0 {
			left = append(left, set.Docs())
		}
	}
	n := 0
	for len(left) > 0 {
		doc := left[0][0]
		for _, docs := range left[1:] {
			doc = min(doc, docs[0])
		}
		n += int(live[doc>>6] >> (doc & 63) & 1)
		for i := len(left) - 1; i >= 0; i-- {
			if left[i][0] != doc {
				continue
			}
			if left[i] = left[i][1:]; len(left[i]) == 0 {
				left = slices.Delete(left, i, i+1)
			}
		}
	}
	return n
}

// merged returns the union of two lists in ascending order.
func merged(a, b []uint32) []uint32 {
	all := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		doc := min(a[0], b[0])
		if a[0] == doc {
			a = a[1:]
		}
		if b[0] == doc {
			b = b[1:]
		}
		all = append(all, doc)
	}
	return append(append(all, a...), b...)
}

// Bytes returns the approximate memory in use.
func (s *Set) Bytes() int64 { return int64(len(s.words))*8 + int64(len(s.docs))*4 + 64 }

// Has reports whether a document is in the set.
func (s *Set) Has(doc uint32) bool {
	if s.words != nil {
		w := int(doc >> 6)
		return w < len(s.words) && s.words[w]>>(doc&63)&1 != 0
	}
	at := s.search(doc)
	return at < len(s.docs) && s.docs[at] == doc
}

// Len returns the number of documents in the set.
func (s *Set) Len() int { return s.count }

// IsSparse reports whether the set is a sorted array.
func (s *Set) IsSparse() bool { return s.words == nil }

// Words returns the bits of a dense set, nil for a sparse one.
func (s *Set) Words() []uint64 { return s.words }

// Sparse returns the documents of a sparse set in ascending order, nil for a dense one.
func (s *Set) Sparse() []uint32 { return s.docs }

// SparseFrom returns Sparse without the documents before from.
func (s *Set) SparseFrom(from uint32) []uint32 { return s.docs[s.search(from):] }

// Docs returns the documents of the set in ascending order. Callers must not change them.
func (s *Set) Docs() []uint32 {
	if s.words == nil {
		return s.docs
	}
	return extract(make([]uint32, 0, s.count), s.words)
}

// AppendDocs appends the documents of the set in ascending order.
func (s *Set) AppendDocs(docs []uint32) []uint32 {
	if s.words == nil {
		return append(docs, s.docs...)
	}
	return extract(docs, s.words)
}

// First returns the first n documents of the set in ascending order, or all if it has fewer.
func (s *Set) First(n int) []uint32 {
	if s.words == nil {
		return s.docs[:min(n, len(s.docs))]
	}
	docs := make([]uint32, 0, min(n, s.count))
	for i, w := range s.words {
		for ; w != 0 && len(docs) < n; w &= w - 1 {
			docs = append(docs, uint32(i<<6+bits.TrailingZeros64(w)))
		}
		if len(docs) == n {
			break
		}
	}
	return docs
}

// Window sets out to the documents of the set in the window that starts at base.
func (s *Set) Window(base uint32, out *window.Bits) {
	if s.words != nil {
		out.Load(s.words, base)
		return
	}
	*out = window.Bits{}
	for i := s.search(base); i < len(s.docs) && s.docs[i]-base < window.Span; i++ {
		out.Set(s.docs[i] - base)
	}
}

func (s *Set) search(from uint32) int {
	return postings.LowerBound(s.docs, from)
}

// Next returns the first document not before from, or window.NoMore.
func (s *Set) Next(from uint32) uint32 {
	if s.words == nil {
		if i := s.search(from); i < len(s.docs) {
			return s.docs[i]
		}
		return window.NoMore
	}
	w := int(from >> 6)
	if w >= len(s.words) {
		return window.NoMore
	}
	if word := s.words[w] >> (from & 63); word != 0 {
		return from + uint32(bits.TrailingZeros64(word))
	}
	for w++; w < len(s.words); w++ {
		if s.words[w] != 0 {
			return uint32(w<<6 + bits.TrailingZeros64(s.words[w]))
		}
	}
	return window.NoMore
}
