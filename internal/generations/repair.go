package generations

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
)

// The files of a generation in object mode are copies. A file found damaged, by a
// search, a merge or the background verification, is fetched again and reopened
// while everything else continues. Until then a reader of a damaged part gets
// index:closed, and the state is needs_pull or pulling.

// repair is the state of the repair of an open generation.
type repair struct {
	mu         sync.Mutex
	damaged    bool          // files must be fetched again
	fetching   bool          // they are being fetched
	repairedAt time.Time     // when they were last fetched
	backoff    time.Duration // before the next repair
}

func (r *repair) state() (damaged, fetching bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.damaged, r.fetching
}

// begin notes damage. It reports whether the caller must begin a repair, and how
// long to wait first, so that a disk that damages what it is given is not written
// over and over.
func (r *repair) begin() (isFirst bool, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.damaged {
		return false, 0
	}
	r.damaged = true
	if r.backoff > 0 && time.Since(r.repairedAt) >= longestBackoff {
		r.backoff = 0
	}
	return true, r.backoff
}

func (r *repair) fetch(isFetching bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fetching = isFetching
}

func (r *repair) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.damaged, r.repairedAt = false, time.Now()
	r.backoff = longer(r.backoff, firstPause, longestBackoff)
}

var (
	errBusy = errors.New("a pull is under way")
	errLeft = errors.New("the generation is closed")
)

// Suspect notes that bytes of a generation could not be read. In object mode its
// files are then checked and damaged ones fetched again; Suspect does not wait for
// that.
func (s *Set) Suspect(g *Generation) {
	s.deployment.suspect(g.instance)
}

// suspect starts a repair that checks the files of a generation and fetches damaged
// ones again. It does not block: the caller that found the damage may hold a lock.
func (s *Set) suspect(inst *instance) {
	isFirst, wait := inst.repair.begin()
	if !isFirst {
		return
	}
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed {
			return
		}
		s.closing.Go(func() {
			<-inst.opened
			ctx, cancel := s.life.Context(context.Background())
			defer cancel()
			isRepaired := inst.err == nil && s.repair(ctx, inst, wait)
			inst.repair.end()
			if isRepaired && len(inst.engine.Damaged()) > 0 {
				s.suspect(inst) // found during the repair
			}
		})
	}()
}

// repair fetches the damaged files of a generation until it has them, the
// generation is closed or ctx ends. It reports whether it has them.
func (s *Set) repair(ctx context.Context, inst *instance, wait time.Duration) bool {
	for pause := firstPause; ; {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-inst.fetching.Done():
			timer.Stop()
			return false
		case <-timer.C:
		}
		repaired, err := s.repairOnce(ctx, inst)
		most := longestPause
		switch {
		case err == nil:
			s.options.Log.Warn("damaged files of a local copy were fetched again", "index", inst.entry.Name.Index,
				"generation", inst.entry.Name.Generation, "files", repaired)
			return true
		case errors.Is(err, errLeft) || ctx.Err() != nil || inst.fetching.HasEnded():
			return false
		case errors.Is(err, replication.ErrMismatch), errors.Is(err, bucket.ErrNotFound):
			most = longestBackoff // the bucket holds no intact copy
		}
		s.options.Log.Error("cannot fetch a damaged local copy again yet", "index", inst.entry.Name.Index,
			"generation", inst.entry.Name.Generation, "error", err)
		wait, pause = pause, min(2*pause, most)
	}
}

// repairOnce fetches those files of a generation that are not whole and reopens
// them. If no part was seen to be damaged, it checks all files and, when they are
// whole, reopens all.
func (s *Set) repairOnce(ctx context.Context, inst *instance) (repaired []string, err error) {
	view := inst.engine.Snapshot()
	if view == nil {
		return nil, errLeft
	}
	view.Release()
	select {
	case inst.turn <- struct{}{}:
		defer func() { <-inst.turn }()
	default:
		return nil, errBusy
	}
	ctx, cancel := inst.fetching.Context(ctx)
	defer cancel()
	inst.repair.fetch(true)
	defer inst.repair.fetch(false)
	storage := s.storage(inst.entry.Generation)
	damaged, m := inst.engine.Damaged(), inst.engine.Manifest()
	err = vfs.Protect(func() error {
		repaired, err = s.remote.of(inst.entry.Generation).Mend(ctx, s.fs, storage.Directory, m, damaged)
		if err != nil {
			return err
		}
		anew := repaired
		if len(damaged)+len(repaired) == 0 { // what could not be read for a while stays shut until reopened
			for _, f := range m.Files {
				anew = append(anew, f.Name)
			}
		}
		return inst.engine.Reopen(anew)
	})
	return repaired, err
}
