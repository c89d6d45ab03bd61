package generations

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Remote is where generations are kept in object mode.
type Remote struct {
	Bucket bucket.Bucket
	Grace  time.Duration // replaced objects stay for so long
	Claims Claims

	HalfLife time.Duration // of the count of opens that ranks copies

	// Taken runs when whoever wrote a generation before was fenced and nothing was
	// acknowledged yet; an error keeps it from being opened. May be nil.
	Taken func(context.Context, registry.Entry) error

	// Exists reads the registry again and fails unless it lists an entry. May be nil.
	Exists func(context.Context, registry.Entry) error
}

// Claims tell whether this node writes an index.
type Claims interface {
	// Holds reports whether this node writes an index, as far as it knows.
	Holds(index registry.ID) bool
	// Claim makes this node the one that writes an index. Its errors are
	// problems.
	Claim(ctx context.Context, index registry.ID) error
	// Confirm reads again who writes an index.
	Confirm(ctx context.Context, index registry.ID) (bool, error)
	// Doubt reports whether another node may have taken over.
	Doubt() bool
}

const (
	settleLimit = 30 * time.Second // for one object to be replaced
	takeLimit   = time.Minute      // for the writer before to be fenced
	logWait     = 10 * time.Second // for a bucket that takes no log record, by a write that is answered then
	pullTries   = 3                // a manifest that is replaced during a pull is read again
)

func (r *Remote) of(generation registry.ID) *replication.Remote {
	return replication.New(r.Bucket, generation.String(), r.Grace)
}

// first publishes the manifest of a generation that is created.
type first struct{ remote *replication.Remote }

func (f first) Publish(ctx context.Context, m *manifest.Manifest) error {
	return f.remote.Create(ctx, m)
}

// errIncompatible marks files of a format that this build does not read.
var errIncompatible = errors.New("the stored format is not read by this build")

// readable returns why this build cannot read a stored state, before anything
// of it is fetched; nil when it can.
func (s *Set) readable(found replication.Held, err error) error {
	if errors.Is(err, manifest.ErrVersion) {
		return fmt.Errorf("%w: %w", errIncompatible, err)
	}
	if err != nil {
		return nil
	}
	_, err = definition.DecodeStored(found.Manifest.Definition, s.options.Engine.Capabilities)
	if errors.Is(err, problem.IndexUnsupported) || errors.Is(err, problem.IndexDefinitionUnrepresentable) || errors.Is(err, problem.IndexFieldTypeUnrepresentable) {
		return err
	}
	return nil
}

// openEngine opens a generation as the slot asks.
func (s *Set) openEngine(ctx context.Context, held *slot) (*engine.Generation, error) {
	storage := s.storage(held.entry.Generation)
	switch {
	case s.options.Remote == nil:
		return engine.Open(ctx, storage, s.engineOptions(held))
	case held.previous != nil:
		return s.openOver(ctx, held, storage)
	case held.isWriter:
		return s.openWriter(ctx, held, storage)
	}
	return s.openCopy(ctx, held, storage)
}

// openOver opens a writer in the place of a copy, which keeps its turn for good
// unless that fails: no pull runs beside a writer (G5).
func (s *Set) openOver(ctx context.Context, held *slot, storage engine.Storage) (*engine.Generation, error) {
	held.previous.turn <- struct{}{}
	isOpen := false
	defer func() {
		if !isOpen {
			<-held.previous.turn
		}
	}()
	g, err := s.openWriter(ctx, held, storage)
	isOpen = err == nil
	return g, err
}

// openWriter fences whoever wrote before, brings the copy up to date and
// replays the log.
func (s *Set) openWriter(ctx context.Context, held *slot, storage engine.Storage) (*engine.Generation, error) {
	r := s.options.Remote
	remote := r.of(held.entry.Generation)
	if err := s.fs.MakeDir(storage.Directory); err != nil {
		return nil, err
	}
	taking, cancel := context.WithTimeout(ctx, takeLimit)
	defer cancel()
	writer, err := remote.Take(taking, s.fs, storage.Directory, registry.NewID().String())
	if err != nil {
		return nil, remoteProblem(err)
	}
	writer.DoubtWhen(r.Claims.Doubt)
	if r.Taken != nil {
		if err := r.Taken(taking, held.entry); err != nil {
			return nil, remoteProblem(err)
		}
	}
	if err := s.checkAge(storage.Directory, writer.Manifest()); err != nil {
		return nil, remoteProblem(err)
	}
	if err := s.pullOnce(ctx, remote, storage.Directory, writer.Manifest(), nil); err != nil {
		return nil, remoteProblem(err)
	}
	storage.Log, storage.Publisher = writer, &timed{writer, s, held}
	g, err := engine.Open(ctx, storage, s.engineOptions(held))
	if err != nil {
		return nil, remoteProblem(err)
	}
	s.mu.Lock()
	held.writer = writer
	s.mu.Unlock()
	return g, nil
}

// timed tells the meters of pushes.
type timed struct {
	*replication.Writer
	set  *Set
	held *slot
}

func (t *timed) Publish(ctx context.Context, next *manifest.Manifest) error {
	began := time.Now()
	t.held.pushing.Add(1)
	defer t.held.pushing.Add(-1)
	err := t.Writer.Publish(ctx, next)
	if errors.Is(err, replication.ErrNoManifest) && t.set.heal(ctx, t.held.entry, t.Writer) == nil {
		err = t.Writer.Publish(ctx, next)
	}
	if !errors.Is(err, engine.ErrFenced) {
		t.set.noteRisk(t.held.entry.Generation, func(r *risk) { r.commit = err })
	}
	t.set.options.Metrics.SyncPush(err == nil, time.Since(began))
	if errors.Is(err, engine.ErrFenced) {
		t.set.options.Metrics.SyncConflict("push")
	}
	return err
}

// leaveWhenOpen takes a copy that is being opened out of the set and closes it
// once it is open. The caller holds mu.
func (s *Set) leaveWhenOpen(held *slot) chan struct{} {
	id := held.entry.Generation
	before := s.leaving[id] // it may wait for a writer to close
	now := departure{over: make(chan struct{}), abandon: func() { before.hurry(); held.abandon() }}
	delete(s.slots, id)
	s.leaving[id] = now
	s.closing.Go(func() {
		<-held.opened
		if held.err == nil {
			held.endPulls()
			if err := held.engine.Close(context.Background()); err != nil {
				s.options.Log.Warn("a copy was not closed in good order", "index", held.entry.Name.Index, "error", err)
			}
		}
		s.left(id, now)
	})
	return now.over
}

// remoteProblem tells what a failure of the bucket is to a caller.
func remoteProblem(err error) error {
	var known *problem.Problem
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, engine.ErrFenced):
		return problem.IndexReadonly.New().Because(err)
	}
	return problem.StorageIoError.New("resource", "index").Because(err)
}

// Prove reads again whether this node still writes the generation, and fails
// when another one does.
func (g *Generation) Prove(ctx context.Context) error { return g.ProveSince(ctx, time.Now()) }

// ProveSince is Prove unless that is known of some moment after a time.
func (g *Generation) ProveSince(ctx context.Context, since time.Time) error {
	g.set.mu.Lock()
	writer := g.held.writer
	g.set.mu.Unlock()
	if writer == nil {
		return nil
	}
	err := writer.ProveSince(ctx, since)
	if errors.Is(err, replication.ErrNoManifest) && g.set.heal(ctx, g.Entry, writer) == nil {
		err = writer.ProveSince(ctx, since)
	}
	if err != nil {
		return remoteProblem(err)
	}
	return nil
}

// Fence keeps whoever wrote a generation that was removed from acknowledging
// anything there. What opens it again reads the registry before it does. Nobody
// fences it later, so a bucket that does not answer is asked again until ctx ends.
func (s *Set) Fence(ctx context.Context, generation registry.ID) error {
	if s.options.Remote == nil {
		return nil
	}
	return bucket.Again(ctx, func() error {
		_, err := s.options.Remote.of(generation).Take(ctx, s.fs, s.storage(generation).Directory, registry.NewID().String())
		return err
	})
}

// Demote closes what is open to write of an index that another node writes
// now. Whoever reads it next opens a copy.
func (s *Set) Demote(index registry.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubt(index)
	for _, held := range s.slots {
		if held.entry.Index == index && held.isWriter && held.engine != nil {
			s.leave(context.Background(), held)
		}
	}
}

// isForeign reports whether a slot is open to write what another node writes.
func (s *Set) isForeign(held *slot) bool {
	return s.options.Remote != nil && held.isWriter && !s.options.Remote.Claims.Holds(held.entry.Index)
}

// Sweep removes objects that nothing names any more of every generation that
// is written here.
func (s *Set) Sweep(ctx context.Context) {
	for _, g := range s.Open() {
		s.mu.Lock()
		writer := g.held.writer
		s.mu.Unlock()
		if writer != nil && g.Err() == nil && ctx.Err() == nil {
			swept, err := writer.Sweep(ctx)
			switch {
			case err != nil && ctx.Err() == nil:
				s.options.Log.Warn("objects of a generation were not swept", "index", g.Entry.Name.Index,
					"generation", g.Entry.Name.Generation, "error", err)
			case swept.Files+swept.Records > 0:
				s.options.Log.Debug("swept", "index", g.Entry.Name.Index, "generation", g.Entry.Name.Generation,
					"files", swept.Files, "records", swept.Records)
			}
		}
		g.Release()
	}
}

// Versions returns the version of the manifest of every generation that is or was
// written here, as far as this node knows it.
func (s *Set) Versions() map[registry.ID]uint64 {
	s.mu.Lock()
	all := maps.Clone(s.published)
	s.mu.Unlock()
	for _, g := range s.Open() {
		if !g.IsCopy() && g.Err() == nil {
			all[g.Entry.Generation] = g.Manifest().Version
		}
		g.Release()
	}
	return all
}

// EraseRemote deletes the objects of a generation that was never registered,
// or whose grace is over; those that tell of its removal go last.
func (s *Set) EraseRemote(ctx context.Context, generation registry.ID) error {
	if s.options.Remote == nil {
		return nil
	}
	return s.options.Remote.of(generation).Erase(ctx, "identity", "removed")
}

// Local returns the ids of the generations that have a directory here.
func (s *Set) Local() ([]registry.ID, error) {
	names, err := s.fs.List(s.directory)
	if errors.Is(err, vfs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []registry.ID
	for _, name := range names {
		if id, err := registry.ParseID(trimSlash(name)); err == nil {
			all = append(all, id)
		}
	}
	return all, nil
}

func trimSlash(name string) string {
	if n := len(name); n > 0 && name[n-1] == '/' {
		return name[:n-1]
	}
	return name
}
