package snapshot

import (
	"slices"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/invariant"
)

// Live documents are double-buffered, so that a commit that deletes a few documents
// need not copy the bits of all. It reuses the words of the commit before the
// current one, once no snapshot shows those any more, and repeats there what the
// current commit deleted. If a snapshot still shows them, it copies the current
// words.
//
//	commit 1   words A  1111
//	commit 2   words B  1101   a copy of A without 1; snapshot 1 shows A
//	           snapshot 1 is released
//	commit 3   words A  0101   A without 1, as in B, and without 3
//	commit 4   words C  0100   a copy of A without 0, because a search holds snapshot 2 and so B
//
// Each set is a Bitset of its own, even over reused words: caches identify a set by
// its pointer.

// liveDocs is the set of live documents of a segment at one commit.
type liveDocs struct {
	bits    *bitset.Bitset
	holders atomic.Int64 // snapshots that show the set; taken when a later set has its words
	kept    []uint64     // in builds with invariants: the words, once no snapshot shows them

	// Used only by the writer.
	before  *liveDocs // the set that this one was made from; nil once its words were requested
	cleared []uint32  // documents in before and not in this set, ascending
	listed  []byte    // the deleted documents as a side file lists them; nil: not computed
}

// taken is added to the holders of a set whose words belong to a later one.
const taken = -1 << 62

// hold keeps the words from being taken while a snapshot shows them.
func (l *liveDocs) hold() {
	if l != nil {
		held := l.holders.Add(1)
		invariant.Check(held > 0, "SN6: live documents are shown after their words were taken")
	}
}

func (l *liveDocs) release() {
	if l == nil {
		return
	}
	if invariant.Enabled && l.holders.Load() == 1 { // so that a late reader finds nothing live
		l.kept = slices.Clone(l.bits.Words())
		clear(l.bits.Words())
	}
	l.holders.Add(-1)
}

// take returns the words of the set, which nothing reads any more, or false while a
// snapshot shows them.
func (l *liveDocs) take() ([]uint64, bool) {
	if l == nil || !l.holders.CompareAndSwap(0, taken) {
		return nil, false
	}
	copy(l.bits.Words(), l.kept)
	return l.bits.Words(), true
}

// copied returns a set with the same members and words of its own.
func (l *liveDocs) copied() *bitset.Bitset {
	before := l.before
	l.before = nil // even if it is shown: otherwise every set would keep the previous one
	words, ok := before.take()
	if !ok {
		return l.bits.Clone()
	}
	next := bitset.FromWords(words, l.bits.Len())
	for _, doc := range l.cleared {
		next.Clear(doc)
	}
	invariant.Check(!invariant.Enabled || next.Equal(l.bits), "SN6: live documents changed after their last snapshot")
	return next
}

// leastRepeated and repeatedShare bound the number of deletions kept for
// repetition: one per repeatedShare words, because for a commit of more the copy
// hardly matters.
const (
	leastRepeated = 64
	repeatedShare = 32
)

// Deleter deletes documents of a segment for its next view. It belongs to one
// goroutine, and a generation makes only one at a time for a segment of its current
// snapshot.
type Deleter struct {
	from      *Segment
	bits      *bitset.Bitset // of the next view
	documents int            // deleted
	all       int            // deleted, including list values
	cleared   []uint32
	isLong    bool // more were deleted than are kept for repetition
}

// NewDeleter starts from a view, which the caller holds.
func NewDeleter(from *Segment) *Deleter {
	d := &Deleter{from: from}
	if from.live != nil {
		d.bits = from.live.copied()
	} else {
		d.bits = bitset.NewFull(from.Reader.NumDocs())
	}
	return d
}

// Delete deletes a document with its list values, and reports whether it was live.
func (d *Deleter) Delete(doc uint32) bool {
	if !d.bits.Get(doc) {
		return false
	}
	first, last := d.from.Block(doc)
	for doc := first; doc <= last; doc++ {
		d.clear(doc)
	}
	d.documents++
	return true
}

func (d *Deleter) clear(doc uint32) {
	if !d.bits.Get(doc) {
		return
	}
	d.bits.Clear(doc)
	d.all++
	if d.isLong = d.isLong || len(d.cleared) >= max(leastRepeated, len(d.bits.Words())/repeatedShare); d.isLong {
		d.cleared = nil
		return
	}
	d.cleared = append(d.cleared, doc)
}

// finish returns the set after the deletions.
func (d *Deleter) finish() *liveDocs {
	next := &liveDocs{bits: d.bits}
	if d.isLong {
		return next
	}
	slices.Sort(d.cleared)
	next.before, next.cleared = d.from.live, d.cleared
	switch {
	case !isListed(d.bits.Len(), d.from.Deleted+d.all):
	case d.from.live == nil:
		next.listed = addDeleted([]byte{}, d.cleared)
	case d.from.live.listed != nil:
		next.listed = addDeleted(d.from.live.listed, d.cleared)
	}
	return next
}

// Next returns the view of the segment after deletions, nil for none, with the
// given refreshed values. It takes over one reference of the reader. The deleter
// must not be used afterwards.
func (s *Segment) Next(deletions *Deleter, signals map[string]*Overlay) *Segment {
	next := &Segment{Reader: s.Reader, First: s.First, Live: s.Live, Documents: s.Documents, Deleted: s.Deleted,
		signals: signals, keys: s.keys, live: s.live}
	if deletions == nil {
		return next
	}
	next.live = deletions.finish()
	next.Live = next.live.bits
	next.count() // not carried over: E5 checks every commit against a count of its bits
	invariant.Check(next.Documents == s.Documents-deletions.documents && next.Deleted == s.Deleted+deletions.all,
		"SN7: %d documents live and %d deleted after %d and %d deletions", next.Documents, next.Deleted, deletions.documents, deletions.all)
	return next
}

// count counts the live documents.
func (s *Segment) count() {
	count := s.Live.Count()
	s.Documents, s.Deleted = count, int(s.Reader.NumDocs())-count
	if parents := s.Reader.Parents(); parents != nil {
		s.Documents = bitset.CountBoth(s.Live.Words(), parents.Words())
	}
}
