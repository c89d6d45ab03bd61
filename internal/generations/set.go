// Package generations keeps the generations of this node open: it opens a
// generation on first use, shares it among all callers, closes the least recently
// used beyond a bound, and removes deleted ones.
//
//	g, err := set.Acquire(ctx, entry) // to write; AcquireToRead accepts a copy
//	defer g.Release()
//
// In object mode directories are copies of what the bucket holds. A generation of
// an index that another node writes is open as a copy, read-only and brought up to
// date by pulls. When this node takes the index over, it opens a writer in place of
// the copy, which answers reads until the writer is open. When another node takes
// it over, the writer is closed and the next read opens a copy. A generation that
// cannot be opened, or that fails as soon as it is open, is tried less and less
// often.
//
// A holding is what the node knows of one generation; an instance is one engine
// opened on its directory. The life of a generation is a state machine: state.go is
// the table, LIFECYCLE.md the diagram, and Set.fire the one place that changes a
// state. The actions are in writer.go, copy.go, repair.go (damaged local files),
// heal.go (objects missing in the bucket), finish.go (logs), remove.go and
// budget.go.
//
// Invariants:
//
//	GN1  A generation is open at most once, apart from a copy that a writer replaces.
//	GN2  A generation that is in use is not evicted.
//	GN3  A generation that was removed is not opened again unless it is restored.
//	GN4  In object mode a generation is opened to write only while this node claims
//	     its index, and after its previous writer was fenced.
//	GN5  Two pulls of one directory never overlap, and none runs beside a writer.
//	GN6  A state changes only as the table of state.go says.
//
// A Set may be used by any number of goroutines. Opening one generation does not
// delay callers that want another.
package generations

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/lifetime"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Options configure a Set.
type Options struct {
	MaxOpen int // generations open at once; 0: unlimited
	// CloseGrace is how long an evicted generation stays usable beyond MaxOpen.
	CloseGrace time.Duration
	Engine     engine.Options
	Metrics    *metrics.Set
	Log        *slog.Logger
	Remote     *Remote // where generations are kept in object mode; nil in local mode
	// Changed runs when a generation has a new snapshot. It must not block and may
	// be nil.
	Changed func(registry.Entry)
	// Listed reports whether the registry lists an entry. It turns false before a
	// generation is removed and true again when it is restored. It must not block.
	// With nil nothing is restored.
	Listed func(registry.Entry) bool
}

// Set is the open generations of a node.
type Set struct {
	fs         vfs.FS
	directory  string
	options    Options
	remote     *Remote // nil in local mode; used by deployment and by methods that only shared nodes call
	deployment deployment

	closing sync.WaitGroup     // opens and closes under way
	life    *lifetime.Lifetime // of repairs and log checks: until the Set is closed

	mu        sync.Mutex
	holdings  map[registry.ID]*holding    // by generation
	moves     map[registry.ID]*indexMoves // by index
	open      int                         // holdings whose state isHeld
	evicted   int                         // holdings in their grace period, included in open
	closed    bool
	hurried   bool          // the time for the close is over: generations closed from now on make no last commit
	finishers chan struct{} // buffered: held by goroutines that open a log to finish it
}

// New returns a Set of the generations below a directory.
func New(fs vfs.FS, directory string, options Options) *Set {
	s := &Set{fs: fs, directory: directory, options: options, remote: options.Remote, deployment: local{}, life: lifetime.New(),
		holdings: make(map[registry.ID]*holding), moves: make(map[registry.ID]*indexMoves)}
	if s.remote != nil {
		s.deployment = shared{s}
	}
	return s
}

func (s *Set) storage(generation registry.ID) engine.Storage {
	return engine.Storage{FS: s.fs, Directory: s.directory + "/" + generation.String(), ID: generation.String()}
}

// Create makes an empty generation, which is durable when Create returns.
func (s *Set) Create(ctx context.Context, generation registry.ID, d *definition.Definition) error {
	err := s.fs.MakeDir(s.directory)
	if err == nil {
		err = s.fs.SyncDir(path.Dir(s.directory))
	}
	if err != nil {
		return problem.StorageIoError.New("resource", "index").Because(err)
	}
	if err := s.deployment.create(ctx, s.storage(generation), d); err != nil {
		if errors.Is(err, bucket.ErrUnknown) {
			return problem.StorageUnknown.New("resource", "index").Because(err)
		}
		return problem.StorageIoError.New("resource", "index").Because(err)
	}
	return nil
}

// Generation is an open generation in use.
type Generation struct {
	*engine.Generation
	Entry registry.Entry

	set       *Set
	instance  *instance
	fs        vfs.FS
	directory string
	release   func()
}

// Release ends the use of the generation. Snapshots taken from it stay valid.
func (g *Generation) Release() { g.release() }

// The reasons for opening a generation, as the meter of opens reports them.
const (
	ForRequest    = "request"
	ForPreload    = "preload"
	ForBackground = "background"
)

// Acquire returns the open generation of an entry, opening it if necessary. Its
// errors are problems.
func (s *Set) Acquire(ctx context.Context, entry registry.Entry) (*Generation, error) {
	return s.AcquireFor(ctx, entry, ForRequest)
}

// AcquireToRead is Acquire for a caller that does not write: it also accepts a
// copy, or a generation that takes no more writes.
func (s *Set) AcquireToRead(ctx context.Context, entry registry.Entry) (*Generation, error) {
	return s.AcquireToReadFor(ctx, entry, ForRequest)
}

// AcquireToReadFor is AcquireToRead with a purpose other than a request.
func (s *Set) AcquireToReadFor(ctx context.Context, entry registry.Entry, purpose string) (*Generation, error) {
	toWrite := s.deployment.readsWriter(entry)
	ask := askCopy
	if toWrite {
		ask = askEither
	}
	inst, err := s.acquire(ctx, entry, purpose, ask)
	if err != nil && toWrite && s.deployment.readsCopy() && ctx.Err() == nil {
		// A generation that cannot be opened to write now may still be readable.
		inst, err = s.acquire(ctx, entry, purpose, askCopy)
	}
	if err == nil {
		if err = inst.pulled.refusal(); err != nil {
			s.giveBack(inst)
		}
	}
	if err != nil {
		return nil, err
	}
	return s.handOut(inst, entry), nil
}

// openTries is how often a failed generation is opened again for one caller.
const openTries = 1

// AcquireFor is Acquire with a purpose other than a request.
func (s *Set) AcquireFor(ctx context.Context, entry registry.Entry, purpose string) (*Generation, error) {
	for try := 0; ; try++ {
		if err := s.deployment.claim(ctx, entry.Index); err != nil {
			return nil, err
		}
		if s.isHidden(entry.Generation) {
			// Reads continue on local data while it is opened.
			if shown, err := s.acquire(ctx, entry, purpose, askCopy); err == nil {
				s.giveBack(shown)
			}
		}
		inst, err := s.acquire(ctx, entry, purpose, askWriter)
		if err != nil {
			return nil, err
		}
		failure := inst.failure()
		if failure == nil {
			return s.handOut(inst, entry), nil
		}
		s.giveBack(inst)
		// It takes no more writes. Opening it again brings back everything that was
		// acknowledged.
		if try == openTries || !s.replace(inst) {
			return nil, failedProblem(failure) // the cause of the failure remains
		}
		if errors.Is(failure, engine.ErrFenced) {
			if err := s.deployment.confirm(ctx, entry.Index); err != nil {
				return nil, err
			}
		}
	}
}

// acquire counts a user of an instance and waits until it is open. A reader gets
// the copy that answers until a writer is open.
func (s *Set) acquire(ctx context.Context, entry registry.Entry, purpose string, ask event) (*instance, error) {
	inst, isFirst, err := s.take(entry, ask)
	if err != nil {
		return nil, err
	}
	if isFirst {
		s.closing.Go(func() { s.openInstance(inst, purpose) })
	}
	began := time.Now()
	select {
	case <-inst.opened:
	default:
		select {
		case <-inst.opened:
			if purpose == ForRequest {
				s.options.Metrics.OpenWait(inst.err == nil, time.Since(began))
			}
		case <-ctx.Done():
			s.giveBack(inst)
			return nil, problem.IndexClosed.New().Because(ctx.Err())
		}
	}
	if inst.err != nil {
		s.giveBack(inst)
		return nil, inst.err
	}
	return inst, nil
}

func (s *Set) handOut(inst *instance, entry registry.Entry) *Generation {
	storage := s.storage(entry.Generation)
	return &Generation{Generation: inst.engine, Entry: entry, set: s, instance: inst, fs: storage.FS, directory: storage.Directory, release: sync.OnceFunc(func() { s.giveBack(inst) })}
}

// take fires an ask and counts a user of the resulting instance: the one open or
// being opened, or the copy that a writer is about to replace. It reports whether
// the caller must open it.
func (s *Set) take(entry registry.Entry, ask event) (inst *instance, isFirst bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.of(entry)
	if s.closed || s.isRemoved(h, entry) {
		return nil, false, problem.IndexClosed.New()
	}
	if h.current != nil {
		s.stay(h.current)
	}
	if step(h.state, ask).opensWriter() {
		if err := s.refusal(h); err != nil {
			return nil, false, err
		}
	}
	done := s.fire(context.Background(), h, ask)
	switch {
	case done.has(refuse):
		return nil, false, problem.IndexClosed.New()
	case done.has(useCopy):
		inst = h.current.previous
	default:
		inst, isFirst = h.current, !done.has(useCurrent)
	}
	inst.users++
	inst.usedAt = time.Now()
	return inst, isFirst, nil
}

func (s *Set) openInstance(inst *instance, purpose string) {
	ctx, cancel := inst.opening.Context(context.Background())
	defer cancel()
	if inst.after != nil {
		<-inst.after
	}
	var g *engine.Generation
	err := vfs.Protect(func() (err error) {
		g, err = s.deployment.open(ctx, inst, s.storage(inst.entry.Generation), s.engineOptions(inst.entry))
		return err
	})
	if err != nil {
		s.options.Log.Error("cannot open a generation", "index", inst.entry.Name.Index,
			"generation", inst.entry.Name.Generation, "error", err)
		inst.err = openProblem(err)
		s.mu.Lock()
		s.openFailed(inst)
		s.mu.Unlock()
	} else {
		s.mu.Lock()
		inst.engine, inst.openedAt = g, time.Now()
		s.openSucceeded(inst)
		s.mu.Unlock()
		s.options.Metrics.IndexOpened(purpose)
		s.deployment.noteOpen(inst, purpose)
		if s.options.Changed != nil {
			s.options.Changed(inst.entry)
		}
	}
	close(inst.opened)
	s.evict(context.Background())
}

// openSucceeded fires opened, unless another instance took this one's place. The
// caller must hold mu.
func (s *Set) openSucceeded(inst *instance) {
	h := s.at(inst.entry.Generation)
	if inst.isWriter {
		h.log, h.unfinished = logCheck{}, false
		h.backoff.opened()
	}
	if h.current != inst {
		return
	}
	s.fire(context.Background(), h, opened)
	if h.state == writing && s.isForeign(inst) {
		s.fire(context.Background(), h, demote) // the index went to another node meanwhile
	}
}

// openFailed fires failed, unless another instance took this one's place. The next
// caller tries again, a writer after its backoff. The caller must hold mu.
func (s *Set) openFailed(inst *instance) {
	h := s.at(inst.entry.Generation)
	if h.current != inst {
		return
	}
	done := s.fire(context.Background(), h, failed)
	if done.has(backOff) && !errors.Is(inst.err, context.Canceled) {
		h.backoff.extend(inst.err, s.deployment.backoffLimits())
	}
}

// engineOptions returns the options of one generation.
func (s *Set) engineOptions(entry registry.Entry) engine.Options {
	options := s.options.Engine
	if s.options.Changed != nil {
		options.Changed = func() { s.options.Changed(entry) }
	}
	return options
}

// openProblem returns the problem that callers get for a failed open.
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

func (s *Set) giveBack(inst *instance) {
	s.mu.Lock()
	inst.usedAt = time.Now()
	s.mu.Unlock()
	s.leaveAlone(inst)
}

// leaveAlone is giveBack for a caller that did not use the generation.
func (s *Set) leaveAlone(inst *instance) {
	s.mu.Lock()
	inst.users--
	over := s.isOver()
	s.mu.Unlock()
	if over {
		s.evict(context.Background())
	}
}

// Close closes every generation. Those still closing when ctx ends skip their last
// commit. Nothing can be acquired afterwards.
func (s *Set) Close(ctx context.Context) error {
	defer context.AfterFunc(ctx, s.hurry)()
	s.mu.Lock()
	s.closed = true
	s.life.End()
	var all []*holding
	for _, id := range slices.SortedFunc(maps.Keys(s.holdings), registry.ID.Compare) {
		if h := s.holdings[id]; h.current != nil {
			all = append(all, h)
		}
	}
	s.mu.Unlock()
	for _, h := range all {
		s.mu.Lock()
		inst := h.current
		s.mu.Unlock()
		if inst == nil {
			continue // it has left meanwhile
		}
		<-inst.opened
		s.mu.Lock()
		// A writer that could not be opened has been replaced by its copy.
		if h.current != nil && h.current.engine != nil {
			s.fire(ctx, h, shutDown)
		}
		s.mu.Unlock()
	}
	s.closing.Wait()
	return ctx.Err()
}
