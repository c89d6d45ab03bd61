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
	"github.com/quiresearch/quire/problem"
)

// What fails whenever it is tried is tried less and less often, however many ask
// for it. To open a generation to write replaces its manifest and adds to its log,
// so one that cannot be opened, or that fails as soon as it is, must not be opened
// by every request; and an object that is damaged in the bucket must not be
// fetched by every refresh. Until the next try is due the last answer is given.

const (
	// firstRest is how long a writer is left alone at first; it doubles, up to
	// longestRest.
	firstRest = 500 * time.Millisecond
	// awayRest bounds it while the bucket does not answer, which harms nothing to
	// try and is over at once. So it is in local mode, where to open replaces nothing
	// and reads wait for it too (I18).
	awayRest = 4 * time.Second
)

// rest is how long a writer that failed, or could not be opened, is left alone.
type rest struct {
	entry registry.Entry
	pause time.Duration
	until time.Time // it is not opened before; zero: it was opened since
	err   error     // what is answered until then
	away  bool      // it failed because the bucket did not answer, and nobody was answered since
}

// longer returns the pause after another failure.
func longer(pause, first, most time.Duration) time.Duration { return min(max(2*pause, first), most) }

// hasWorked reports whether a writer took writes for long enough before some time
// that failures before it do not count.
func (r rest) hasWorked(held *slot, until time.Time) bool {
	return until.Sub(held.openedAt) >= 4*r.pause+leastLife
}

// failedProblem tells what a writer that takes no more writes is to a caller.
func failedProblem(failure error) error {
	if errors.Is(failure, engine.ErrFenced) {
		return problem.IndexReadonly.New().Because(failure)
	}
	return problem.IndexClosed.New().Because(failure)
}

// isAway reports whether something failed because the bucket did not answer.
func isAway(err error) bool {
	return errors.Is(err, bucket.ErrUnknown) || errors.Is(err, context.DeadlineExceeded)
}

// isAway reports whether the bucket did not answer when a generation was last
// written or opened to write. Until it does, readers do not wait for it but are
// shown what is here (I18).
func (s *Set) isAway(generation registry.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rests[generation].away
}

// isHidden reports whether a generation is about to be opened to write, while the
// bucket does not answer, that is not open and of which there is something here to
// show.
func (s *Set) isHidden(generation registry.ID) bool {
	s.mu.Lock()
	_, isOpen := s.slots[generation]
	isTried := s.rests[generation].away && !isOpen && s.resting(generation) == nil
	s.mu.Unlock()
	if !isTried {
		return false
	}
	_, err := manifest.Read(s.fs, s.storage(generation).Directory)
	return err == nil
}

// leaveFor notes that a generation could not be opened to write. The caller holds
// mu.
func (s *Set) leaveFor(entry registry.Entry, err error) {
	if s.isRemoved(entry) {
		return
	}
	r := s.rests[entry.Generation]
	r.away = isAway(err)
	most := longestRest
	if r.away || s.options.Remote == nil {
		most = awayRest
	}
	r.entry, r.err, r.pause = entry, err, longer(r.pause, firstRest, most)
	r.until = time.Now().Add(r.pause)
	s.rests[entry.Generation] = r
}

// worked forgets the failures before a writer that is closed without one, and
// that worked for long enough. The caller holds mu.
func (s *Set) worked(held *slot) {
	if held.isWriter && held.engine.Err() == nil && s.rests[held.entry.Generation].hasWorked(held, time.Now()) {
		delete(s.rests, held.entry.Generation)
	}
}

// couldOpen notes that a generation could be opened to write. The caller holds mu.
func (s *Set) couldOpen(generation registry.ID) {
	if r, ok := s.rests[generation]; ok {
		r.until, r.away = time.Time{}, false
		s.rests[generation] = r
	}
}

// answered notes that the stored state could be fetched.
func (s *Set) answered(generation registry.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rests[generation].away {
		s.couldOpen(generation)
	}
}

// cannotOpen reports whether a generation could not be opened to write when that
// was last tried. The caller holds mu.
func (s *Set) cannotOpen(generation registry.ID) bool { return !s.rests[generation].until.IsZero() }

// resting returns why a generation is not opened to write at present, nil when it
// may be. The caller holds mu.
func (s *Set) resting(generation registry.ID) error {
	if r, ok := s.rests[generation]; ok && time.Now().Before(r.until) {
		return r.err
	}
	return nil
}

// replace closes a generation that failed, so that it is opened anew, unless
// somebody did already. It reports false when that was done a moment ago and did
// not help, or when something of it is under way that its end waits for.
func (s *Set) replace(held *slot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := held.entry.Generation
	if s.slots[id] != held {
		return true
	}
	r := s.rests[id]
	failedAt, failure := held.engine.Failed()
	if r.hasWorked(held, failedAt) {
		r.pause = 0
	}
	if time.Since(held.openedAt) < r.pause {
		return false
	}
	if held.writer != nil && isAway(failure) && held.writer.IsSettling() {
		return false // to close it would take as long as that, and reads would wait (I18)
	}
	most, isShared := longestRest, s.options.Remote != nil
	if !isShared {
		most = longestPause
	}
	s.rests[id] = rest{entry: held.entry, pause: longer(r.pause, firstRest, most), away: isShared && isAway(failure)}
	s.leave(context.Background(), held)
	return true
}

// Unopened returns the generations that could not be opened to write and are not
// open otherwise, ordered by id: what is told of open ones says nothing of them.
func (s *Set) Unopened() []registry.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []registry.Entry
	for _, id := range slices.SortedFunc(maps.Keys(s.rests), registry.ID.Compare) {
		if _, isOpen := s.slots[id]; !isOpen && s.cannotOpen(id) {
			all = append(all, s.rests[id].entry)
		}
	}
	return all
}

// errWrong marks a stored state that was not asked for again: a while ago the
// bucket held objects other than its manifest says.
var errWrong = errors.New("the bucket holds a wrong object")

// wrong is a stored state that could not be fetched because an object of it is
// missing or damaged in the bucket.
type wrong struct {
	tag   bucket.Tag // of the manifest
	pause time.Duration
	at    time.Time
	err   error
}

// known returns why a stored state is not worth fetching yet, nil when it is. A
// manifest that was replaced is another state.
func (s *Set) known(generation registry.ID, tag bucket.Tag) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.wrong[generation]
	if !ok || w.tag != tag || time.Since(w.at) >= w.pause {
		return nil
	}
	return fmt.Errorf("%w: %w", errWrong, w.err)
}

// noteWrong notes and tells that an object of a stored state is missing or
// damaged in the bucket.
func (s *Set) noteWrong(entry registry.Entry, tag bucket.Tag, err error) {
	s.mu.Lock()
	w := s.wrong[entry.Generation]
	if w.tag != tag {
		w = wrong{tag: tag}
	}
	w.pause, w.at, w.err = longer(w.pause, firstPause, longestRest), time.Now(), err
	s.wrong[entry.Generation] = w
	s.mu.Unlock()
	s.options.Log.Error("the bucket holds a wrong object; the state before it answers where there is one",
		"index", entry.Name.Index, "generation", entry.Name.Generation, "error", err, "retry", w.pause)
}

func (s *Set) notWrong(generation registry.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.wrong, generation)
}
