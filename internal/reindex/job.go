package reindex

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// job is an unfinished job that this node runs.
type job struct {
	isCarried bool // guarded by Jobs.mu, like losses
	losses    int  // of Jobs, when its record was last seen to belong to this node

	mu   sync.Mutex
	held versioned.Object[stored]

	cancelled chan struct{} // closed when the job is to be cancelled
	changed   chan struct{} // buffered by one: source, target or the job itself may be gone
	promote   chan chan error
	ended     chan struct{} // closed when the job no longer runs here
	cancel    func()
}

func newJob(held versioned.Object[stored]) *job {
	cancelled := make(chan struct{})
	return &job{
		held: held, cancelled: cancelled, changed: make(chan struct{}, 1), promote: make(chan chan error), ended: make(chan struct{}),
		cancel: sync.OnceFunc(func() { close(cancelled) }),
	}
}

func (one *job) record() stored {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.held.Value
}

// wake makes a waiting job check its state again.
func (one *job) wake() {
	select {
	case one.changed <- struct{}{}:
	default:
	}
}

// isCarriedAs reports whether a record is that of the job as it runs here.
func (one *job) isCarriedAs(found stored) bool {
	held := one.record()
	return held.id() == found.id() && held.Epoch == found.Epoch
}

func (one *job) index() registry.ID     { return one.record().IndexID }
func (one *job) source() registry.Entry { return one.record().source() }
func (one *job) target() registry.Entry { return one.record().target() }

// The reasons for which a job stops before its end.
var (
	errCancelled = errors.New("the job was cancelled")
	errStopped   = errors.New("the node stops")
	// errUntracked ends a job that had ended but could not record it: the changes
	// since are unknown.
	errUntracked = errors.New("the source no longer records its changes")
)

// interrupted reports, between two steps, why the job must not continue.
func (one *job) interrupted(ctx context.Context) error {
	select {
	case <-one.cancelled:
		return errCancelled
	default:
	}
	if ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// save replaces the record by an edited one.
func (j *Jobs) save(ctx context.Context, one *job, edit func(*stored)) error {
	one.mu.Lock()
	held := one.held
	one.mu.Unlock()
	next := held.Value
	edit(&next)
	written, err := j.records.replace(context.WithoutCancel(ctx), held, next)
	if err != nil {
		return err
	}
	one.mu.Lock()
	one.held = written
	one.mu.Unlock()
	j.note(next.IndexID, next.Record.Phase)
	return nil
}

// run carries a job to its end, or until it is stopped.
func (j *Jobs) run(ctx context.Context, one *job) {
	defer close(one.ended)
	err := j.carryOn(ctx, one)
	switch {
	case err == nil:
	case errors.Is(err, errStopped):
		return // the record says where to continue
	case j.options.Holds != nil && !j.options.Holds(one.index()):
		j.log.Warn("another node now owns the index of a reindex job", "index", one.record().Record.Index)
		err = nil
	case errors.Is(err, versioned.ErrLost):
		j.log.Warn("another node runs the reindex job", "index", one.record().Record.Index)
	case errors.Is(err, errCancelled):
		err = j.end(ctx, one, Cancelled, nil)
	case j.isGone(one):
		err = nil // and its record with it
	default:
		j.log.Error("reindex failed", "index", one.record().Record.Index, "error", err)
		err = j.end(ctx, one, Failed, err)
	}
	if errors.Is(err, errStopped) {
		return
	}
	if err != nil && !errors.Is(err, versioned.ErrLost) {
		j.log.Error("cannot record the end of a reindex job", "index", one.record().Record.Index, "error", err)
	}
	j.drop(one)
}

// end records the end of a job that did not promote, as soon as the storage takes
// it. Until then the job stays with this node, so that it neither continues nor
// begins anew.
func (j *Jobs) end(ctx context.Context, one *job, phase Phase, cause error) error {
	for failures := 0; ; failures++ {
		err := j.finish(ctx, one, phase, cause)
		if err == nil || !j.mayPass(one, err) {
			return err
		}
		j.log.Warn("cannot record the end of a reindex job yet; retrying", "index", one.record().Record.Index, "error", err)
		if !isFor(ctx, delay(failures)) {
			return errStopped
		}
	}
}

// carryOn goes through the phases, starting with the recorded one. Steps under way
// are not interrupted.
func (j *Jobs) carryOn(ctx context.Context, one *job) error {
	if err := j.checkGenerations(one); err != nil {
		return err
	}
	if phase := one.record().Record.Phase; phase == Pending || phase == Copying || phase == Replaying {
		if err := j.fill(ctx, one); err != nil {
			return err
		}
	}
	if one.record().Record.Phase == Ready {
		if promotes, err := j.verify(ctx, one); err != nil {
			return err
		} else if !promotes {
			return j.awaitPromotion(ctx, one)
		}
	}
	return j.finishPromotion(ctx, one)
}

// awaitSlot waits until the job may copy.
func (j *Jobs) awaitSlot(ctx context.Context, one *job) error {
	for {
		select {
		case j.slots <- struct{}{}:
			return nil
		case <-one.changed:
			if err := j.check(ctx, one); err != nil {
				return err
			}
		case <-one.cancelled:
			return errCancelled
		case <-ctx.Done():
			return errStopped
		}
	}
}

// fill takes a job from pending to the end of replaying. A step that failed for a
// reason that may pass is repeated less and less often: the job stays in its phase
// until the storage is back, it is cancelled or the node stops. While it waits,
// others may copy.
func (j *Jobs) fill(ctx context.Context, one *job) error {
	for failures := 0; ; failures++ {
		if err := j.awaitSlot(ctx, one); err != nil {
			return err
		}
		steps, err := j.advance(ctx, one)
		<-j.slots
		if err == nil || !j.mayPass(one, err) {
			return err
		}
		if steps > 0 {
			failures = 0
		}
		j.log.Warn("retrying a step of a reindex job", "index", one.record().Record.Index, "error", err)
		if err := one.pause(ctx, delay(failures)); err != nil {
			return err
		}
	}
}

// advance performs the steps of a job up to the end of replaying, or until one
// fails. It returns how many succeeded.
func (j *Jobs) advance(ctx context.Context, one *job) (steps int, err error) {
	for ; ; steps++ {
		phase := one.record().Record.Phase
		if phase != Pending && phase != Copying && phase != Replaying {
			return steps, nil
		}
		if err := one.interrupted(ctx); err != nil {
			return steps, err
		}
		if err := j.checkGenerations(one); err != nil {
			return steps, err
		}
		if err := vfs.Protect(func() error { return j.step(ctx, one, phase) }); err != nil {
			return steps, err
		}
	}
}

const (
	firstDelay   = 200 * time.Millisecond
	longestDelay = 30 * time.Second
)

// delay returns how long to wait after another failure.
func delay(failures int) time.Duration {
	return min(firstDelay<<min(failures, 16), longestDelay)
}

func (j *Jobs) step(ctx context.Context, one *job, phase Phase) error {
	switch phase {
	case Pending:
		return j.begin(ctx, one)
	case Copying:
		return j.copyBatch(ctx, one)
	}
	return j.replay(ctx, one)
}

// passing are the errors of storage that is away or full, of a generation that is
// opened again, and of an index on its way to another node.
var passing = []*problem.Code{
	problem.IndexClosed, problem.IndexReadonly, problem.StorageIoError, problem.StorageUnknown, problem.StorageUnavailable,
	problem.StorageConflict, problem.IndexerUnavailable, problem.IndexerLeadershipUnreadable,
}

// mayPass reports whether a failure may pass on this node. Damage does not, except
// to a copy, which is fetched again.
func (j *Jobs) mayPass(one *job, err error) bool {
	isCopy := j.options.Holds != nil
	if isCopy && !j.options.Holds(one.index()) {
		return false
	}
	if errors.Is(err, blockfile.ErrCorrupt) || errors.Is(err, vfs.ErrFault) {
		return isCopy
	}
	return errors.Is(err, context.DeadlineExceeded) ||
		slices.ContainsFunc(passing, func(code *problem.Code) bool { return errors.Is(err, code) })
}

// isFor waits and reports whether ctx lasted that long.
func isFor(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// pause waits before a step is repeated.
func (one *job) pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-one.changed:
		return nil
	case <-one.cancelled:
		return errCancelled
	case <-ctx.Done():
		return errStopped
	}
}

// check fails a waiting job when its source or target is gone, or when another node
// took it over.
func (j *Jobs) check(ctx context.Context, one *job) error {
	if err := j.checkGenerations(one); err != nil {
		return err
	}
	if err := j.checkCarried(ctx, one); errors.Is(err, versioned.ErrLost) {
		return err
	}
	return nil // the next step reports what else is wrong
}

// checkGenerations fails a job whose source or target is gone.
func (j *Jobs) checkGenerations(one *job) error {
	for _, entry := range []registry.Entry{one.source(), one.target()} {
		found, err := j.registry.Resolve(entry.Name)
		if err != nil {
			return err
		}
		if found.Generation != entry.Generation {
			return problem.IndexNotFound.New("name", entry.Name.String())
		}
	}
	return nil
}

// pair opens source and target for a step of a job that still runs here (J6). A
// node that takes the job over later fences what was opened here before it writes.
// Opening brings news of the registry: nothing is copied into a target that is
// live.
func (j *Jobs) pair(ctx context.Context, one *job) (source, target *generations.Generation, release func(), err error) {
	ctx = context.WithoutCancel(ctx)
	if source, err = j.generations.AcquireFor(ctx, one.source(), generations.ForBackground); err != nil {
		return nil, nil, nil, err
	}
	if target, err = j.generations.AcquireFor(ctx, one.target(), generations.ForBackground); err != nil {
		source.Release()
		return nil, nil, nil, err
	}
	release = func() { source.Release(); target.Release() }
	err = j.checkCarried(ctx, one)
	if err == nil && j.isPromoted(one) {
		err = problem.IndexGenerationLiveMoved.New("expected", one.source().Name.Generation, "live", one.target().Name.Generation)
	}
	if err != nil {
		release()
		return nil, nil, nil, err
	}
	return source, target, release, nil
}

// readLimit bounds the check of a record before a step.
const readLimit = 30 * time.Second

// checkCarried fails with versioned.ErrLost when another node recorded anything of
// the job: an index may be lost and come back while a job waits.
func (j *Jobs) checkCarried(ctx context.Context, one *job) error {
	one.mu.Lock()
	held := one.held
	one.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	isOther, err := j.records.isOther(ctx, held)
	if err == nil && isOther {
		err = versioned.ErrLost
	}
	return err
}

// begin turns change tracking on and separates what is committed, which the copy
// reads, from what is tracked.
func (j *Jobs) begin(ctx context.Context, one *job) error {
	source, _, release, err := j.pair(ctx, one)
	if err != nil {
		return err
	}
	defer release()
	steady := context.WithoutCancel(ctx)
	j.awaitStopped(one.source().Generation)
	if err := source.StartTracking(steady); err != nil {
		return err
	}
	sequence, err := source.Commit(steady, engine.Explicit)
	if err != nil {
		return err
	}
	documents, err := source.Count()
	if err != nil {
		return err
	}
	err = j.save(ctx, one, func(s *stored) {
		s.Record.Phase = Copying
		s.Record.SourceDocuments = int64(documents)
	})
	if err != nil {
		return err // another node may run the job and need what is recorded
	}
	source.Forget(sequence)
	return nil
}

// finish ends a job that did not promote: it stops tracking and closes the record.
func (j *Jobs) finish(ctx context.Context, one *job, phase Phase, cause error) error {
	steady := context.WithoutCancel(ctx)
	// An unsettled promotion is called off, or was made (J4).
	if err := j.registry.CallOff(steady, one.target(), one.record().id()); err != nil {
		return err
	}
	if j.isPromoted(one) {
		return j.close(steady, one)
	}
	if j.isGone(one) {
		return nil
	}
	if err := j.stopTracking(steady, one); errors.Is(err, versioned.ErrLost) {
		return err
	}
	return j.save(steady, one, func(s *stored) {
		at := now()
		s.Record.Phase, s.Record.FinishedAt, s.Record.Backlog = phase, &at, 0
		if cause != nil {
			s.Record.Error = textOrNil(describe(cause))
		}
	})
}

// isGone reports whether the index of a job was deleted.
func (j *Jobs) isGone(one *job) bool {
	index, err := j.registry.Find(one.target().Name)
	return errors.Is(err, problem.IndexNotFound) || err == nil && index.ID != one.index()
}

// stopTracking ends the recording of changes. A source that is gone records
// nothing. It fails with versioned.ErrLost when another node has the job (J6). Any
// other failure does not keep the job from ending: stopUnusedTracking repeats it.
func (j *Jobs) stopTracking(ctx context.Context, one *job) error {
	entry := one.source()
	if found, err := j.registry.Resolve(entry.Name); err != nil || found.Generation != entry.Generation {
		return nil
	}
	source, err := j.generations.AcquireFor(ctx, entry, generations.ForBackground)
	if err == nil {
		defer source.Release()
		err = j.checkCarried(ctx, one)
	}
	if err == nil {
		err = source.StopTracking(ctx)
	}
	if err != nil && !errors.Is(err, versioned.ErrLost) {
		j.log.Error("cannot stop tracking changes of the source", "index", one.record().Record.Index, "error", err)
	}
	return err
}

// close ends a job whose target is live.
func (j *Jobs) close(ctx context.Context, one *job) error {
	if err := j.stopTracking(ctx, one); errors.Is(err, versioned.ErrLost) {
		return err
	}
	target := one.target()
	token := freshness.Token{Index: target.Index, IndexName: target.Name.Index, Generation: target.Generation}
	if g, err := j.generations.AcquireFor(ctx, target, generations.ForBackground); err == nil {
		token.Sequence = g.Sequence()
		g.Release()
	}
	return j.save(ctx, one, func(s *stored) {
		at, text := now(), token.String()
		s.Record.Phase, s.Record.FinishedAt, s.Record.Backlog, s.Record.Freshness = Done, &at, 0, &text
	})
}
