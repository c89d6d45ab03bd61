package snapshot

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
)

// openDocs opens a segment of the given number of documents and list values. With
// lists, a document has up to three values before it.
func openDocs(t testing.TB, random *rand.Rand, documents uint32, lists bool) *segment.Reader {
	t.Helper()
	fs, b := vfs.Memory(), segment.NewBuilder()
	for doc := range documents {
		b.StartDoc()
		b.EndDoc(doc == documents-1 || !lists || random.IntN(3) == 0)
	}
	if _, err := b.Finish(fs, "s"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, "s", blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// commits is a segment that loses documents from commit to commit.
type commits struct {
	t       testing.TB
	random  *rand.Rand
	current *Snapshot
	live    *bitset.Bitset // what is live in it; a copy
	copies  int            // commits that copied the bits
	words   map[*uint64]bool
}

func newCommits(t testing.TB, random *rand.Rand, reader *segment.Reader) *commits {
	return &commits{t: t, random: random, current: New(0, []*Segment{NewSegment(reader, nil, nil, nil)}, nil),
		live: bitset.NewFull(reader.NumDocs()), words: make(map[*uint64]bool)}
}

// next returns the segment without some random documents.
func (c *commits) next(deletes int) (*Segment, *bitset.Bitset) {
	from, live := c.current.Segments[0], c.live.Clone()
	if deletes == 0 {
		return from.Next(nil, nil), live
	}
	d := NewDeleter(from)
	for range deletes {
		first, last := from.Block(c.random.Uint32N(live.Len()))
		if parents := from.Reader.Parents(); parents != nil {
			last = parents.Next(last)
			first, _ = from.Block(last)
		}
		if d.Delete(last) != live.Get(last) {
			c.t.Fatalf("document %d: deleted, live before: %v", last, live.Get(last))
		}
		for doc := first; doc <= last; doc++ {
			live.Clear(doc)
		}
	}
	if words := &d.bits.Words()[0]; !c.words[words] {
		c.words[words] = true
		c.copies++
	}
	return from.Next(d, nil), live
}

// commit shows the segment without some random documents. The caller must release
// the previous snapshot.
func (c *commits) commit(deletes int) (before *Snapshot) {
	c.t.Helper()
	next, live := c.next(deletes)
	next.Reader.Retain()
	before, c.live = c.current, live
	c.current = New(before.Sequence+1, []*Segment{next}, nil)
	if live := next.live; live != nil && live.before != nil && live.before.before != nil {
		c.t.Fatalf("snapshot %d keeps the sets of two before it", c.current.Sequence)
	}
	c.check(c.current, c.live)
	return before
}

// check compares a snapshot with the set of its live documents.
func (c *commits) check(s *Snapshot, live *bitset.Bitset) {
	c.t.Helper()
	of := s.Segments[0]
	for doc := range live.Len() {
		if of.IsLive(doc) != live.Get(doc) {
			c.t.Fatalf("snapshot %d at %d: document %d is live: %v", s.Sequence, c.current.Sequence, doc, of.IsLive(doc))
		}
	}
	want, documents := live.Count(), 0
	for doc := live.Next(0); doc < live.Len(); doc = live.Next(doc + 1) {
		if parents := of.Reader.Parents(); parents == nil || parents.Get(doc) {
			documents++
		}
	}
	if of.Documents != documents || s.Documents != documents || of.Deleted != int(live.Len())-want {
		c.t.Fatalf("snapshot %d: %d documents live and %d deleted, want %d and %d",
			s.Sequence, of.Documents, of.Deleted, documents, int(live.Len())-want)
	}
}

// Snapshots that are held do not change whatever is deleted later, and their counts
// are right. (SN1, SN6, SN7)
func TestHeldSnapshotsKeepTheirLiveDocuments(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		documents := 1 + random.Uint32N(5000)
		c := newCommits(t, random, openDocs(t, random, documents, seed%2 == 0))
		type held struct {
			view *Snapshot
			live *bitset.Bitset
		}
		var holds []held
		for range 80 {
			switch action := random.IntN(10); {
			case action < 2:
				c.current.Acquire()
				holds = append(holds, held{c.current, c.live})
			case action < 5 && len(holds) > 0:
				i := random.IntN(len(holds))
				holds[i].view.Release()
				holds = slices.Delete(holds, i, i+1)
			case action < 6:
				c.next(1 + random.IntN(5)) // in a commit that fails
			case action < 7:
				c.commit(0).Release() // of signals only
			default:
				deletes := 1 + random.IntN(5)
				if random.IntN(10) == 0 {
					deletes = 1 + random.IntN(300)
				}
				c.commit(deletes).Release()
			}
			for _, h := range holds {
				c.check(h.view, h.live)
			}
		}
	}
}

// Commits copy the bits only while the snapshot before the current one is held.
func TestLiveDocumentsAreCopiedOnlyWhileHeld(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	c := newCommits(t, random, openDocs(t, random, 10_000, false))
	for range 2 { // all live, then the first set
		c.commit(3).Release()
	}
	made := c.copies
	for range 20 {
		c.commit(3).Release()
	}
	if c.copies != made {
		t.Fatalf("%d of 20 commits copied the bits", c.copies-made)
	}
	long := c.commit(3) // a reader holds it from here on
	for range 10 {
		c.commit(3).Release()
	}
	if c.copies != made+1 {
		t.Fatalf("%d commits copied the bits while a reader held one snapshot", c.copies-made)
	}
	long.Release()
	c.next(3) // in a commit that fails; it took the words
	for range 10 {
		c.commit(3).Release()
	}
	if c.copies != made+2 {
		t.Fatalf("%d commits copied the bits after one that failed", c.copies-made-1)
	}
	c.commit(2000).Release() // more than can be repeated
	for range 10 {
		c.commit(3).Release()
	}
	if c.copies != made+3 {
		t.Fatalf("%d commits copied the bits after one of many deletions", c.copies-made-2)
	}
}

// Caches identify live documents by their pointer, even if words are reused.
func TestEverySetOfLiveDocumentsIsItsOwn(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	c := newCommits(t, random, openDocs(t, random, 1000, false))
	seen := make(map[*bitset.Bitset]bool)
	for range 20 {
		c.commit(1).Release()
		if live := c.current.Segments[0].Live; seen[live] {
			t.Fatal("a set of live documents has the pointer of an earlier one")
		} else {
			seen[live] = true
		}
	}
}

// The list of deleted documents that is carried over from commit to commit equals
// one computed from the bits.
func TestCarriedListOfDeletedDocuments(t *testing.T) {
	for _, lists := range []bool{false, true} {
		t.Run(fmt.Sprintf("lists %v", lists), func(t *testing.T) {
			random := rand.New(rand.NewPCG(4, 5))
			reader := openDocs(t, random, listedFrom+100, lists)
			segments := NewSegment(reader, nil, nil, nil)
			current := New(0, []*Segment{segments}, nil)
			carried := 0
			for step := range 30 {
				from := current.Segments[0]
				d := NewDeleter(from)
				deletes := 1 + random.IntN(20)
				if step%7 == 6 { // finally more than are listed
					deletes = 700 * step / 7
				}
				for range deletes {
					doc := random.Uint32N(reader.NumDocs())
					if parents := reader.Parents(); parents != nil {
						doc = parents.Next(doc)
					}
					d.Delete(doc)
				}
				next := from.Next(d, nil)
				if next.live.listed != nil {
					carried++
				}
				entry := next.SideEntry("s.seg")
				want := encodeDeleted(next.Live, reader.NumDocs()/listedShare)
				if got := entry.listDeleted(); !bytes.Equal(got, want) || (got == nil) != (want == nil) {
					t.Fatalf("step %d: %d of %d bytes listed, a walk gives others", step, len(got), len(want))
				}
				reader.Retain()
				before := current
				current = New(before.Sequence+1, []*Segment{next}, nil)
				before.Release()
			}
			if carried < 10 {
				t.Fatalf("%d lists were carried", carried)
			}
			if isListed(reader.NumDocs(), current.Segments[0].Deleted) {
				t.Fatalf("%d documents deleted in the end, all lists are short", current.Segments[0].Deleted)
			}
		})
	}
}

func FuzzAddDeleted(f *testing.F) {
	f.Add(uint64(1), uint32(3000), uint16(20), uint16(3))
	f.Fuzz(func(t *testing.T, seed uint64, documents uint32, before, more uint16) {
		documents = 1 + documents%(1<<20)
		random := rand.New(rand.NewPCG(seed, 6))
		live := bitset.NewFull(documents)
		for range before {
			live.Clear(random.Uint32N(documents))
		}
		listed := encodeDeleted(live, documents)
		var added []uint32
		for range more {
			if doc := random.Uint32N(documents); live.Get(doc) {
				live.Clear(doc)
				added = append(added, doc)
			}
		}
		slices.Sort(added)
		if got := addDeleted(listed, added); !bytes.Equal(got, encodeDeleted(live, documents)) {
			t.Fatalf("%d documents added to %d", len(added), before)
		}
	})
}
