package docset

import (
	"context"
	"sync"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

const (
	// headMatches is the approximate number of documents in the first part of a lazy set:
	// enough for a page of hits and their count.
	headMatches = 2048
	// maxLazyTerms bounds the terms that are gathered without checking the context.
	maxLazyTerms = 4096
)

// Lazy is the set of documents that hold any of many terms. The first documents of the segment
// are gathered at once, the rest on demand: matches of words typed in part all score the same,
// so the first ones are mostly enough.
//
// Example: 60 words start with "com" and have 40,000 documents of a segment of 1,000,000. About
// 2,048 of them are among the first 51,200 documents: those are gathered, and a page of hits is
// found without the other 38,000.
type Lazy struct {
	field     *terms.Field
	entries   []terms.Entry
	documents uint32
	total     int    // documents of all terms; one with several terms counts for each
	limit     uint32 // end of the first part, a multiple of window.Span
	head      *Set

	mu   sync.Mutex
	full *Set
}

// NewLazy returns a lazy set, or nil if gathering everything at once is as good.
func NewLazy(field *terms.Field, entries []terms.Entry, documents uint32) *Lazy {
	s := &Lazy{field: field, entries: entries, documents: documents}
	for _, e := range entries {
		s.total += int(e.DocFreq)
	}
	if len(entries) > maxLazyTerms {
		return nil
	}
	limit := (uint64(documents)*headMatches/uint64(s.total) | (window.Span - 1)) + 1
	if limit > uint64(documents)/2 {
		return nil
	}
	s.limit = uint32(limit)
	m := newMarks(documents)
	held, _ := m.addTerms(context.Background(), field, entries, s.limit)
	s.head = fromSorted(m.take(make([]uint32, 0, held)), documents)
	return s
}

// entryBytes is the memory of a dictionary entry.
const entryBytes = 16

// Bytes returns the approximate memory that the set may come to use.
func (s *Lazy) Bytes() int64 {
	return int64(len(s.entries))*entryBytes + s.head.Bytes() + int64(min(s.total*4, int(s.documents)/8))
}

// All returns the whole set.
func (s *Lazy) All() *Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full == nil {
		all := bitset.New(s.documents)
		var it postings.Iterator
		for i, e := range s.entries {
			prefetch(s.field, s.entries, i)
			s.field.Iterator(&it, e)
			if it.NextBlock() {
				it.IntoBitset(all.Words(), 0)
			}
		}
		s.full = FromBits(all)
	}
	return s.full
}

// Head returns the first part of the set.
func (s *Lazy) Head() *Set { return s.head }

// Total returns how many documents the terms hold; a document that holds several of them counts
// for each.
func (s *Lazy) Total() int { return s.total }

// Cost returns the approximate number of documents in the set.
func (s *Lazy) Cost() int { return min(s.total, int(s.documents)) }

// Window sets out to the documents of the set in the window that starts at base.
func (s *Lazy) Window(base uint32, out *window.Bits) {
	if base < s.limit {
		s.head.Window(base, out)
	} else {
		s.All().Window(base, out)
	}
}

// Has reports whether a document is in the set.
func (s *Lazy) Has(doc uint32) bool {
	if doc < s.limit {
		return s.head.Has(doc)
	}
	return s.All().Has(doc)
}

// Next returns the first document not before from, or window.NoMore.
func (s *Lazy) Next(from uint32) uint32 {
	if from < s.limit {
		if n := s.head.Next(from); n != window.NoMore {
			return n
		}
		from = s.limit
	}
	return s.All().Next(from)
}
