package docset

import (
	"context"
	"math/bits"
	"sync"

	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Documents in any order are sorted by marking them in a bitmap of two levels (a
// hierarchical bitmap): a bit for each document, and above it one for each word that
// is not zero. What is marked is read and cleared in one walk over the words that the
// upper level names, so that repetitions go by themselves and the bitmap is empty
// again for the next use.
//
// Example: of a segment of 1,000,000 documents the words "winter", "window" and "wine"
// hold 900. The upper level has 15,625 bits, or 245 words; they name some 870 words of
// the lower one, which are read in order.

// marks is a bitmap of two levels. Both are zero between uses.
type marks struct {
	words  []uint64 // a bit for each document
	groups []uint64 // a bit for each of words that is not zero

	it  postings.Iterator // of addTerm
	few postings.FewDocs
}

var marksPool = sync.Pool{New: func() any { return new(marks) }}

// newMarks returns an empty bitmap of so many documents, which take gives back.
func newMarks(documents uint32) *marks {
	m := marksPool.Get().(*marks)
	if n := int(documents>>12) + 1; n > len(m.groups) {
		m.words, m.groups = make([]uint64, 64*n), make([]uint64, n)
	}
	return m
}

// add marks documents. Those that the segment cannot have, as of damaged terms, are
// left out.
func (m *marks) add(docs []uint32) {
	words, groups := m.words, m.groups
	for _, doc := range docs {
		if at := int(doc >> 12); at < len(groups) {
			groups[at] |= 1 << (doc >> 6 & 63)
			words[doc>>6] |= 1 << (doc & 63)
		}
	}
}

// addTerm marks the documents of a term below a limit and returns how many these are.
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

// addTerms marks the documents of terms below a limit and returns how many these are,
// those of several terms as often. It ends early with the context's error.
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

// take appends the marked documents, rising, and gives the bitmap back empty. dst must
// have the capacity for them. Most words have one document or two: the second is written without
// asking whether there is one, which a processor cannot guess.
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

// drop gives the bitmap back empty.
func (m *marks) drop() {
	clear(m.words)
	clear(m.groups)
	marksPool.Put(m)
}
