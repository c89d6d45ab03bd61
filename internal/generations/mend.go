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

// The files of a generation in object mode are copies. One whose bytes are found
// damaged, by a search, a merge or the verification in the background, is fetched
// again and opened anew while everything else goes on. Until then whoever reads a
// damaged part is answered index:closed, and the state is needs_pull or pulling.

// mending is what is done about damaged files of an open generation.
type mending struct {
	mu       sync.Mutex
	damaged  bool          // files are to be fetched again
	fetching bool          // they are being fetched
	mendedAt time.Time     // when they last were
	rest     time.Duration // before that is done again
}

func (m *mending) state() (damaged, fetching bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.damaged, m.fetching
}

// begin notes damage. It reports whether somebody has to do something about it,
// and how long to wait before: a disk that damages what it is given is not written
// to over and over.
func (m *mending) begin() (isFirst bool, wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.damaged {
		return false, 0
	}
	m.damaged = true
	if m.rest > 0 && time.Since(m.mendedAt) >= longestRest {
		m.rest = 0
	}
	return true, m.rest
}

func (m *mending) fetch(isFetching bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fetching = isFetching
}

func (m *mending) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.damaged, m.mendedAt = false, time.Now()
	m.rest = min(max(2*m.rest, firstPause), longestRest)
}

var (
	errBusy = errors.New("a pull is under way")
	errLeft = errors.New("the generation is closed")
)

// Suspect is told that bytes of a generation could not be read. In object mode
// its files are looked at and those that are damaged fetched again; it does not
// wait for that.
func (s *Set) Suspect(g *Generation) {
	if s.options.Remote != nil {
		s.suspect(g.held)
	}
}

// suspect has the files of a generation looked at and those that are damaged
// fetched again. It waits for nothing: whoever found the damage may hold a lock.
func (s *Set) suspect(held *slot) {
	isFirst, wait := held.mending.begin()
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
			<-held.opened
			isMended := held.err == nil && s.mend(s.ending, held, wait)
			held.mending.end()
			if isMended && len(held.engine.Damaged()) > 0 {
				s.suspect(held) // found while it was under way
			}
		})
	}()
}

// mend fetches the damaged files of a generation until it has them, the
// generation is closed or ctx ends. It reports whether it has them.
func (s *Set) mend(ctx context.Context, held *slot, wait time.Duration) bool {
	for pause := firstPause; ; {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-held.fetching.Done():
			timer.Stop()
			return false
		case <-timer.C:
		}
		mended, err := s.mendOnce(ctx, held)
		most := longestPause
		switch {
		case err == nil:
			s.options.Log.Warn("damaged files of a local copy were fetched again", "index", held.entry.Name.Index,
				"generation", held.entry.Name.Generation, "files", mended)
			return true
		case errors.Is(err, errLeft) || ctx.Err() != nil || held.fetching.Err() != nil:
			return false
		case errors.Is(err, replication.ErrMismatch), errors.Is(err, bucket.ErrNotFound):
			most = longestRest // the bucket holds none that is whole
		}
		s.options.Log.Error("a damaged local copy cannot be fetched again yet", "index", held.entry.Name.Index,
			"generation", held.entry.Name.Generation, "error", err)
		wait, pause = pause, min(2*pause, most)
	}
}

// mendOnce fetches those files of a generation that are not whole and opens them
// anew. Where no part was seen to be damaged all files are looked at, and when they
// are whole they are all opened anew.
func (s *Set) mendOnce(ctx context.Context, held *slot) (mended []string, err error) {
	view := held.engine.Snapshot()
	if view == nil {
		return nil, errLeft
	}
	view.Release()
	select {
	case held.turn <- struct{}{}:
		defer func() { <-held.turn }()
	default:
		return nil, errBusy
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(held.fetching, cancel)()
	held.mending.fetch(true)
	defer held.mending.fetch(false)
	storage := s.storage(held.entry.Generation)
	damaged, m := held.engine.Damaged(), held.engine.Manifest()
	err = vfs.Protect(func() error {
		mended, err = s.options.Remote.of(held.entry.Generation).Mend(ctx, s.fs, storage.Directory, m, damaged)
		if err != nil {
			return err
		}
		anew := mended
		if len(damaged)+len(mended) == 0 { // what could not be read for a while stays shut until then
			for _, f := range m.Files {
				anew = append(anew, f.Name)
			}
		}
		return held.engine.Reopen(anew)
	})
	return mended, err
}
