package generations

import (
	"context"
	"errors"
	"fmt"
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

	// Taken runs when the previous writer of a generation is fenced and nothing was
	// acknowledged yet; an error keeps it from being opened, one with ErrUnread until
	// the registry was read. May be nil.
	Taken func(context.Context, registry.Entry) error

	// Age returns how long ago the registry was last read. May be nil without Taken.
	Age func() time.Duration

	// Exists reads the registry again and fails unless it lists an entry. May be nil.
	Exists func(context.Context, registry.Entry) error

	// Newest returns the highest version of the manifest of a generation that is known to
	// have been stored, 0 when none is. May be nil.
	Newest func(registry.ID) uint64
}

func (r *Remote) newest(generation registry.ID) uint64 {
	if r.Newest == nil {
		return 0
	}
	return r.Newest(generation)
}

// ErrUnread marks what failed because the registry could not be read.
var ErrUnread = errors.New("the registry cannot be read")

// Claims report whether this node writes an index.
type Claims interface {
	// Holds reports whether this node writes an index, as far as it knows.
	Holds(index registry.ID) bool
	// Claim makes this node the one that writes an index. Its errors are
	// problems.
	Claim(ctx context.Context, index registry.ID) error
	// Confirm reads again which node writes an index.
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

func (r *Remote) of(generation registry.ID) *replication.Remote { return r.ofID(generation.String()) }

func (r *Remote) ofID(generation string) *replication.Remote {
	return replication.New(r.Bucket, generation, r.Grace)
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

// openOver opens a writer in the place of a copy, which keeps its turn for good
// unless that fails: no pull runs beside a writer (GN5).
func (s *Set) openOver(ctx context.Context, inst *instance, storage engine.Storage, options engine.Options) (*engine.Generation, error) {
	inst.previous.turn <- struct{}{}
	isOpen := false
	defer func() {
		if !isOpen {
			<-inst.previous.turn
		}
	}()
	g, err := s.openWriter(ctx, inst, storage, options)
	isOpen = err == nil
	return g, err
}

// openWriter fences the previous writer, brings the copy up to date and
// replays the log.
func (s *Set) openWriter(ctx context.Context, inst *instance, storage engine.Storage, options engine.Options) (*engine.Generation, error) {
	r := s.remote
	remote := r.of(inst.entry.Generation)
	if err := s.fs.MakeDir(storage.Directory); err != nil {
		return nil, err
	}
	writer, isBehind, err := s.takeOver(ctx, inst.entry, storage.Directory)
	if err != nil {
		return nil, remoteProblem(err)
	}
	writer.DoubtWhen(r.Claims.Doubt)
	if r.Taken != nil {
		taken, cancel := context.WithTimeout(ctx, takeLimit)
		defer cancel()
		if err := r.Taken(taken, inst.entry); err != nil {
			return nil, remoteProblem(err)
		}
	}
	if err := s.pullOnce(ctx, remote, storage.Directory, writer.Manifest(), nil); err != nil {
		return nil, remoteProblem(err)
	}
	storage.Log, storage.Publisher = writer, &timed{writer, s, inst}
	g, err := engine.Open(ctx, storage, options)
	if err == nil && isBehind {
		// What this node showed before is in the log; it shows nothing less (I6).
		if _, err = g.Commit(ctx, engine.Explicit); err != nil {
			err = errors.Join(err, g.Close(ctx))
		}
	}
	if err != nil {
		return nil, remoteProblem(err)
	}
	s.mu.Lock()
	inst.writer = writer
	s.mu.Unlock()
	return g, nil
}

// errEarlier marks a stored manifest that the local copy is built on.
var errEarlier = errors.New("the stored manifest is an earlier one")

// takeOver fences the previous writer of a generation. An earlier manifest than that of the
// local copy, as a late write or an operator may put in the place of a lost one, is
// first replaced by what the copy holds, if the copy is built on it and none is known to
// be newer. Otherwise the generation is taken only where the log leads on to what the copy
// holds, which isBehind reports. A manifest that is not taken stays as it is, for a node
// whose copy is built on it.
func (s *Set) takeOver(ctx context.Context, entry registry.Entry, directory string) (writer *replication.Writer, isBehind bool, err error) {
	remote, newest := s.remote.of(entry.Generation), s.remote.newest(entry.Generation)
	local := s.localManifest(directory)
	take := func(mayReplace bool) (*replication.Writer, error) {
		taking, cancel := context.WithTimeout(ctx, takeLimit)
		defer cancel()
		return remote.TakeIf(taking, s.fs, directory, registry.NewID().String(), func(stored *manifest.Manifest) error {
			older := checkAge(local, stored)
			isBehind = older != nil
			switch {
			case isBehind && mayReplace && local.IsBuiltOn(stored) && local.Version >= newest:
				return errEarlier
			case isBehind && isInLog(taking, remote, local, stored):
				return nil
			}
			return older
		})
	}
	if writer, err = take(true); !errors.Is(err, errEarlier) {
		return writer, isBehind, err
	}
	if s.remote.Exists != nil {
		if err := s.remote.Exists(ctx, entry); err != nil {
			return nil, false, err
		}
	}
	lack, err := remote.Restore(ctx, s.fs, directory, newest)
	if err == nil && lack.IsNothing() {
		s.options.Log.Warn("stored a local copy in the place of an earlier manifest", "index", entry.Name.Index,
			"generation", entry.Name.Generation)
	} else {
		s.options.Log.Error("cannot store a local copy in the place of an earlier manifest", "index", entry.Name.Index,
			"generation", entry.Name.Generation, "error", err)
	}
	writer, err = take(false)
	return writer, isBehind, err
}

// isInLog reports whether the log goes on from a stored manifest to at least what
// the local copy holds: then that manifest is an earlier one which a node gave back
// after the bucket had lost it, and together with the log it lacks nothing. The log holds
// no definitions, so the two have to be the same.
func isInLog(ctx context.Context, remote *replication.Remote, local, stored *manifest.Manifest) bool {
	return string(local.Definition) == string(stored.Definition) && remote.HoldsLog(ctx, stored, local.LastLSN)
}

// timed feeds the meters of pushes.
type timed struct {
	*replication.Writer
	set  *Set
	inst *instance
}

func (t *timed) Publish(ctx context.Context, next *manifest.Manifest) error {
	began := time.Now()
	t.inst.pushing.Add(1)
	defer t.inst.pushing.Add(-1)
	err := t.Writer.Publish(ctx, next)
	if errors.Is(err, replication.ErrNoManifest) && t.set.heal(ctx, t.inst.entry, t.Writer) == nil {
		err = t.Writer.Publish(ctx, next)
	}
	if !errors.Is(err, engine.ErrFenced) {
		t.set.noteRisk(t.inst.entry.Generation, func(r *risk) { r.commit = err })
	}
	t.set.options.Metrics.SyncPush(err == nil, time.Since(began))
	if errors.Is(err, engine.ErrFenced) {
		t.set.options.Metrics.SyncConflict("push")
	}
	return err
}

// remoteProblem returns the problem that a caller gets of a failure of the bucket.
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
	writer := g.instance.writer
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

// Fence keeps the writer of a generation that was removed from acknowledging
// anything there. What opens it again reads the registry before it does. Nobody
// fences it later, so a bucket that does not answer is asked again until ctx ends.
func (s *Set) Fence(ctx context.Context, generation registry.ID) error {
	return bucket.Again(ctx, func() error {
		_, err := s.remote.of(generation).Take(ctx, s.fs, s.storage(generation).Directory, registry.NewID().String())
		return err
	})
}

// Demote closes what is open to write of an index that another node writes
// now. The next read opens a copy.
func (s *Set) Demote(index registry.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubt(index)
	for _, h := range s.holdings {
		if h.entry.Index == index {
			s.fire(context.Background(), h, demote)
		}
	}
}

// isForeign reports whether an instance is open to write what another node writes.
func (s *Set) isForeign(inst *instance) bool {
	return inst.isWriter && !s.deployment.holds(inst.entry.Index)
}

// Sweep removes objects that nothing names any more of every generation that
// is written here.
func (s *Set) Sweep(ctx context.Context) {
	for _, g := range s.Open() {
		s.mu.Lock()
		writer := g.instance.writer
		s.mu.Unlock()
		if writer != nil && g.Err() == nil && ctx.Err() == nil {
			swept, err := writer.Sweep(ctx)
			switch {
			case err != nil && ctx.Err() == nil:
				s.options.Log.Warn("cannot sweep the objects of a generation", "index", g.Entry.Name.Index,
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
	all := make(map[registry.ID]uint64)
	for id, h := range s.holdings {
		if h.published > 0 {
			all[id] = h.published
		}
	}
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
// or whose grace is over; those that report its removal go last.
func (s *Set) EraseRemote(ctx context.Context, generation registry.ID) error {
	return s.deployment.erase(ctx, generation)
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
