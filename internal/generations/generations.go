// Package generations keeps the generations of this node open: it opens one on
// first use, shares it among everybody who asks, closes the least recently
// used beyond a bound, and removes what was deleted.
//
//	g, err := set.Acquire(ctx, entry)
//	defer g.Release()
//
// Invariants:
//
//	G1  A generation is open at most once.
//	G2  A generation somebody has acquired is not evicted.
//	G3  A generation that was removed is not opened again unless it is restored.
//	G4  In object mode a generation is opened to write only while this node claims
//	    its index, and after whoever wrote it before was fenced.
//	G5  Two pulls of one directory never overlap, and none runs beside a writer.
//
// In object mode directories are copies of what the bucket holds. A generation
// of an index that is written elsewhere is open as a copy that is read only.
//
// A Set may be used by any number of goroutines. Opening one generation delays
// nobody who wants another.
package generations

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Options tune a Set.
type Options struct {
	MaxOpen int // generations open at once; 0: no bound
	// CloseGrace is how long a generation that was evicted stays usable, beyond
	// MaxOpen.
	CloseGrace time.Duration
	Engine     engine.Options
	Metrics    *metrics.Set
	Log        *slog.Logger
	Remote     *Remote // where generations are kept in object mode; nil in local mode
	// Changed runs when a generation has another snapshot, and must not wait;
	// may be nil.
	Changed func(registry.Entry)
	// Listed reports whether the registry lists an entry, which ends before a
	// generation is removed and begins again when it is restored. It must not wait;
	// nil: nothing is restored.
	Listed func(registry.Entry) bool
}

// Set is the open generations of a node.
type Set struct {
	fs        vfs.FS
	directory string
	options   Options

	closing sync.WaitGroup // opens and closes under way
	ending  context.Context
	end     context.CancelFunc // ends looks at logs, when the Set is closed

	mu      sync.Mutex
	slots   map[registry.ID]*slot
	leaving map[registry.ID]departure
	removed map[registry.ID]int // how many delete their files right now
	moves   map[registry.ID]*turn.Shared
	adrift  map[registry.ID]*unsettled // indexes of which it is not known whether they moved
	evicted int                        // slots in their grace period
	closed  bool
	hurried bool // the time of the close is over: whatever leaves makes no last commit

	published  map[registry.ID]uint64      // manifests of writers that were closed, in object mode
	unfinished map[registry.ID]registry.ID // of those, the ones without their last commit, and their indexes

	looks     map[registry.ID]look  // logs that were found finished, in object mode
	rests     map[registry.ID]rest  // writers that failed, and those that cannot be opened
	wrong     map[registry.ID]wrong // stored states that cannot be fetched, in object mode
	risks     map[registry.ID]risk  // generations written here that are not safe in the bucket
	finishing map[registry.ID]bool  // logs that are looked at or being finished
	finishers chan struct{}         // buffered: those who open one
}

// slot is the place of one generation, from the first wish to open it on.
type slot struct {
	entry   registry.Entry
	opening context.Context    // of the open, which goes on for others when the first caller leaves
	abandon context.CancelFunc // ends an open that may wait for a bucket that is gone
	opened  chan struct{}      // closed when the open is over
	engine  *engine.Generation // set before opened is closed, under Set.mu
	err     error              // set before opened is closed
	after   <-chan struct{}    // the open waits for it; nil: for nothing

	isWriter bool                // opened to write; always so in local mode
	writer   *replication.Writer // in object mode, of a writer; set before opened is closed
	pushing  atomic.Int32        // commits on their way to the bucket
	turn     chan struct{}       // buffered by one: held by the one who fetches files, and for good at the end
	fetching context.Context     // ends when nobody fetches files any more
	endFetch context.CancelFunc
	mending  mending   // in object mode
	copied   copied    // in object mode, of a copy
	previous *slot     // a copy that answers reads until the open is over; nil: none
	openedAt time.Time // set before opened is closed

	users  int // guarded by Set.mu, as what follows
	usedAt time.Time
	grace  *time.Timer // of an evicted generation: closes it; nil otherwise
}

func newSlot(entry registry.Entry, isWriter bool) *slot {
	opening, abandon := context.WithCancel(context.Background())
	fetching, endFetch := context.WithCancel(context.Background())
	return &slot{entry: entry, opening: opening, abandon: abandon, opened: make(chan struct{}),
		turn: make(chan struct{}, 1), fetching: fetching, endFetch: endFetch, isWriter: isWriter}
}

// New returns the generations below a directory.
func New(fs vfs.FS, directory string, options Options) *Set {
	ending, end := context.WithCancel(context.Background())
	return &Set{fs: fs, directory: directory, options: options, ending: ending, end: end,
		slots: make(map[registry.ID]*slot), leaving: make(map[registry.ID]departure),
		published: make(map[registry.ID]uint64), unfinished: make(map[registry.ID]registry.ID),
		removed: make(map[registry.ID]int), moves: make(map[registry.ID]*turn.Shared), adrift: make(map[registry.ID]*unsettled),
		looks: make(map[registry.ID]look), rests: make(map[registry.ID]rest), wrong: make(map[registry.ID]wrong), risks: make(map[registry.ID]risk), finishing: make(map[registry.ID]bool)}
}

func (s *Set) storage(generation registry.ID) engine.Storage {
	return engine.Storage{FS: s.fs, Directory: s.directory + "/" + generation.String(), ID: generation.String()}
}

// Create makes an empty generation. It is durable when Create returns.
func (s *Set) Create(ctx context.Context, generation registry.ID, d *definition.Definition) error {
	if err := s.fs.MakeDir(s.directory); err != nil {
		return problem.StorageIoError.New("resource", "index").Because(err)
	}
	storage := s.storage(generation)
	if r := s.options.Remote; r != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
		defer cancel()
		storage.Publisher = first{r.of(generation)}
	}
	if err := engine.Create(ctx, storage, d); err != nil {
		if errors.Is(err, bucket.ErrUnknown) {
			return problem.StorageUnknown.New("resource", "index").Because(err)
		}
		return problem.StorageIoError.New("resource", "index").Because(err)
	}
	return nil
}

// Generation is an open generation somebody uses.
type Generation struct {
	*engine.Generation
	Entry registry.Entry

	set       *Set
	held      *slot
	fs        vfs.FS
	directory string
	release   func()
}

// Release tells that the generation is no longer used. Snapshots taken from it
// stay valid.
func (g *Generation) Release() { g.release() }

// Why a generation is opened, as the meter of opens tells it.
const (
	ForRequest    = "request"
	ForPreload    = "preload"
	ForBackground = "background"
)

// Acquire returns the open generation of an entry, opening it when nobody did
// yet. Its errors are problems.
func (s *Set) Acquire(ctx context.Context, entry registry.Entry) (*Generation, error) {
	return s.AcquireFor(ctx, entry, ForRequest)
}

// AcquireToRead is Acquire for somebody who does not write: a generation that
// takes no more writes still answers, and so does a copy.
func (s *Set) AcquireToRead(ctx context.Context, entry registry.Entry) (*Generation, error) {
	return s.AcquireToReadFor(ctx, entry, ForRequest)
}

// AcquireToReadFor is AcquireToRead by something other than a request.
func (s *Set) AcquireToReadFor(ctx context.Context, entry registry.Entry, purpose string) (*Generation, error) {
	toWrite := s.options.Remote == nil || s.options.Remote.Claims.Holds(entry.Index) && !s.isAway(entry.Generation)
	held, err := s.acquire(ctx, entry, purpose, toWrite, true)
	if err != nil && toWrite && s.options.Remote != nil && ctx.Err() == nil {
		// What cannot be written now may still be read.
		held, err = s.acquire(ctx, entry, purpose, false, true)
	}
	if err == nil {
		if err = held.copied.refusal(); err != nil {
			s.giveBack(held)
		}
	}
	if err != nil {
		return nil, err
	}
	return s.handOut(held, entry), nil
}

// openTries is how often a generation is opened anew for one who asks.
const openTries = 1

// AcquireFor is Acquire by something other than a request.
func (s *Set) AcquireFor(ctx context.Context, entry registry.Entry, purpose string) (*Generation, error) {
	for try := 0; ; try++ {
		if r := s.options.Remote; r != nil {
			if err := r.Claims.Claim(ctx, entry.Index); err != nil {
				return nil, err
			}
		}
		if s.isHidden(entry.Generation) {
			// Reads go on from what is here while it is opened.
			if shown, err := s.acquire(ctx, entry, purpose, false, true); err == nil {
				s.giveBack(shown)
			}
		}
		held, err := s.acquire(ctx, entry, purpose, true, false)
		if err != nil {
			return nil, err
		}
		failure := held.failure()
		if failure == nil {
			return s.handOut(held, entry), nil
		}
		s.giveBack(held)
		// It takes no more writes; opening it anew brings back everything that
		// was acknowledged.
		if try == openTries || !s.replace(held) {
			return nil, failedProblem(failure) // what makes it fail is still there
		}
		if r := s.options.Remote; r != nil && errors.Is(failure, engine.ErrFenced) {
			if _, err := r.Claims.Confirm(ctx, entry.Index); err != nil {
				return nil, err
			}
		}
	}
}

// acquire counts a user of an open slot. A reader takes the copy that answers
// until a writer is open.
func (s *Set) acquire(ctx context.Context, entry registry.Entry, purpose string, toWrite, toRead bool) (*slot, error) {
	held, isFirst, err := s.take(entry, toWrite, toRead)
	if err != nil {
		return nil, err
	}
	if isFirst {
		s.closing.Go(func() { s.open(held, purpose) })
	}
	began := time.Now()
	select {
	case <-held.opened:
	default:
		select {
		case <-held.opened:
			if purpose == ForRequest {
				s.options.Metrics.OpenWait(held.err == nil, time.Since(began))
			}
		case <-ctx.Done():
			s.giveBack(held)
			return nil, problem.IndexClosed.New().Because(ctx.Err())
		}
	}
	if held.err != nil {
		s.giveBack(held)
		return nil, held.err
	}
	return held, nil
}

func (s *Set) handOut(held *slot, entry registry.Entry) *Generation {
	storage := s.storage(entry.Generation)
	return &Generation{Generation: held.engine, Entry: entry, set: s, held: held, fs: storage.FS, directory: storage.Directory, release: sync.OnceFunc(func() { s.giveBack(held) })}
}

// take counts a user of a slot, making it when there is none, or when there is
// only a copy and a writer is asked for.
func (s *Set) take(entry registry.Entry, toWrite, toRead bool) (held *slot, isFirst bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.isRemoved(entry) {
		return nil, false, problem.IndexClosed.New()
	}
	held, ok := s.slots[entry.Generation]
	if ok {
		s.stay(held)
	}
	resting := s.resting(entry.Generation)
	switch {
	case ok && toRead && held.previous != nil && !held.isOpen():
		held = held.previous
	case ok && toRead && held.isOpen() && held.err == nil:
	case toWrite && (!ok || !held.isWriter) && resting != nil:
		return nil, false, resting
	case ok && toWrite && !held.isWriter && held.isOpen() && held.err == nil:
		previous := held
		held = newSlot(entry, true)
		held.previous = previous
		s.slots[entry.Generation], ok = held, false
	case ok && toWrite && !held.isWriter:
		// A copy is being opened; the writer follows on it.
		over := s.leaveWhenOpen(held)
		held = newSlot(entry, true)
		held.after = over
		s.slots[entry.Generation], ok = held, false
	case !ok:
		held = newSlot(entry, toWrite)
		held.after = s.leaving[entry.Generation].over
		s.slots[entry.Generation] = held
	}
	held.users++
	held.usedAt = time.Now()
	return held, !ok, nil
}

func (held *slot) isOpen() bool {
	select {
	case <-held.opened:
		return true
	default:
		return false
	}
}

func (s *Set) open(held *slot, purpose string) {
	defer held.abandon()
	if held.after != nil {
		<-held.after
	}
	var g *engine.Generation
	err := vfs.Protect(func() (err error) {
		g, err = s.openEngine(held.opening, held)
		return err
	})
	if err != nil {
		s.options.Log.Error("generation cannot be opened", "index", held.entry.Name.Index,
			"generation", held.entry.Name.Generation, "error", err)
		held.err = openProblem(err)
		// The next one who asks tries again, a writer after a while.
		s.mu.Lock()
		if held.isWriter && !errors.Is(err, context.Canceled) {
			s.leaveFor(held.entry, held.err)
		}
		if s.slots[held.entry.Generation] == held {
			delete(s.slots, held.entry.Generation)
			if held.previous != nil {
				s.slots[held.entry.Generation] = held.previous // goes on answering reads
			}
		}
		s.mu.Unlock()
	} else {
		s.mu.Lock()
		held.engine, held.openedAt = g, time.Now()
		if held.isWriter {
			delete(s.looks, held.entry.Generation)
			delete(s.unfinished, held.entry.Generation)
			s.couldOpen(held.entry.Generation)
		}
		if held.previous != nil {
			s.retire(held.previous)
		}
		if s.isForeign(held) && s.slots[held.entry.Generation] == held {
			s.leave(context.Background(), held) // the index went to another node meanwhile
		}
		s.mu.Unlock()
		s.options.Metrics.IndexOpened(purpose)
		if s.options.Remote != nil && purpose != ForPreload {
			s.noteUse(held.entry.Generation, s.options.Remote.HalfLife)
		}
		if s.options.Changed != nil {
			s.options.Changed(held.entry)
		}
	}
	close(held.opened)
	s.evict(context.Background())
}

// engineOptions are the options of one generation.
func (s *Set) engineOptions(held *slot) engine.Options {
	options, entry := s.options.Engine, held.entry
	if s.options.Changed != nil {
		options.Changed = func() { s.options.Changed(entry) }
	}
	if s.options.Remote != nil {
		options.Damaged = func() { s.suspect(held) }
		options.LogWait = logWait
	}
	return options
}

// openProblem tells what a failed open is to a caller.
func openProblem(err error) error {
	var known *problem.Problem
	if errors.As(err, &known) {
		return err
	}
	if errors.Is(err, errIncompatible) || errors.Is(err, blockfile.ErrVersion) || errors.Is(err, manifest.ErrVersion) || errors.Is(err, log.ErrVersion) {
		return problem.IndexUnsupported.New("features", "a newer format").Because(err)
	}
	return problem.StorageIoError.New("resource", "index").Because(err)
}

func (s *Set) giveBack(held *slot) {
	s.mu.Lock()
	held.usedAt = time.Now()
	s.mu.Unlock()
	s.leaveAlone(held)
}

// leaveAlone is giveBack by somebody who did not use the generation.
func (s *Set) leaveAlone(held *slot) {
	s.mu.Lock()
	held.users--
	over := s.isOver()
	s.mu.Unlock()
	if over {
		s.evict(context.Background())
	}
}

// Close closes every generation; those that are still at it when ctx ends leave
// without their last commit. Nothing can be acquired afterwards.
func (s *Set) Close(ctx context.Context) error {
	defer context.AfterFunc(ctx, s.hurry)()
	s.mu.Lock()
	s.closed = true
	s.end()
	all := make([]*slot, 0, len(s.slots))
	for _, id := range slices.SortedFunc(maps.Keys(s.slots), registry.ID.Compare) {
		all = append(all, s.slots[id])
	}
	s.mu.Unlock()
	for _, held := range all {
		<-held.opened
		s.mu.Lock()
		// In the place of a writer that could not be opened stands its copy.
		if now := s.slots[held.entry.Generation]; now != nil && now.engine != nil {
			s.leave(ctx, now)
		}
		s.mu.Unlock()
	}
	s.closing.Wait()
	return ctx.Err()
}
