package generations

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/invariant"
	"github.com/quiresearch/quire/internal/lifetime"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
)

// holding is everything this node knows of one generation. It is made when the
// generation is first named and kept for a while after it is gone, see Forget,
// because a removed generation must not be opened again (GN3). Set.mu guards it.
type holding struct {
	entry     registry.Entry // as last asked for
	state     state
	current   *instance  // the instance that is open or being opened; nil: none
	departure *departure // the instance being closed, or the deletion of files; nil: none
	removals  int        // how many calls are deleting its files
	unknown   int        // consecutive passes of Forget in which it was unknown

	backoff     backoff     // of a writer that failed or could not be opened
	log         logCheck    // whether its log was seen finished, in object mode
	finishing   bool        // its log is being checked or finished
	unfinished  bool        // its writer was closed without the last commit
	published   uint64      // manifest version that its last writer left; 0: none
	unfetchable unfetchable // a stored state that cannot be fetched, in object mode
	risk        risk        // why it is not safe in the bucket although this node writes it
}

// isOpen reports whether an open engine takes the next request.
func (h *holding) isOpen() bool { return h.current != nil && h.current.engine != nil }

// forget drops what only holds for a generation that exists.
func (h *holding) forget() {
	h.backoff, h.log, h.unfetchable, h.risk = backoff{}, logCheck{}, unfetchable{}, risk{}
	h.published, h.unfinished = 0, false
}

// instance is one engine opened on the directory of a generation, from the moment
// the open is requested. A holding has one after the other. A caller that was given
// one keeps it until Release, even after another took its place.
type instance struct {
	entry   registry.Entry
	opening *lifetime.Lifetime // of the open, which continues for others when the first caller leaves
	opened  chan struct{}      // closed when the open is over
	engine  *engine.Generation // set before opened is closed, under Set.mu
	err     error              // set before opened is closed
	after   <-chan struct{}    // the open waits for it; nil: for nothing

	isWriter bool                // opened to write; always so in local mode
	writer   *replication.Writer // in object mode, of a writer; set before opened is closed
	pushing  atomic.Int32        // commits on their way to the bucket
	turn     chan struct{}       // buffered by one: held while files are fetched, and for good at the end
	fetching *lifetime.Lifetime  // ends when no caller may fetch files any more
	repair   repair              // in object mode
	pulled   pulled              // in object mode, of a copy
	previous *instance           // a copy that answers reads until the open is over; nil: none
	openedAt time.Time           // set before opened is closed

	users  int // guarded by Set.mu, like the fields below
	usedAt time.Time
	grace  *time.Timer // of an evicted generation: closes it; nil otherwise
}

func newInstance(entry registry.Entry, isWriter bool) *instance {
	return &instance{entry: entry, opening: lifetime.New(), opened: make(chan struct{}),
		turn: make(chan struct{}, 1), fetching: lifetime.New(), isWriter: isWriter}
}

// abandon ends an open that may be waiting for a bucket that is gone.
func (inst *instance) abandon() { inst.opening.End() }

func (inst *instance) isOpen() bool {
	select {
	case <-inst.opened:
		return true
	default:
		return false
	}
}

// hasFailed reports whether a writer is open and takes no more writes.
func (inst *instance) hasFailed() bool {
	return inst.isWriter && inst.isOpen() && inst.err == nil && inst.failure() != nil
}

// failure returns why an open writer takes no more writes, or nil while it does. A
// fenced writer may know before anything was written.
func (inst *instance) failure() error {
	if err := inst.engine.Err(); err != nil || inst.writer == nil {
		return err
	}
	return inst.writer.Err()
}

// endPulls waits for the pull under way and prevents any further one. A repair,
// which no caller waits for, ends at once.
func (inst *instance) endPulls() {
	inst.fetching.End()
	inst.turn <- struct{}{}
}

// departure is a generation that is being closed or whose files are being deleted.
type departure struct {
	over    chan struct{} // closed when it has left
	abandon func()        // ends its last commit; nil: it makes none
}

// hurry makes it leave without its last commit, which may be waiting for a bucket
// that is gone.
func (d *departure) hurry() {
	if d != nil && d.abandon != nil {
		d.abandon()
	}
}

// at returns the holding of a generation, making it if there is none. The caller
// must hold mu.
func (s *Set) at(generation registry.ID) *holding {
	h, ok := s.holdings[generation]
	if !ok {
		h = &holding{entry: registry.Entry{Generation: generation}}
		s.holdings[generation] = h
	}
	return h
}

// of is at for an entry, which it stores in the holding. The caller must hold mu.
func (s *Set) of(entry registry.Entry) *holding {
	h := s.at(entry.Generation)
	h.entry = entry
	return h
}

// fire makes the transition of the table and performs its actions, except those
// that wait: opening an engine and deleting files is up to the caller, without mu.
// It returns the transition. The caller must hold mu.
func (s *Set) fire(ctx context.Context, h *holding, e event) transition {
	t := step(h.state, e)
	invariant.Check(t.isListed, "GN6: %s happens to %s, which is %s", e, h.entry.Generation, h.state)
	if !t.isListed {
		s.options.Log.Error("an event does not fit the state of a generation", "generation", h.entry.Generation, "event", e.String(), "state", h.state.String())
		return to(h.state, refuse)
	}
	if h.state.isHeld() != t.next.isHeld() {
		s.open -= delta(h.state.isHeld())
		s.open += delta(t.next.isHeld())
	}
	h.state = t.next
	for _, one := range t.actions {
		s.perform(ctx, h, one)
	}
	return t
}

func delta(isHeld bool) int {
	if isHeld {
		return 1
	}
	return 0
}

// perform performs an action that does not wait. The caller must hold mu.
func (s *Set) perform(ctx context.Context, h *holding, one action) {
	switch one {
	case startCopy, startWriter:
		h.current = newInstance(h.entry, one == startWriter)
		if h.departure != nil {
			h.current.after = h.departure.over
		}
	case promote:
		previous := h.current
		h.current = newInstance(h.entry, true)
		h.current.previous = previous
	case supersede:
		s.closeWhenOpen(h)
	case retireCopy:
		if copy := h.current.previous; copy != nil {
			h.current.previous = nil
			s.retire(copy)
		}
	case fallBack:
		h.current = h.current.previous
	case shut:
		s.shut(ctx, h)
	case abandon:
		h.departure.hurry() // what is open may be waiting for it
		if h.current != nil {
			s.stay(h.current)
			h.current.abandon()
		}
	case backOff, useCurrent, useCopy, dropFiles, deleteFiles, refuse: // left to the caller
	}
}

// shut closes the current instance in the background; the next open waits for that.
// The caller must hold mu.
func (s *Set) shut(ctx context.Context, h *holding) {
	inst, before := h.current, h.departure
	ctx, abandon := context.WithCancel(ctx)
	now := &departure{over: make(chan struct{}), abandon: func() { before.hurry(); abandon() }}
	s.stay(inst)
	h.backoff.endAfter(inst)
	h.current, h.departure = nil, now
	if s.hurried {
		now.hurry()
	}
	s.closing.Go(func() {
		defer abandon()
		inst.endPulls()
		if before != nil {
			<-before.over
		}
		err := inst.engine.Close(ctx)
		if err != nil && !errors.Is(err, context.Canceled) {
			s.options.Log.Error("cannot close a generation cleanly", "index", inst.entry.Name.Index,
				"generation", inst.entry.Name.Generation, "error", err)
		}
		s.deployment.noteClosed(inst, err)
		s.leave(h, now)
	})
}

// closeWhenOpen closes a copy that is being opened once it is open. The caller must
// hold mu, and puts another instance in its place.
func (s *Set) closeWhenOpen(h *holding) {
	inst, before := h.current, h.departure // it may be waiting for a writer to close
	now := &departure{over: make(chan struct{}), abandon: func() { before.hurry(); inst.abandon() }}
	h.current, h.departure = nil, now
	s.closing.Go(func() {
		<-inst.opened
		if inst.err == nil {
			inst.endPulls()
			if err := inst.engine.Close(context.Background()); err != nil {
				s.options.Log.Warn("cannot close a copy cleanly", "index", inst.entry.Name.Index, "error", err)
			}
		}
		s.leave(h, now)
	})
}

// retire closes a copy that a writer replaced, and keeps its turn for good. The
// caller must hold mu.
func (s *Set) retire(copy *instance) {
	copy.fetching.End()
	s.closing.Go(func() {
		if err := copy.engine.Close(context.Background()); err != nil {
			s.options.Log.Warn("cannot close a copy cleanly", "index", copy.entry.Name.Index, "error", err)
		}
	})
}

// leave ends a departure and wakes the goroutines that wait for it.
func (s *Set) leave(h *holding, gone *departure) {
	s.mu.Lock()
	if h.departure == gone {
		h.departure = nil
		s.fire(context.Background(), h, left)
	}
	s.mu.Unlock()
	close(gone.over)
}

// notePublished records the manifest that a closed writer left, so that other nodes
// still hear of it, and whether it ended without its last commit.
func (s *Set) notePublished(inst *instance, failure error) {
	version := inst.engine.Manifest().Version
	isWhole := failure == nil && inst.engine.Err() == nil
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.at(inst.entry.Generation)
	h.risk = risk{} // the next open finds out
	if s.isRemoved(h, inst.entry) {
		return
	}
	h.published, h.unfinished = version, h.unfinished || !isWhole
}
