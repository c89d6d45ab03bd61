package reindex

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// awaitPromotion keeps a ready job caught up until a request promotes or cancels
// it.
func (j *Jobs) awaitPromotion(ctx context.Context, one *job) error {
	ticker := time.NewTicker(j.options.CatchupInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return errStopped
		case <-one.cancelled:
			return errCancelled
		case <-one.changed:
			if err := j.check(ctx, one); err != nil {
				return err
			}
		case reply := <-one.promote:
			err := j.checkGenerations(one)
			if err == nil {
				err = vfs.Protect(func() error { return j.promote(ctx, one) })
			}
			if err != nil && j.isPromoted(one) { // only its end is not recorded (I17)
				reply <- nil
				return j.finishPromotion(ctx, one)
			}
			if err == nil || isFatal(err) {
				reply <- one.promotionError(err)
				return err
			}
			// Nothing was moved; the job stays ready.
			saveErr := j.save(ctx, one, func(s *stored) { s.Record.Phase = Ready })
			reply <- one.promotionError(err)
			if saveErr != nil && !j.mayPass(one, saveErr) {
				return saveErr
			}
		case <-ticker.C:
			if err := j.checkGenerations(one); err != nil {
				return err
			}
			// While it is unknown whether the target is live, copy nothing there:
			// it could replace what was written since.
			if err := j.generations.Settle(ctx, one.index()); err != nil {
				j.log.Warn("the outcome of the promotion is not known yet", "index", one.record().Record.Index, "error", err)
				continue
			}
			if j.isPromoted(one) { // this was unknown when it was tried
				return j.finishPromotion(ctx, one)
			}
			if err := vfs.Protect(func() error { return j.catchUp(ctx, one) }); err != nil {
				if j.isPromoted(one) { // opening source and target showed this
					return j.finishPromotion(ctx, one)
				}
				if isFatal(err) {
					return err
				}
				j.log.Error("catch-up round failed", "index", one.record().Record.Index, "error", err)
			}
		}
	}
}

// promotionError returns the error that the caller of a failed promotion gets.
// While the record says that it is under way, the next node to run the job
// completes it (I17).
func (one *job) promotionError(err error) error {
	isLost := errors.Is(err, versioned.ErrLost)
	switch {
	case err == nil || isFatal(err) && !isLost:
		return err
	case one.record().Record.Phase == Promoting:
		return problem.StorageUnknown.New("resource", resource).Because(err)
	case isLost:
		return problem.ReindexTargetBusy.New("name", one.target().Name.String()).Because(err)
	}
	return err
}

// isFatal reports whether a job cannot continue after an error of a promotion or a
// catch-up round.
func isFatal(err error) bool {
	return errors.Is(err, problem.ReindexDocumentRefused) || errors.Is(err, problem.IndexGenerationLiveMoved) ||
		errors.Is(err, problem.IndexNotFound) || errors.Is(err, versioned.ErrLost) || errors.Is(err, errUntracked)
}

// finishPromotion promotes without a request, in a job that promotes automatically
// or was interrupted while promoting.
func (j *Jobs) finishPromotion(ctx context.Context, one *job) error {
	for failures := 0; ; failures++ {
		isPromoted := j.isPromoted(one)
		if !isPromoted {
			if err := one.interrupted(ctx); err != nil {
				return err
			}
			if err := j.checkGenerations(one); err != nil {
				return err
			}
		}
		err := vfs.Protect(func() error { return j.promote(ctx, one) })
		if err == nil || !j.mayPass(one, err) {
			return err
		}
		j.log.Warn("retrying the promotion of a reindex job", "index", one.record().Record.Index, "error", err)
		switch {
		case !isPromoted:
			err = one.pause(ctx, delay(failures))
		case isFor(ctx, delay(failures)): // it cannot be cancelled any more
			err = nil
		default:
			err = errStopped
		}
		if err != nil {
			return err
		}
	}
}

func (j *Jobs) isPromoted(one *job) bool {
	target := one.target()
	found, err := j.registry.Resolve(target.Name.Bare())
	return err == nil && found.Generation == target.Generation
}

// Promote finishes a job that waits for promotion and fills the generation. It
// returns false when no unfinished job fills it.
func (j *Jobs) Promote(ctx context.Context, target registry.Entry) (bool, error) {
	if fills, err := j.Fills(ctx, target); err != nil || !fills {
		return err != nil, err
	}
	one := j.find(target.Index)
	if one == nil || one.target().Generation != target.Generation { // not taken over yet, or ended a moment ago
		return true, problem.ReindexTargetBusy.New("name", target.Name.String())
	}
	if one.record().Record.Phase != Ready && !j.isRecordedReady(ctx, target.Index) {
		return true, problem.ReindexTargetBusy.New("name", target.Name.String())
	}
	reply := make(chan error, 1)
	select {
	case one.promote <- reply:
	case <-one.ended:
		return true, problem.ReindexTargetBusy.New("name", target.Name.String())
	case <-ctx.Done():
		return true, problem.ReindexTargetBusy.New("name", target.Name.String()).Because(ctx.Err())
	}
	select {
	case err := <-reply:
		if err == nil || isFatal(err) {
			j.awaitEnd(ctx, one) // the next caller finds the job ended
		}
		return true, err
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// isRecordedReady reports whether the record of a job says that it waits for
// promotion: a caller that read that may promote, even if the job itself is still
// on its way from writing the record to waiting.
func (j *Jobs) isRecordedReady(ctx context.Context, index registry.ID) bool {
	held, err := j.records.read(ctx, index)
	return err == nil && held.Exists() && held.Value.Record.Phase == Ready
}
