package generations

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/problem"
)

// A failing operation is retried less and less often, however many callers ask for
// it. Opening a generation to write replaces its manifest and adds to its log, so
// requests must not keep opening one that cannot be opened or fails as soon as it
// is; and refreshes must not keep fetching an object that is damaged in the bucket.
// Until the next attempt is due, callers get the last answer.

const (
	// firstBackoff is the first pause before a writer is opened again. It doubles,
	// up to longestBackoff.
	firstBackoff = 500 * time.Millisecond
	// awayBackoff bounds the pause in local mode, and while the bucket does not
	// answer or has no manifest of the generation: trying is harmless then, and the
	// failure may end any moment.
	awayBackoff = 4 * time.Second
	// longestBackoff bounds the pause while the generation cannot be opened: each
	// attempt replaces the manifest and adds to the log.
	longestBackoff = 5 * time.Minute
)

// backoff is the pause of a writer that failed or could not be opened. The zero
// value lets it be opened at once.
type backoff struct {
	pause time.Duration
	until time.Time // earliest time of the next open; zero: it was opened since
	err   error     // the answer until then
	away  bool      // it failed because the bucket did not answer, and has not answered since

	unreadAt time.Time // when it failed because the registry could not be read; zero: another failure
}

// longer returns the pause after another failure.
func longer(pause, first, most time.Duration) time.Duration { return min(max(2*pause, first), most) }

// extend notes that the writer could not be opened.
func (b *backoff) extend(err error, limits backoffLimits) {
	b.away = isAway(err)
	most := limits.open
	if b.away || errors.Is(err, replication.ErrNoManifest) {
		most = min(most, awayBackoff)
	}
	b.err, b.pause = err, longer(b.pause, firstBackoff, most)
	b.until, b.unreadAt = time.Now().Add(b.pause), time.Time{}
	if errors.Is(err, ErrUnread) {
		b.unreadAt = time.Now()
	}
}

// replaced notes that a failed writer was closed, to be opened again at once.
func (b *backoff) replaced(failure error, limits backoffLimits) {
	*b = backoff{pause: longer(b.pause, firstBackoff, limits.replace), away: limits.hasBucket && isAway(failure)}
}

// opened notes that the writer was opened. The pause stays until the writer has
// worked for a while.
func (b *backoff) opened() { b.until, b.away = time.Time{}, false }

// isFailing reports whether the last attempt to open the writer failed.
func (b *backoff) isFailing() bool { return !b.until.IsZero() }

// refusal returns why the writer is not opened now, or nil when it may be.
func (b *backoff) refusal() error {
	if time.Now().Before(b.until) {
		return b.err
	}
	return nil
}

// refusal returns why the writer of a generation is not opened now, or nil when it
// may be. A writer that lacked the registry may be opened as soon as the registry
// was read again. The caller must hold mu.
func (s *Set) refusal(h *holding) error {
	err := h.backoff.refusal()
	if lacked := h.backoff.unreadAt; err != nil && !lacked.IsZero() && s.remote.Age() < time.Since(lacked) {
		return nil
	}
	return err
}

// hasWorked reports whether a writer took writes for long enough before until that
// earlier failures no longer count.
func (b *backoff) hasWorked(inst *instance, until time.Time) bool {
	return until.Sub(inst.openedAt) >= 4*b.pause+leastLife
}

// endAfter forgets earlier failures when a writer that worked for long enough is
// closed without a failure.
func (b *backoff) endAfter(inst *instance) {
	if inst.isWriter && inst.engine.Err() == nil && b.hasWorked(inst, time.Now()) {
		*b = backoff{}
	}
}

// failedProblem returns the problem that callers get for a writer that takes no
// more writes.
func failedProblem(failure error) error {
	if errors.Is(failure, engine.ErrFenced) {
		return problem.IndexReadonly.New().Because(failure)
	}
	return problem.IndexClosed.New().Because(failure)
}

// isAway reports whether err means that the bucket did not answer.
func isAway(err error) bool {
	return errors.Is(err, bucket.ErrUnknown) || errors.Is(err, context.DeadlineExceeded)
}

// isAway reports whether the bucket did not answer when a generation was last
// written or opened to write. Until it answers, readers do not wait for it and get
// the local state (I18).
func (s *Set) isAway(generation registry.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at(generation).backoff.away
}

// isHidden reports whether a generation that is not open is about to be opened to
// write while the bucket does not answer, although there is a local copy to show.
func (s *Set) isHidden(generation registry.ID) bool {
	s.mu.Lock()
	h := s.at(generation)
	isTried := h.backoff.away && h.current == nil && h.backoff.refusal() == nil
	s.mu.Unlock()
	if !isTried {
		return false
	}
	_, err := manifest.Read(s.fs, s.storage(generation).Directory)
	return err == nil
}

// answered notes that the stored state could be fetched.
func (s *Set) answered(generation registry.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.at(generation); h.backoff.away {
		h.backoff.opened()
	}
}

// replace closes a failed generation so that it is opened again, unless that was
// already done. It returns false when it was replaced a moment ago and that did not
// help, or when closing it would have to wait for work under way.
func (s *Set) replace(inst *instance) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.at(inst.entry.Generation)
	if h.current != inst || h.state != writing {
		return true
	}
	failedAt, failure := inst.engine.Failed()
	if h.backoff.hasWorked(inst, failedAt) {
		h.backoff.pause = 0
	}
	if time.Since(inst.openedAt) < h.backoff.pause {
		return false
	}
	if inst.writer != nil && isAway(failure) && inst.writer.IsSettling() {
		return false // closing it would take as long as that, and reads would wait (I18)
	}
	h.backoff.replaced(failure, s.deployment.backoffLimits())
	s.fire(context.Background(), h, replace)
	return true
}

// Unopened returns the generations that could not be opened to write and are not
// otherwise open, ordered by id. Open does not return them.
func (s *Set) Unopened() []registry.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []registry.Entry
	for _, id := range slices.SortedFunc(maps.Keys(s.holdings), registry.ID.Compare) {
		if h := s.holdings[id]; h.current == nil && h.backoff.isFailing() {
			all = append(all, h.entry)
		}
	}
	return all
}

// errUnfetchable marks a stored state that was not requested again: a while ago the
// objects in the bucket did not match its manifest.
var errUnfetchable = errors.New("the bucket holds a wrong object")

// unfetchable is a stored state that could not be fetched because one of its
// objects is missing or damaged in the bucket.
type unfetchable struct {
	tag   bucket.Tag // of the manifest
	pause time.Duration
	at    time.Time
	err   error // nil: there is none
}

// checkFetchable returns why a stored state is not worth fetching yet, or nil when
// it is. A replaced manifest is another state.
func (s *Set) checkFetchable(generation registry.ID, tag bucket.Tag) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.at(generation).unfetchable
	if u.err == nil || u.tag != tag || time.Since(u.at) >= u.pause {
		return nil
	}
	return fmt.Errorf("%w: %w", errUnfetchable, u.err)
}

// noteUnfetchable notes and logs that an object of a stored state is missing or
// damaged in the bucket.
func (s *Set) noteUnfetchable(entry registry.Entry, tag bucket.Tag, err error) {
	s.mu.Lock()
	u := &s.at(entry.Generation).unfetchable
	if u.tag != tag {
		*u = unfetchable{tag: tag}
	}
	u.pause, u.at, u.err = longer(u.pause, firstPause, longestBackoff), time.Now(), err
	pause := u.pause
	s.mu.Unlock()
	s.options.Log.Error("the bucket holds a wrong object; answering from the state before it, if any",
		"index", entry.Name.Index, "generation", entry.Name.Generation, "error", err, "retry", pause)
}

func (s *Set) noteFetchable(generation registry.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(generation).unfetchable = unfetchable{}
}
