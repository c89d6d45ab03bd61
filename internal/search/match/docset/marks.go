package docset

import (
	"context"
	"math/bits"
	"sync"

	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Documents in any order are sorted by marking them in a bitmap of two levels (a hierarchical
// bitmap): a bit for each document, and above it one for each nonzero word. One walk over the
// words that the upper level names reads and clears the marks, so duplicates disappear and the
// bitmap is empty for the next use.
//
// Example: in a segment of 1,000,000 documents, the words "winter", "window" and "wine" have
// 900 documents. The upper level has 15,625 bits, or 245 words; they name some 870 words of the
// lower level, which are read in order.

// marks is a bitmap of two levels. Both are zero between uses.
type marks struct {
	words  []uint64 // a bit for each document
	groups []uint64 // a bit for each nonzero word of words

	it  postings.Iterator // of addTerm
	few postings.FewDocs
}

var marksPool = sync.Pool{New: func() any { return new(marks) }}

// newMarks returns an empty bitmap for documents documents, which take or drop returns to the
// pool.
func newMarks(documents uint32) *marks {
	m := marksPool.Get().(*marks)
	if n := int(documents>>12) + 1; n > len(m.groups) {
		m.words, m.groups = make([]uint64, 64*n), make([]uint64, n)
	}
	return m
}

// add marks documents. It ignores documents that the segment cannot have, as in damaged terms.
func (m *marks) add(docs []uint32) {
	words, groups := m.words, m.groups
	for _, doc := range docs {
		if at := int(doc >> 12); at < len(groups) {
			groups[at] |= 1 << (doc >> 6 & 63)
			words[doc>>6] |= 1 << (doc & 63)
		}
	}
}

// addTerm marks the documents of a term below a limit and returns their number.
func (m *marks) addTerm(field *terms.Field, e terms.Entry, limit uint32) (n int) {
	if n = field.FewDocs(e, &m.few); n > 0 {
		docs := m.few[:n]
		for n > 0 && docs[n-1] >= limit {
			n--
		}
		m.add(docs[:n])
		return n
	}
	it := &m.it
	field.Iterator(it, e)
	for it.NextBlock() && it.FirstDoc() < limit {
		docs := it.Docs()
		if it.LastDoc() >= limit {
			docs = docs[:postings.LowerBound(docs, limit)]
		}
		m.add(docs)
		n += len(docs)
	}
	return n
}

// addTerms marks the documents of terms below a limit and returns their number; a document with
// several terms counts for each. It stops early with the context's error.
func (m *marks) addTerms(ctx context.Context, field *terms.Field, entries []terms.Entry, limit uint32) (n int, err error) {
	for i, e := range entries {
		prefetch(field, entries, i)
		if err := stopped(ctx, i); err != nil {
			return n, err
		}
		n += m.addTerm(field, e, limit)
	}
	return n, nil
}

// take appends the marked documents in ascending order and returns the empty bitmap to the
// pool. dst must have the capacity for them. Most words have one or two documents: the second
// is written without a branch, which the processor could not predict.
func (m *marks) take(dst []uint32) []uint32 {
	at, dst := len(dst), dst[:cap(dst)]
	for i, group := range m.groups {
		if group == 0 {
			continue
		}
		m.groups[i] = 0
		words := (*[64]uint64)(m.words[64*i:])
		for ; group != 0; group &= group - 1 {
			number := bits.TrailingZeros64(group) & 63
			base, w := uint32(i<<12+number<<6), words[number]
			words[number] = 0
			dst[at] = base + uint32(bits.TrailingZeros64(w))
			at++
			if w &= w - 1; at < len(dst) {
				dst[at] = base + uint32(bits.TrailingZeros64(w))
			}
			at += int((w | -w) >> 63) // whether there is a second
			for w &= w - 1; w != 0; w &= w - 1 {
				dst[at] = base + uint32(bits.TrailingZeros64(w))
				at++
			}
		}
	}
	marksPool.Put(m)
	return dst[:at]
}

// drop clears the bitmap and returns it to the pool.
func (m *marks) drop() {
	clear(m.words)
	clear(m.groups)
	marksPool.Put(m)
}
