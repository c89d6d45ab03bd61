package match

import (
	"sync"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

const (
	// headMatches is how many documents the first part of a lazy set holds,
	// about: enough for a page and a count of its hits.
	headMatches = 2048
	// maxLazyTerms bounds the terms that are gathered without looking at the
	// clock.
	maxLazyTerms = 4096
)

// lazySet is the documents that hold any of many terms. The first documents of
// the segment are gathered at once, the others when they are asked for: words
// typed in part all score the same, so the first matches are mostly enough.
// Any number of goroutines may use it.
type lazySet struct {
	field     *terms.Field
	entries   []terms.Entry
	documents uint32
	total     int    // documents of all terms, those of several as often
	limit     uint32 // of the first part, a multiple of Span
	head      *Set

	mu   sync.Mutex
	full *Set
}

// newLazySet returns nil when gathering everything at once is as good.
func newLazySet(field *terms.Field, entries []terms.Entry, documents uint32) *lazySet {
	s := &lazySet{field: field, entries: entries, documents: documents}
	for _, e := range entries {
		s.total += int(e.DocFreq)
	}
	if len(entries) > maxLazyTerms || s.total <= maxRated {
		return nil
	}
	limit := (uint64(documents)*headMatches/uint64(s.total) | (Span - 1)) + 1
	if limit > uint64(documents)/2 {
		return nil
	}
	s.limit = uint32(limit)
	var it postings.Iterator
	var docs []uint32
	for _, e := range entries {
		field.Iterator(&it, e)
		for it.NextBlock() && it.FirstDoc() < s.limit {
			found := it.Docs()
			if it.LastDoc() >= s.limit {
				found = found[:window.Gallop(found, 0, s.limit)]
			}
			docs = append(docs, found...)
		}
	}
	s.head = newSparseSet(docs, documents)
	return s
}

// bytes is about the memory that the set may come to use.
func (s *lazySet) bytes() int64 {
	return int64(len(s.entries))*entryBytes + s.head.Bytes() + int64(min(s.total*4, int(s.documents)/8))
}

// all returns the whole set.
func (s *lazySet) all() *Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full == nil {
		all := bitset.New(s.documents)
		var it postings.Iterator
		for _, e := range s.entries {
			s.field.Iterator(&it, e)
			if it.NextBlock() {
				it.IntoBitset(all.Words(), 0)
			}
		}
		s.full = newSet(all)
	}
	return s.full
}

// lazyStep matches a lazy set.
type lazyStep struct{ set *lazySet }

func (s lazyStep) run(base uint32, in, out *Bits, _ *Sums) {
	if base < s.set.limit {
		s.set.head.window(base, out)
	} else {
		s.set.all().window(base, out)
	}
	out.And(in)
}

func (s lazyStep) bound(_, _ uint32) float64 { return 0 }

func (s lazyStep) next(from uint32) uint32 {
	if from < s.set.limit {
		if n := s.set.head.next(from); n != NoMore {
			return n
		}
		from = s.set.limit
	}
	return s.set.all().next(from)
}

func (s lazyStep) cost() int { return min(s.set.total, int(s.set.documents)) }
