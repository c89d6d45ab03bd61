package reindex

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
)

// Verification is what a judgement set says of the target of a job.
type Verification struct {
	Judgements string    `json:"judgements"`
	Held       bool      `json:"held"` // every bound of the set
	Failures   []string  `json:"failures,omitempty"`
	Worst      []string  `json:"worst,omitempty"` // queries that speak most against the target
	NDCG       *float64  `json:"ndcg,omitempty"`
	LiveNDCG   *float64  `json:"liveNdcg,omitempty"`
	P          *float64  `json:"p,omitempty"` // of the difference between them
	VerifiedAt time.Time `json:"verifiedAt"`
}

// Verify measures a generation by a judgement set of its index.
type Verify func(ctx context.Context, target registry.Entry, set string) (Verification, error)

// verify measures the target of a ready job that asks for it, once, and reports
// whether to promote the job now. A set that cannot be evaluated is a failed
// verification; one that cannot be read now is read later.
func (j *Jobs) verify(ctx context.Context, one *job) (promotes bool, err error) {
	record := one.record().Record
	if record.Verify == nil || record.Verification != nil || j.options.Verify == nil {
		return false, nil
	}
	evaluating, stop := one.whileWanted(ctx)
	defer stop()
	var found Verification
	for failures := 0; ; failures++ {
		found, err = j.options.Verify(evaluating, one.target(), *record.Verify)
		if interrupted := one.interrupted(ctx); interrupted != nil {
			return false, interrupted
		}
		if err == nil {
			break
		}
		if !j.mayPass(one, err) {
			found = Verification{Judgements: *record.Verify, Failures: []string{describe(err)}}
			break
		}
		if err := one.pause(ctx, delay(failures)); err != nil {
			return false, err
		}
	}
	found.VerifiedAt = now()
	promotes = found.Held && record.Promote == Auto
	if promotes { // writes wait for the rest of the backlog
		if err := j.catchUp(ctx, one); err != nil && isFatal(err) {
			return false, err
		}
	}
	if !found.Held {
		j.log.Warn("reindex not promoted: verification failed", "index", record.Index, "target", record.Target, "judgements", *record.Verify)
	}
	return promotes, j.saveSoon(ctx, one, func(s *stored) {
		s.Record.Verification = &found
		if promotes {
			s.Record.Phase = Promoting
		}
	})
}

// saveSoon saves as soon as the storage takes it.
func (j *Jobs) saveSoon(ctx context.Context, one *job, edit func(*stored)) error {
	for failures := 0; ; failures++ {
		err := j.save(ctx, one, edit)
		if err == nil || errors.Is(err, versioned.ErrLost) || !j.mayPass(one, err) {
			return err
		}
		if err := one.pause(ctx, delay(failures)); err != nil {
			return err
		}
	}
}

// whileWanted returns a context that also ends when the job is cancelled.
func (one *job) whileWanted(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-one.cancelled:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// Verifies returns the judgement set that verifies the unfinished job of a
// generation, or "" when there is none.
func (j *Jobs) Verifies(ctx context.Context, target registry.Entry) (string, error) {
	if fills, err := j.Fills(ctx, target); err != nil || !fills {
		return "", err
	}
	held, err := j.records.read(ctx, target.Index)
	if err != nil || !held.Exists() {
		return "", err
	}
	return textOf(held.Value.Record.Verify), nil
}
