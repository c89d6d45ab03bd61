package generations

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// pulled is what a copy knows of the manifest it shows.
type pulled struct {
	mu        sync.Mutex
	tag       bucket.Tag
	beganAt   time.Time // when the last pull began
	checkedAt time.Time // when the last successful one ended
	pulling   bool
	failed    bool  // the last pull failed: newer state may exist
	blocked   error // why this build cannot read the stored state; nil: it can
}

// fallBehind notes that newer state may exist.
func (p *pulled) fallBehind() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = true
}

// refusal returns why a copy does not answer, or nil when it does.
func (p *pulled) refusal() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blocked == nil {
		return nil
	}
	return openProblem(p.blocked)
}

func (s *Set) pullOnce(ctx context.Context, remote *replication.Remote, directory string, m, have *manifest.Manifest) error {
	began := time.Now()
	err := remote.Pull(ctx, s.fs, directory, m, have)
	s.options.Metrics.SyncPull(err == nil, time.Since(began))
	return err
}

// checkAge rejects a stored manifest that is older than that of the local copy,
// because no node goes back to an earlier state (I6, I14). local is nil when there
// is no copy.
func checkAge(local, stored *manifest.Manifest) error {
	if local != nil && stored.Precedes(local) {
		return fmt.Errorf("generation %s: the stored manifest has version %d of commit %d, the local copy %d of %d", stored.Generation,
			stored.Version, stored.Sequence, local.Version, local.Sequence)
	}
	return nil
}

// localManifest returns the manifest of the local copy, or nil when it cannot be
// read.
func (s *Set) localManifest(directory string) *manifest.Manifest {
	local, err := manifest.Read(s.fs, directory)
	if err != nil {
		return nil
	}
	return local
}

// openLimit is how long the first reader of an existing local copy waits for a
// bucket that does not answer (I18); pullLimit is how long others wait.
const (
	openLimit = time.Second
	pullLimit = 10 * time.Second
)

// openCopy brings a copy up to date and opens it. While the bucket cannot be read,
// the existing local copy answers.
func (s *Set) openCopy(ctx context.Context, inst *instance, storage engine.Storage, options engine.Options) (*engine.Generation, error) {
	options.ReadOnly = true
	if s.isAway(inst.entry.Generation) {
		if g, err := engine.Open(ctx, storage, options); err == nil {
			inst.pulled.fallBehind()
			return g, nil
		}
	}
	limit := pullLimit
	if _, err := manifest.Read(s.fs, storage.Directory); err == nil {
		limit = openLimit
	}
	failed := s.fetch(ctx, inst, storage, nil, limit)
	if refused := inst.pulled.refusal(); refused != nil {
		return nil, refused
	}
	if failed != nil {
		if _, err := manifest.Read(s.fs, storage.Directory); err != nil {
			return nil, remoteProblem(failed)
		}
		s.options.Log.Error("cannot read the bucket; answering from the local copy", "index", inst.entry.Name.Index,
			"generation", inst.entry.Name.Generation, "error", failed)
	}
	g, err := engine.Open(ctx, storage, options)
	if err != nil && failed != nil {
		return nil, remoteProblem(failed)
	}
	if err == nil && failed == nil {
		g.RemoveLeftover() // of earlier states
	}
	return g, err
}

// fetch brings the directory of a copy to the stored manifest, waiting at most
// limit for the manifest. It changes nothing when the copy already shows it.
func (s *Set) fetch(ctx context.Context, inst *instance, storage engine.Storage, have *manifest.Manifest, limit time.Duration) error {
	remote := s.remote.of(inst.entry.Generation)
	p := &inst.pulled
	p.mu.Lock()
	tag := p.tag
	p.pulling, p.beganAt = true, time.Now()
	p.mu.Unlock()
	var blocked error
	err := func() error {
		var broken bucket.Tag // tag of the manifest whose files were missing
		for range pullTries {
			found, err := remote.ReadWithin(ctx, tag, limit)
			if errors.Is(err, bucket.ErrNotModified) {
				return nil
			}
			if blocked = s.readable(found, err); blocked != nil {
				return blocked
			}
			if err == nil {
				err = checkAge(s.localManifest(storage.Directory), found.Manifest)
			}
			if err != nil {
				return err
			}
			if err := s.checkFetchable(inst.entry.Generation, found.Tag); err != nil {
				return err
			}
			err = s.pullOnce(ctx, remote, storage.Directory, found.Manifest, have)
			if err == nil {
				tag = found.Tag
				s.noteFetchable(inst.entry.Generation)
				return nil
			}
			if errors.Is(err, replication.ErrMismatch) || found.Tag == broken {
				s.noteUnfetchable(inst.entry, found.Tag, err)
			}
			if !errors.Is(err, bucket.ErrNotFound) || found.Tag == broken {
				return err
			}
			broken, tag = found.Tag, ""
		}
		return errors.New("the manifest was replaced during every pull")
	}()
	if err == nil {
		s.answered(inst.entry.Generation)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pulling, p.failed, p.blocked = false, err != nil, blocked
	if err == nil {
		p.tag, p.checkedAt = tag, time.Now()
	}
	return err
}

// renew pulls an open copy and shows the result. It does nothing if another pull
// brought the copy up to date since the call began.
func (s *Set) renew(ctx context.Context, inst *instance) error {
	p := &inst.pulled
	began := time.Now()
	select {
	case inst.turn <- struct{}{}:
	case <-inst.fetching.Done():
		return problem.IndexClosed.New()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-inst.turn }()
	p.mu.Lock()
	isDone := !p.failed && p.beganAt.After(began)
	p.mu.Unlock()
	if isDone {
		return nil
	}
	view := inst.engine.Snapshot()
	if view == nil {
		return problem.IndexClosed.New()
	}
	view.Release()
	if err := s.fetch(ctx, inst, s.storage(inst.entry.Generation), inst.engine.Manifest(), pullLimit); err != nil {
		return err
	}
	err := vfs.Protect(func() error { return inst.engine.Reload(ctx) })
	if errors.Is(err, vfs.ErrFault) || errors.Is(err, blockfile.ErrCorrupt) {
		// The local files are not what was fetched: the next pull checks new files,
		// the repair those that are open.
		p.mu.Lock()
		p.tag, p.failed = "", true
		p.mu.Unlock()
		s.suspect(inst)
	}
	return err
}

// IsCopy reports whether another node writes the generation.
func (g *Generation) IsCopy() bool { return !g.instance.isWriter }

// Pull brings a copy to what the bucket holds now. A generation written here
// already holds that.
func (s *Set) Pull(ctx context.Context, g *Generation) error {
	if !g.IsCopy() {
		return nil
	}
	if err := s.renew(ctx, g.instance); err != nil {
		return remoteProblem(err)
	}
	return nil
}

// TryAgain ends the backoffs of a generation that may have been repaired: the next
// caller tries again to fetch or open it.
func (s *Set) TryAgain(generation registry.ID) {
	s.noteFetchable(generation)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(generation).backoff = backoff{}
}

// Renew pulls the open copies that may be behind: those whose last pull failed,
// whose hinted version is unknown or differs from theirs, or that were not checked
// for verify. It runs at most concurrency pulls at once.
func (s *Set) Renew(ctx context.Context, version func(registry.ID) (uint64, bool), verify time.Duration, concurrency int) {
	pulls := make(chan struct{}, max(concurrency, 1))
	var group sync.WaitGroup
	for _, g := range s.Open() {
		if !g.IsCopy() || !g.isBehind(version, verify) {
			g.Release()
			continue
		}
		pulls <- struct{}{}
		group.Go(func() {
			defer func() { <-pulls }()
			defer g.Release()
			if err := s.renew(ctx, g.instance); err != nil && ctx.Err() == nil && !errors.Is(err, problem.IndexClosed) && !errors.Is(err, errUnfetchable) {
				s.options.Log.Error("cannot bring a copy up to date", "index", g.Entry.Name.Index,
					"generation", g.Entry.Name.Generation, "error", err)
			}
		})
	}
	group.Wait()
}

func (g *Generation) isBehind(version func(registry.ID) (uint64, bool), verify time.Duration) bool {
	p := &g.instance.pulled
	p.mu.Lock()
	failed, checkedAt := p.failed, p.checkedAt
	p.mu.Unlock()
	hinted, known := version(g.Entry.Generation)
	return failed || !known || hinted != g.Manifest().Version || time.Since(checkedAt) >= verify
}
