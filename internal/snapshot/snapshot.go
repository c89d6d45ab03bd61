// Package snapshot is one consistent view of a generation: its segments, which of
// their documents are live, and the signal values refreshed since the segments were
// written.
//
// A search takes a Snapshot, runs, and releases it. A commit or a merge makes a new
// one; files are removed when the last snapshot that names them is released.
//
// Invariants:
//
//	SN1  A Snapshot and everything it holds never changes while it is referenced.
//	SN2  A key is live in at most one document of a snapshot.
//	SN3  The documents of a segment have consecutive global numbers from Base on;
//	     the ranges of consecutive segments have no gaps between them.
//	SN4  A list value is live exactly when its document is.
//	SN5  A document keeps its standing until it is written again; standings
//	     ascend with the global numbers.
//	SN6  The words of live documents are overwritten only after the last snapshot
//	     that shows them is released.
//	SN7  Documents and Deleted of a Segment equal the counts of its bits.
//
// A Snapshot is safe for concurrent use while a reference is held.
package snapshot

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Segment is one segment as a commit shows it.
type Segment struct {
	Reader *segment.Reader
	Live   *bitset.Bitset // documents and list values that are not deleted; nil = all
	Base   uint32         // global number of document 0
	First  uint64         // standing of the segment in the order of the index; set before New
	// Documents is the number of live documents, list values not counted.
	Documents int
	Deleted   int // documents and list values that are not live

	signals map[string]*Overlay
	live    *liveDocs // of which Live are the bits; nil = all
	keys    *keyOrder
	byKey   atomic.Pointer[terms.Field] // the dictionary of keys, once it was used
}

// NewSegment returns the view of a segment and counts its live documents. It takes
// over one reference of the reader, and live, which no other view except earlier
// may share. earlier, if not nil, is a view of the same reader, whose derived data
// is shared.
func NewSegment(reader *segment.Reader, live *bitset.Bitset, signals map[string]*Overlay, earlier *Segment) *Segment {
	if earlier != nil && earlier.Live == live {
		return earlier.Next(nil, signals)
	}
	s := &Segment{Reader: reader, Live: live, signals: signals, keys: new(keyOrder)}
	if earlier != nil {
		s.keys, s.First = earlier.keys, earlier.First
	}
	if live == nil {
		s.Documents = int(reader.NumRoots())
		return s
	}
	s.live = &liveDocs{bits: live}
	s.count()
	return s
}

// IsLive reports whether a document or list value is not deleted.
func (s *Segment) IsLive(doc uint32) bool {
	if s.Live == nil {
		return doc < s.Reader.NumDocs()
	}
	return s.Live.Get(doc)
}

// Signal returns the refreshed values of a signal column, nil when none was
// refreshed since the segment was written.
func (s *Segment) Signal(column string) *Overlay { return s.signals[column] }

// Signals returns the refreshed values by column. The map must not be changed.
func (s *Segment) Signals() map[string]*Overlay { return s.signals }

// SignalValue returns the current value of a signal column for a document, and
// false when it has none.
func (s *Segment) SignalValue(column string, doc uint32) (int64, bool) {
	if value, has, refreshed := s.signals[column].Get(doc); refreshed {
		return value, has
	}
	if numbers := s.Reader.Numbers(column); numbers != nil {
		return numbers.Get(doc)
	}
	return 0, false
}

// Lookup returns the live document under a key, and false when there is none.
func (s *Segment) Lookup(key string) (doc uint32, ok bool, err error) {
	field := s.byKey.Load()
	if field == nil {
		if field = s.Reader.Terms(layout.Key); field == nil {
			return 0, false, nil
		}
		s.byKey.Store(field)
	}
	entry, ok := field.Lookup([]byte(key))
	if !ok {
		return 0, false, nil
	}
	if doc, _, ok := entry.Postings.Inlined(); ok {
		return doc, s.IsLive(doc), nil
	}
	return s.liveOf(field, entry)
}

// liveOf returns the live document under a key that several documents of the
// segment have.
func (s *Segment) liveOf(field *terms.Field, entry terms.Entry) (doc uint32, ok bool, err error) {
	var documents postings.Iterator
	field.Iterator(&documents, entry)
	for documents.NextBlock() {
		for _, doc := range documents.Docs() {
			if s.IsLive(doc) {
				return doc, true, nil
			}
		}
	}
	if err := documents.Err(); err != nil {
		return 0, false, fmt.Errorf("look up key in %s: %w", s.Reader.Name(), err)
	}
	return 0, false, nil
}

// Block returns the block of documents of which doc is the parent: its list values
// from first on, itself last.
func (s *Segment) Block(doc uint32) (first, last uint32) {
	parents := s.Reader.Parents()
	if parents == nil || doc == 0 {
		return doc, doc
	}
	return uint32(parents.Previous(doc-1) + 1), doc
}

// Snapshot is a view of a generation at one commit.
type Snapshot struct {
	Segments  []*Segment
	Sequence  uint64 // of the commit
	Documents int    // live documents
	MaxDoc    uint32 // one more than the highest global document number

	references atomic.Int64
	released   func(*Snapshot)

	mu      sync.Mutex
	waiting map[any]func() // by the caller that registered it; guarded by mu
	gone    bool           // guarded by mu
}

// New returns a snapshot of the segments, in order, and sets their bases. It starts
// with one reference and takes ownership of the segments. released, if not nil,
// runs after the last reference is dropped and the readers are released.
func New(sequence uint64, segments []*Segment, released func(*Snapshot)) *Snapshot {
	s := &Snapshot{Segments: segments, Sequence: sequence, released: released}
	standing := uint64(0)
	for _, segment := range segments {
		segment.Base = s.MaxDoc
		segment.First = max(segment.First, standing)
		standing = segment.First + segment.Reader.EndStanding()
		s.MaxDoc += segment.Reader.NumDocs()
		s.Documents += segment.Documents
		segment.live.hold()
	}
	s.references.Store(1)
	return s
}

// IsVerified reports whether every segment is verified, so that the first use of a
// part need not wait for that.
func (s *Snapshot) IsVerified() bool {
	for _, segment := range s.Segments {
		if !segment.Reader.IsVerified() {
			return false
		}
	}
	return true
}

// Acquire adds a reference. It returns false when the last one has been dropped
// already; the snapshot must not be used then.
func (s *Snapshot) Acquire() bool {
	for {
		held := s.references.Load()
		if held <= 0 {
			return false
		}
		if s.references.CompareAndSwap(held, held+1) {
			return true
		}
	}
}

// Release drops a reference; the last one releases the segments.
func (s *Snapshot) Release() {
	held := s.references.Add(-1)
	switch {
	case held > 0:
		return
	case held < 0:
		panic("snapshot: released more often than acquired")
	}
	s.leave()
	for _, segment := range s.Segments {
		segment.live.release()
		segment.Reader.Release()
	}
	if s.released != nil {
		s.released(s)
	}
}

// WhenReleased runs do once the last reference is dropped, or at once if it has
// been already. It is for callers that keep data derived from the snapshot. Only
// the first call for each who, which must be comparable, counts.
func (s *Snapshot) WhenReleased(who any, do func()) {
	s.mu.Lock()
	gone := s.gone
	if !gone && s.waiting[who] == nil {
		if s.waiting == nil {
			s.waiting = make(map[any]func())
		}
		s.waiting[who] = do
	}
	s.mu.Unlock()
	if gone {
		do()
	}
}

func (s *Snapshot) leave() {
	s.mu.Lock()
	waiting := s.waiting
	s.waiting, s.gone = nil, true
	s.mu.Unlock()
	for _, do := range waiting {
		do()
	}
}

// LookupKey returns the live document under a primary key in text form, and
// false when there is none.
func (s *Snapshot) LookupKey(key string) (*Segment, uint32, bool, error) {
	// The last segments are the newest, and recently written keys are looked up
	// most.
	for i := len(s.Segments) - 1; i >= 0; i-- {
		doc, ok, err := s.Segments[i].Lookup(key)
		if err != nil {
			return nil, 0, false, err
		}
		if ok {
			return s.Segments[i], doc, true, nil
		}
	}
	return nil, 0, false, nil
}

// Find returns the segment that holds a global document number and its number
// there, and false when no segment does.
func (s *Snapshot) Find(global uint32) (*Segment, uint32, bool) {
	low, high := 0, len(s.Segments)
	for low < high {
		middle := (low + high) / 2
		if s.Segments[middle].Base+s.Segments[middle].Reader.NumDocs() <= global {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(s.Segments) {
		return nil, 0, false
	}
	return s.Segments[low], global - s.Segments[low].Base, true
}
