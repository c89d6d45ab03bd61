package generations

import (
	"context"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/registry"
)

// The node that holds an index finishes its logs: what was acknowledged there and is
// in no commit is waited for by readers on other nodes, and no other node commits
// it. That is so after a takeover, also one that ended halfway, with the manifest
// replaced and the log not sealed; after an open that failed; and after a close
// without its last commit. Finishing is opening to write, as a request does:
// raise the epoch, seal, replay; then commit.

// logCheck is when the log of a generation was seen to be finished, or could not be
// finished. The zero value: it was not looked at yet.
type logCheck struct {
	until time.Time // it is looked at again then
	next  time.Duration
	pause time.Duration // after the last failure; 0: none since it was seen to be finished
}

// LeastAtOnce is how many generations are taken over at once at least, so that a
// slow one delays no other (I19).
const LeastAtOnce = 4

const (
	// firstCheck is how long the first look is believed: the writer before may
	// have been at it still.
	firstCheck = 30 * time.Second
	// finishLimit bounds the commit that finishes a log.
	finishLimit = time.Minute
	// leastLife is how long a generation stays that was opened and failed, unless
	// a write comes: what keeps it from working may stay for a while.
	leastLife = 10 * time.Second
	// firstPause is the time between two failures at first; it doubles.
	firstPause = 2 * time.Second
	// longestPause bounds it while the bucket cannot be read.
	longestPause = 30 * time.Second
)

// FinishLogs begins to finish the logs of those generations of indexes claimed
// here that are not open to write, or no longer take writes. It waits for none of
// them, so a slow one delays no other; at most so many, or LeastAtOnce, are opened
// at once. A log that was found finished is looked at again later and later, up to the interval,
// and so is one that cannot be finished. The end of ctx or of the Set ends it.
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

// isDue reports whether the log of a generation may hold what no commit holds
// and no goroutine here is about to commit. The caller holds mu.
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
// and commits it. A node that lost the index leaves it alone: to open it would
// fence the one that has it.
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
	if err != nil { // it was logged
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

// postpone notes that a log could not be finished: what is in the way may stay
// for long.
func (s *Set) postpone(entry registry.Entry, most time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	check := &s.of(entry).log
	check.pause = longer(check.pause, firstPause, most)
	check.until = time.Now().Add(check.pause)
}

// IsUnfinished reports whether a log of an index claimed here may hold what no
// commit holds: its writer ended without the last one, or no node could open it.
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

// doubt makes the logs of an index be looked at, whatever was seen before. The
// caller holds mu.
func (s *Set) doubt(index registry.ID) {
	for _, h := range s.holdings {
		if h.entry.Index == index {
			h.backoff, h.log = backoff{}, logCheck{}
		}
	}
}
