package generations

import (
	"context"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/registry"
)

// The node that holds an index finishes its logs: readers on other nodes wait for
// what was acknowledged there and is in no commit, and no other node commits it.
// That is so after a takeover, also one that ended halfway, with the manifest
// replaced and the log not sealed; after an open that failed; and after a close
// without the last commit. Finishing is opening to write, as a request does (raise
// the epoch, seal, replay), and then committing.

// logCheck is when the log of a generation was seen finished, or could not be
// finished. The zero value means that it was not checked yet.
type logCheck struct {
	until time.Time // when it is checked again
	next  time.Duration
	pause time.Duration // after the last failure; 0: none since it was seen finished
}

// LeastAtOnce is the least bound on concurrent takeovers of generations, so that a
// slow one delays no other (I19).
const LeastAtOnce = 4

const (
	// firstCheck is how long the first check is trusted: the previous writer may
	// still have been at work.
	firstCheck = 30 * time.Second
	// finishLimit bounds the commit that finishes a log.
	finishLimit = time.Minute
	// leastLife is how long a generation that was opened and failed stays, unless a
	// write comes: the cause of the failure may persist.
	leastLife = 10 * time.Second
	// firstPause is the pause after a first failure. It doubles.
	firstPause = 2 * time.Second
	// longestPause bounds the pause while the bucket cannot be read.
	longestPause = 30 * time.Second
)

// FinishLogs begins to finish the logs of those generations of indexes claimed here
// that are not open to write, or no longer take writes. It does not wait for them,
// so a slow one delays no other; at most concurrency, or LeastAtOnce if greater,
// are opened at once. A log that was found finished is checked again at growing
// intervals, up to interval, and so is one that cannot be finished. The work ends
// when ctx or the Set ends.
func (s *Set) FinishLogs(ctx context.Context, entries []registry.Entry, interval time.Duration, concurrency int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finishers == nil {
		s.finishers = make(chan struct{}, max(concurrency, LeastAtOnce))
	}
	for _, entry := range entries {
		h := s.of(entry)
		if h.finishing || s.isRemoved(h, entry) || !s.isDue(h) {
			continue
		}
		h.finishing = true
		s.closing.Go(func() {
			working, cancel := s.life.Context(ctx)
			defer cancel()
			select {
			case s.finishers <- struct{}{}:
				s.finishLog(working, entry, interval)
				<-s.finishers
			case <-working.Done():
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			h.finishing = false
		})
	}
}

// isDue reports whether the log of a generation may hold what no commit holds and
// no goroutine here is about to commit. The caller must hold mu.
func (s *Set) isDue(h *holding) bool {
	if s.closed || h.departure != nil {
		return false
	}
	if inst := h.current; inst != nil && inst.isWriter {
		return inst.hasFailed() && time.Since(inst.openedAt) >= max(leastLife, h.backoff.pause)
	}
	return !time.Now().Before(h.log.until) && s.refusal(h) == nil
}

// finishLog opens a generation whose log is not finished, or whose writer failed,
// and commits it. A node that lost the index leaves it alone: opening it would
// fence the node that has it.
func (s *Set) finishLog(ctx context.Context, entry registry.Entry, interval time.Duration) {
	s.mu.Lock()
	inst := s.of(entry).current
	hasFailed := inst != nil && inst.hasFailed()
	s.mu.Unlock()
	if !hasFailed {
		isFinished, err := s.remote.of(entry.Generation).IsFinished(ctx)
		if err != nil {
			s.postpone(entry, min(interval, longestPause))
			return
		}
		if isFinished {
			s.believe(entry, interval)
			return
		}
	}
	if holds, err := s.remote.Claims.Confirm(ctx, entry.Index); err != nil || !holds {
		return
	}
	g, err := s.AcquireFor(ctx, entry, ForBackground)
	if err != nil { // already logged
		s.postpone(entry, min(interval, longestBackoff))
		return
	}
	defer g.Release()
	committing, cancel := context.WithTimeout(ctx, finishLimit)
	defer cancel()
	if _, err := g.Commit(committing, engine.Explicit); err != nil && ctx.Err() == nil {
		s.options.Log.Warn("the log of a generation is not finished", "index", entry.Name.Index,
			"generation", entry.Name.Generation, "error", err)
	}
}

// believe notes that a log was found finished.
func (s *Set) believe(entry registry.Entry, interval time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.of(entry)
	next := max(min(h.log.next, interval), min(firstCheck, interval))
	h.log = logCheck{until: time.Now().Add(next), next: 2 * next}
	h.unfinished = false
}

// postpone notes that a log could not be finished; the obstacle may stay for long.
func (s *Set) postpone(entry registry.Entry, most time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	check := &s.of(entry).log
	check.pause = longer(check.pause, firstPause, most)
	check.until = time.Now().Add(check.pause)
}

// IsUnfinished reports whether a log of an index claimed here may hold what no
// commit holds: its writer ended without the last commit, or no node could open it.
func (s *Set) IsUnfinished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.holdings {
		if (h.unfinished || h.log.pause > 0) && s.remote.Claims.Holds(h.entry.Index) {
			return true
		}
	}
	return false
}

// doubt makes the logs of an index be checked again, whatever was seen before. The
// caller must hold mu.
func (s *Set) doubt(index registry.ID) {
	for _, h := range s.holdings {
		if h.entry.Index == index {
			h.backoff, h.log = backoff{}, logCheck{}
		}
	}
}
