package engine

import (
	"context"
	"hash/maphash"
	"math/bits"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

// Refresh gives signal fields of one document new values.
type Refresh struct {
	Key     document.Key
	Signals []document.Signal
	// Found is set when there is a document under the key.
	Found bool

	at place
}

// place is where the snapshot holds a document; the zero place means unknown. A
// document never moves within a segment, so a place is valid as long as a snapshot
// has the segment and the document is live there. The reader is only compared,
// never read.
type place struct {
	reader *segment.Reader
	doc    uint32
}

// in reports whether the document at a place is live in a snapshot.
func (p place) in(view *snapshot.Snapshot) bool {
	if p.reader == nil {
		return false
	}
	for _, s := range view.Segments {
		if s.Reader == p.reader {
			return s.IsLive(p.doc)
		}
	}
	return false
}

// refreshed is what a table records about the signals of one document.
type refreshed struct {
	values []signalValue
	at     place // where the document was at its last refresh
}

// Refresh sets signal values of the document under a key without reading or
// rewriting it. found is false when there is no document under the key.
func (s *WriteStream) Refresh(ctx context.Context, key document.Key, signals []document.Signal) (found bool, err error) {
	one := []Refresh{{Key: key, Signals: signals}}
	_, err = s.RefreshAll(ctx, one, false)
	return one[0].Found, err
}

// RefreshAll is Refresh for many documents, and takes far less time for each. It
// returns how many it handled: all, or with stopAtMissing those before the first
// that does not exist. After an error it has refreshed none.
func (s *WriteStream) RefreshAll(ctx context.Context, all []Refresh, stopAtMissing bool) (int, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.leave()
	if err := s.g.queue.awaitCapacity(ctx, s.g.options.LogWait); err != nil {
		return 0, err
	}
	before := s.g.Snapshot()
	if before == nil {
		return 0, problem.IndexClosed.New()
	}
	defer before.Release()
	// Looking up keys takes longest, so the locks are taken afterwards.
	for i := range all {
		if err := all[i].lookUp(before); err != nil {
			return 0, err
		}
	}
	unlock := s.g.lockStripes(all)
	defer unlock()
	refused := s.g.queue.refused.Load()
	if err := s.g.findNewest(all, before); err != nil {
		return 0, err
	}
	if stopAtMissing {
		for i := range all {
			if !all[i].Found {
				all = all[:i]
				break
			}
		}
	}
	return len(all), s.g.queue.pushAll(refused, s, refreshOperations(all, s))
}

// lookUp finds the document in a snapshot.
func (r *Refresh) lookUp(view *snapshot.Snapshot) error {
	found, doc, ok, err := view.LookupKey(string(r.Key))
	r.Found, r.at = ok, place{}
	if ok {
		r.at = place{found.Reader, doc}
	}
	return err
}

// lockStripes blocks other writes to the keys until unlock is called. It locks
// stripes in ascending order, and all other writers hold one at a time.
func (g *Generation) lockStripes(all []Refresh) (unlock func()) {
	var held [stripes / 64]uint64
	for i := range all {
		number := maphash.String(stripeSeed, string(all[i].Key)) % stripes
		held[number/64] |= 1 << (number % 64)
	}
	each := func(do func(number int)) {
		for word, rest := range held {
			for ; rest != 0; rest &= rest - 1 {
				do(64*word + bits.TrailingZeros64(rest))
			}
		}
	}
	each(func(number int) { g.stripes[number].Lock() })
	return func() { each(func(number int) { g.stripes[number].Unlock() }) }
}

// findNewest decides which of the documents exist, going back in time like newest.
// Unless a commit came since, the results of the lookup in before are valid for
// every key that neither the queue nor a table holds. The caller holds the stripes.
func (g *Generation) findNewest(all []Refresh, before *snapshot.Snapshot) error {
	decided := make([]bool, len(all))
	decide := func(i int, exists bool) {
		all[i].Found, all[i].at, decided[i] = exists, place{}, true
	}
	g.queue.findBases(all, decide)
	g.mu.Lock()
	for i := range all {
		if decided[i] {
			continue
		}
		for _, t := range []*table{g.active, g.frozen} {
			if t == nil {
				continue
			}
			if e := t.entries[string(all[i].Key)]; e != nil {
				decide(i, !e.isDelete)
				break
			}
			if t.all {
				decide(i, false)
				break
			}
		}
	}
	g.mu.Unlock()
	now := g.Snapshot()
	if now == nil {
		return problem.IndexClosed.New()
	}
	defer now.Release()
	if now == before {
		return nil
	}
	for i := range all {
		if decided[i] || all[i].at.in(now) {
			continue
		}
		if err := all[i].lookUp(now); err != nil {
			return err
		}
	}
	return nil
}

// refreshOperations makes the operations of the documents that exist. They share
// memory, because they leave the queue together.
func refreshOperations(all []Refresh, s *WriteStream) []operation {
	count, size := 0, 0
	for i := range all {
		count += len(all[i].Signals)
		size++
		for _, signal := range all[i].Signals {
			size += signalBytes + len(signal.Field.Path)
		}
	}
	operations := make([]operation, 0, len(all))
	values := make([]signalValue, 0, count)
	bodies := make([]byte, 0, size)
	for i := range all {
		if !all[i].Found {
			continue
		}
		start := len(bodies)
		own := appendSignalValues(values[len(values):], all[i].Signals)
		values = values[:len(values)+len(own)]
		own = own[:len(own):len(own)]
		bodies = appendSignals(bodies, own)
		operations = append(operations, operation{
			Operation: log.Operation{Kind: log.Signals, Key: string(all[i].Key), Body: bodies[start:len(bodies):len(bodies)]},
			signals:   own, at: all[i].at, stream: s,
		})
	}
	return operations
}
