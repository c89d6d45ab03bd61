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
	Grace  time.Duration // how long replaced objects stay
	Claims Claims

	HalfLife time.Duration // of the count of opens that ranks copies

	// Taken runs when the previous writer of a generation is fenced, before
	// anything is acknowledged. An error keeps the generation from being opened, an
	// ErrUnread until the registry was read. May be nil.
	Taken func(context.Context, registry.Entry) error

	// Age returns the time since the registry was last read. May be nil without
	// Taken.
	Age func() time.Duration

	// Exists reads the registry again and fails unless it lists an entry. May be
	// nil.
	Exists func(context.Context, registry.Entry) error

	// Newest returns the highest manifest version of a generation that is known to
	// have been stored, or 0. May be nil.
	Newest func(registry.ID) uint64
}

func (r *Remote) newest(generation registry.ID) uint64 {
	if r.Newest == nil {
		return 0
	}
	return r.Newest(generation)
}

// ErrUnread marks failures caused by a registry that could not be read.
var ErrUnread = errors.New("the registry cannot be read")

// Claims reports which indexes this node writes.
type Claims interface {
	// Holds reports whether this node writes an index, as far as it knows.
	Holds(index registry.ID) bool
	// Claim makes this node the owner of an index. Its errors are problems.
	Claim(ctx context.Context, index registry.ID) error
	// Confirm reads again whether this node writes an index.
	Confirm(ctx context.Context, index registry.ID) (bool, error)
	// Doubt reports whether another node may have taken over.
	Doubt() bool
}

const (
	settleLimit = 30 * time.Second // to replace one object
	takeLimit   = time.Minute      // to fence the previous writer
	logWait     = 10 * time.Second // for a log record that the bucket does not take; then the write is answered
	pullTries   = 3                // reads of a manifest that is replaced during a pull
)

func (r *Remote) of(generation registry.ID) *replication.Remote { return r.ofID(generation.String()) }

func (r *Remote) ofID(generation string) *replication.Remote {
	return replication.New(r.Bucket, generation, r.Grace)
}

// first publishes the manifest of a new generation.
type first struct{ remote *replication.Remote }

func (f first) Publish(ctx context.Context, m *manifest.Manifest) error {
	return f.remote.Create(ctx, m)
}

// errIncompatible marks files in a format that this build does not read.
var errIncompatible = errors.New("the stored format is not read by this build")

// readable returns why this build cannot read a stored state, before any of it is
// fetched, or nil when it can.
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

// openOver opens a writer in place of a copy. It takes the copy's turn, and keeps
// it unless the open fails: no pull runs beside a writer (GN5).
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

// openWriter fences the previous writer, brings the copy up to date and replays the
// log.
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
		// What this node showed before is in the log; it must not show less (I6).
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

// takeOver fences the previous writer of a generation. The stored manifest may be
// earlier than that of the local copy, if a late write or an operator replaced a
// lost one by it. It is then first replaced by what the copy holds, if the copy is
// built on it and none newer is known. Otherwise the generation is taken only if
// the log leads on to what the copy holds, which isBehind reports. A manifest that
// is not taken stays as it is, for a node whose copy is built on it.
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

// isInLog reports whether the log continues from a stored manifest at least to what
// the local copy holds. That manifest is then an earlier one that a node restored
// after the bucket had lost it, and together with the log it lacks nothing. The log
// holds no definitions, so the two definitions must be equal.
func isInLog(ctx context.Context, remote *replication.Remote, local, stored *manifest.Manifest) bool {
	return string(local.Definition) == string(stored.Definition) && remote.HoldsLog(ctx, stored, local.LastLSN)
}

// timed records the meters of pushes.
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

// remoteProblem returns the problem that callers get for a failure of the bucket.
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

// Prove reads again whether this node still writes the generation, and fails if
// another node does.
func (g *Generation) Prove(ctx context.Context) error { return g.ProveSince(ctx, time.Now()) }

// ProveSince is Prove, and returns at once when a proof is known from after since.
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

// Fence keeps the writer of a removed generation from acknowledging anything there.
// A node that opens it again reads the registry first. Fence retries a bucket that
// does not answer until ctx ends, because no later step fences the writer.
func (s *Set) Fence(ctx context.Context, generation registry.ID) error {
	return bucket.Again(ctx, func() error {
		_, err := s.remote.of(generation).Take(ctx, s.fs, s.storage(generation).Directory, registry.NewID().String())
		return err
	})
}

// Demote closes the writers of an index that another node now writes. The next read
// opens a copy.
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

// isForeign reports whether an instance is a writer of an index that another node
// writes.
func (s *Set) isForeign(inst *instance) bool {
	return inst.isWriter && !s.deployment.holds(inst.entry.Index)
}

// Sweep removes objects that nothing names any more, for every generation written
// here.
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

// Versions returns the manifest version of every generation that is or was written
// here, as far as this node knows it.
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

// EraseRemote deletes the objects of a generation that was never registered, or
// whose grace is over. The objects that report its removal are deleted last.
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

// Documents returns how many documents the last commit of a generation holds here, 0
// if there is none.
func (s *Set) Documents(generation registry.ID) (int64, error) {
	m, err := manifest.Read(s.fs, s.storage(generation).Directory)
	if errors.Is(err, vfs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return m.Live, nil
}

func trimSlash(name string) string {
	if n := len(name); n > 0 && name[n-1] == '/' {
		return name[:n-1]
	}
	return name
}
