package match

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Champion lists (Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008,
// section 7.1.3). The documents of a reading differ only by their length, and a shorter one
// never scores less: the best documents of a reading are its shortest, whatever else a search
// asks for. They are kept with the expansion of the word, so that a search visits some hundred
// documents instead of all documents of very many terms.
//
// Example: "canoon" stands for "canon", which 900 documents hold: 40 with three words, 60 with
// four, 300 with five, the others longer. The list takes whole lengths until it has 128
// documents, of the last length the first 128: 40 + 60 + 128. A search for the ten best knows
// that ten documents reach the score of three words and that all documents left out have five
// words or more. It takes the first ten of the 40, as the others rank after these.

// championCount is the minimum length of a champion list, if there are as many documents; most
// pages have fewer hits.
const championCount = 128

// champions holds the best documents of a reading in one field. It never changes.
type champions struct {
	docs  []uint32 // in ascending order
	codes []byte   // their length bytes; nil when all score the same
	order []uint8  // indexes in docs, the shortest document first; nil when all score the same
	rest  int      // the least length byte of the documents left out; noRest when there are none
}

// noRest is above every length byte.
const noRest = 256

// at returns the index in docs of the i-th best document, and its length byte, 0 when all score
// the same.
func (c *champions) at(i int) (place int, code byte) {
	if c.codes == nil {
		return i, 0
	}
	return int(c.order[i]), c.codes[c.order[i]]
}

// selection holds the buffers for choosing champions.
type selection struct {
	docs   []uint32 // of a reading, in ascending order
	codes  []byte   // their length bytes
	places []uint32 // indexes of those no longer than the longest champions
	it     postings.Iterator
}

var selections = sync.Pool{New: func() any { return new(selection) }}

// maxKeptDocs bounds the buffers that return to the pool, in documents.
const maxKeptDocs = 1 << 16

// free returns the buffers to the pool.
func (s *selection) free() {
	if cap(s.docs) <= maxKeptDocs && cap(s.codes) <= maxKeptDocs {
		selections.Put(s)
	}
}

// shortest returns the champions of docs, which are in ascending order.
func (s *selection) shortest(docs []uint32, lengths []byte) *champions {
	var counts [noRest]int
	s.codes = slices.Grow(s.codes[:0], len(docs))
	s.places = slices.Grow(s.places[:0], len(docs))
	codes, places := s.codes[:len(docs)], s.places[:len(docs)]
	for i, doc := range docs {
		code := lengthOf(lengths, doc)
		codes[i] = code
		counts[code]++
	}
	last, total := 0, 0
	for ; last < noRest-1; last++ {
		if total += min(counts[last], championCount); total >= championCount {
			break
		}
	}
	c := &champions{docs: make([]uint32, 0, total), codes: make([]byte, 0, total), rest: last}
	if counts[last] <= championCount {
		for c.rest++; c.rest < noRest && counts[c.rest] == 0; c.rest++ {
		}
	}
	kept, last32 := 0, uint32(last)
	for i, code := range codes { // without branches, which the processor could not predict
		places[kept] = uint32(i)
		kept += int((uint32(code) - last32 - 1) >> 31) // code ≤ last
	}
	left := championCount // of the longest length
	for _, i := range places[:kept] {
		code := codes[i]
		if int(code) == last {
			if left--; left < 0 {
				continue
			}
		}
		c.docs, c.codes = append(c.docs, docs[i]), append(c.codes, code)
	}
	next := 0
	for code, n := range counts[:last+1] { // a counting sort
		counts[code], next = next, next+n
	}
	c.order = make([]uint8, len(c.docs))
	for place, code := range c.codes {
		c.order[counts[code]] = uint8(place)
		counts[code]++
	}
	return c
}

// first returns the champions of documents that all score the same; total is their number, of
// which docs may be only the first.
func first(docs []uint32, total int) *champions {
	c := &champions{docs: docs[:min(len(docs), championCount)], rest: noRest}
	if len(c.docs) < total {
		c.rest = 0
	}
	return c
}

// championLists holds the champions of an expansion, computed on first use: by distance, and
// then for documents scored by length and for documents that all score the same.
type championLists [3][2]atomic.Pointer[champions]

// championBytes bounds the memory of the champions of one distance.
const championBytes = 2 * championCount * (4 + 1 + 1)

// champions returns the best documents of a word at a distance.
func (e *expansion) champions(field *terms.Field, distance int, isFlat bool, documents uint32) *champions {
	kept := &e.best[distance][0]
	if isFlat {
		kept = &e.best[distance][1]
	}
	c := kept.Load()
	if c != nil {
		return c
	}
	switch {
	case isFlat && e.lazy != nil:
		c = first(e.lazy.Head().First(championCount), e.lazy.Total())
	case isFlat && e.sets != nil:
		c = first(e.sets[distance].First(championCount), e.sets[distance].Len())
	case isFlat:
		c = first(e.firstOfTerms(field, distance, documents), int(e.holders[distance]))
	default:
		c = e.shortest(field, distance, documents)
	}
	kept.Store(c)
	return c
}

// shortest returns the shortest documents of a word at a distance.
func (e *expansion) shortest(field *terms.Field, distance int, documents uint32) *champions {
	s := selections.Get().(*selection)
	defer s.free()
	switch {
	case e.lazy != nil:
		return s.shortest(s.docsOf(e.lazy.All()), field.Lengths())
	case e.sets != nil:
		return s.shortest(s.docsOf(e.sets[distance]), field.Lengths())
	}
	return s.shortest(s.docsOfTerms(field, e.terms[distance], documents), field.Lengths())
}

// firstOfTerms returns the first documents that hold a term at a distance. They are among the
// first of each term.
func (e *expansion) firstOfTerms(field *terms.Field, distance int, documents uint32) []uint32 {
	var docs []uint32
	var it postings.Iterator
	for _, entry := range e.terms[distance] {
		field.Iterator(&it, entry)
		for left := championCount; left > 0 && it.NextBlock(); {
			found := it.Docs()
			found = found[:min(left, len(found))]
			docs, left = append(docs, found...), left-len(found)
		}
	}
	return docset.FromDocs(docs, documents).Docs()
}

// docsOf returns the documents of a set. Callers must not change them.
func (s *selection) docsOf(set *docset.Set) []uint32 {
	if set.IsSparse() {
		return set.Sparse()
	}
	s.docs = set.AppendDocs(slices.Grow(s.docs[:0], set.Len()))
	return s.docs
}

// docsOfTerms returns the documents of terms. Callers must not change them.
func (s *selection) docsOfTerms(field *terms.Field, entries []terms.Entry, documents uint32) []uint32 {
	total := 0
	for _, entry := range entries {
		total += int(min(entry.DocFreq, documents)) // damaged terms may claim any number
	}
	field.PrefetchPostings(entries)
	docs := slices.Grow(s.docs[:0], total)
	for _, entry := range entries {
		field.Iterator(&s.it, entry)
		for s.it.NextBlock() {
			docs = append(docs, s.it.Docs()...)
		}
	}
	if s.docs = docs; len(entries) == 1 {
		return docs
	}
	return docset.FromDocs(docs, documents).Docs()
}
