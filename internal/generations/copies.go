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

// copied is what a copy knows of the manifest it shows.
type copied struct {
	mu        sync.Mutex
	tag       bucket.Tag
	askedAt   time.Time // when the last pull began
	checkedAt time.Time // when the last one that succeeded ended
	pulling   bool
	failed    bool  // the last pull failed: newer state may exist
	blocked   error // why this build cannot read the stored state; nil: it can
}

// fallBehind notes that newer state may exist.
func (c *copied) fallBehind() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = true
}

// refusal returns why a copy answers nothing, nil while it does.
func (c *copied) refusal() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocked == nil {
		return nil
	}
	return openProblem(c.blocked)
}

func (s *Set) pullOnce(ctx context.Context, remote *replication.Remote, directory string, m, have *manifest.Manifest) error {
	began := time.Now()
	err := remote.Pull(ctx, s.fs, directory, m, have)
	s.options.Metrics.SyncPull(err == nil, time.Since(began))
	return err
}

// checkAge refuses a stored manifest that is older than the one of the local
// copy: nothing goes back to it (I6, I14).
func (s *Set) checkAge(directory string, stored *manifest.Manifest) error {
	local, err := manifest.Read(s.fs, directory)
	if err != nil {
		return nil // there is no copy, or none that can be read
	}
	if stored.Version < local.Version || stored.Sequence < local.Sequence {
		return fmt.Errorf("generation %s: the stored manifest has version %d of commit %d, the local copy %d of %d", stored.Generation,
			stored.Version, stored.Sequence, local.Version, local.Sequence)
	}
	return nil
}

// openLimit is how long the first reader of a copy that is here waits for a bucket
// that does not answer (I18); pullLimit how long others do.
const (
	openLimit = time.Second
	pullLimit = 10 * time.Second
)

// openCopy brings a copy up to date and opens it. While the bucket cannot be
// read the copy that is there answers.
func (s *Set) openCopy(ctx context.Context, held *slot, storage engine.Storage) (*engine.Generation, error) {
	options := s.engineOptions(held)
	options.ReadOnly = true
	if s.isAway(held.entry.Generation) {
		if g, err := engine.Open(ctx, storage, options); err == nil {
			held.copied.fallBehind()
			return g, nil
		}
	}
	limit := pullLimit
	if _, err := manifest.Read(s.fs, storage.Directory); err == nil {
		limit = openLimit
	}
	failed := s.fetch(ctx, held, storage, nil, limit)
	if refused := held.copied.refusal(); refused != nil {
		return nil, refused
	}
	if failed != nil {
		if _, err := manifest.Read(s.fs, storage.Directory); err != nil {
			return nil, remoteProblem(failed)
		}
		s.options.Log.Error("the bucket cannot be read; the local copy answers", "index", held.entry.Name.Index,
			"generation", held.entry.Name.Generation, "error", failed)
	}
	g, err := engine.Open(ctx, storage, options)
	if err != nil && failed != nil {
		return nil, remoteProblem(failed)
	}
	return g, err
}

// fetch brings the directory of a copy to the stored manifest, for which it waits no
// longer than a limit. It changes nothing when that is the one the copy shows already.
func (s *Set) fetch(ctx context.Context, held *slot, storage engine.Storage, have *manifest.Manifest, limit time.Duration) error {
	remote := s.options.Remote.of(held.entry.Generation)
	c := &held.copied
	c.mu.Lock()
	tag := c.tag
	c.pulling, c.askedAt = true, time.Now()
	c.mu.Unlock()
	var blocked error
	err := func() error {
		var broken bucket.Tag // of the manifest whose files were missing
		for range pullTries {
			found, err := remote.ReadWithin(ctx, tag, limit)
			if errors.Is(err, bucket.ErrNotModified) {
				return nil
			}
			if blocked = s.readable(found, err); blocked != nil {
				return blocked
			}
			if err == nil {
				err = s.checkAge(storage.Directory, found.Manifest)
			}
			if err != nil {
				return err
			}
			if err := s.known(held.entry.Generation, found.Tag); err != nil {
				return err
			}
			err = s.pullOnce(ctx, remote, storage.Directory, found.Manifest, have)
			if err == nil {
				tag = found.Tag
				s.notWrong(held.entry.Generation)
				return nil
			}
			if errors.Is(err, replication.ErrMismatch) || found.Tag == broken {
				s.noteWrong(held.entry, found.Tag, err)
			}
			if !errors.Is(err, bucket.ErrNotFound) || found.Tag == broken {
				return err
			}
			broken, tag = found.Tag, ""
		}
		return errors.New("the manifest was replaced during every pull")
	}()
	if err == nil {
		s.answered(held.entry.Generation)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pulling, c.failed, c.blocked = false, err != nil, blocked
	if err == nil {
		c.tag, c.checkedAt = tag, time.Now()
	}
	return err
}

// renew pulls a copy that is open and shows what came. One that another pull
// brought up to date since the call began is not pulled again.
func (s *Set) renew(ctx context.Context, held *slot) error {
	c := &held.copied
	began := time.Now()
	select {
	case held.turn <- struct{}{}:
	case <-held.fetching.Done():
		return problem.IndexClosed.New()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-held.turn }()
	c.mu.Lock()
	isDone := !c.failed && c.askedAt.After(began)
	c.mu.Unlock()
	if isDone {
		return nil
	}
	view := held.engine.Snapshot()
	if view == nil {
		return problem.IndexClosed.New()
	}
	view.Release()
	if err := s.fetch(ctx, held, s.storage(held.entry.Generation), held.engine.Manifest(), pullLimit); err != nil {
		return err
	}
	err := vfs.Protect(func() error { return held.engine.Reload(ctx) })
	if errors.Is(err, vfs.ErrFault) || errors.Is(err, blockfile.ErrCorrupt) {
		// What is here is not what was fetched: new files are looked at by the next
		// pull, those that are open by the repair.
		c.mu.Lock()
		c.tag, c.failed = "", true
		c.mu.Unlock()
		s.suspect(held)
	}
	return err
}

// endPulls waits for whoever fetches files and lets nobody follow. A repair, which
// nobody waits for, ends at once.
func (held *slot) endPulls() {
	held.endFetch()
	held.turn <- struct{}{}
}

// retire closes a copy whose place a writer took, and its turn with it. The caller
// holds mu.
func (s *Set) retire(copy *slot) {
	copy.endFetch()
	s.closing.Go(func() {
		if err := copy.engine.Close(context.Background()); err != nil {
			s.options.Log.Warn("a copy was not closed in good order", "index", copy.entry.Name.Index, "error", err)
		}
	})
}

// IsCopy reports whether the generation is written elsewhere.
func (g *Generation) IsCopy() bool { return !g.held.isWriter }

// Pull brings a copy to what the bucket holds now. A generation that is
// written here holds it.
func (s *Set) Pull(ctx context.Context, g *Generation) error {
	if !g.IsCopy() {
		return nil
	}
	if err := s.renew(ctx, g.held); err != nil {
		return remoteProblem(err)
	}
	return nil
}

// TryAgain is told that somebody may have mended a generation: what could not be
// fetched or opened a while ago is tried by the next one who asks.
func (s *Set) TryAgain(generation registry.ID) {
	s.notWrong(generation)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rests, generation)
}

// Renew pulls the copies that are open and may be behind: those whose last pull
// failed, those of which version says another than they show, and those that
// were not checked for the interval. At most so many are pulled at once.
func (s *Set) Renew(ctx context.Context, version func(registry.ID) (uint64, bool), verify time.Duration, concurrency int) {
	if s.options.Remote == nil {
		return
	}
	slots := make(chan struct{}, max(concurrency, 1))
	var group sync.WaitGroup
	for _, g := range s.Open() {
		if !g.IsCopy() || !g.isBehind(version, verify) {
			g.Release()
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			defer g.Release()
			if err := s.renew(ctx, g.held); err != nil && ctx.Err() == nil && !errors.Is(err, problem.IndexClosed) && !errors.Is(err, errWrong) {
				s.options.Log.Error("a copy cannot be brought up to date", "index", g.Entry.Name.Index,
					"generation", g.Entry.Name.Generation, "error", err)
			}
		})
	}
	group.Wait()
}

func (g *Generation) isBehind(version func(registry.ID) (uint64, bool), verify time.Duration) bool {
	c := &g.held.copied
	c.mu.Lock()
	failed, checkedAt := c.failed, c.checkedAt
	c.mu.Unlock()
	hinted, known := version(g.Entry.Generation)
	return failed || !known || hinted != g.Manifest().Version || time.Since(checkedAt) >= verify
}
