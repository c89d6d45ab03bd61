package reindex

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
)

// Recover reads the records of every index and takes over the unfinished ones. It
// runs before writes are served, so that no write reaches a generation that is
// being filled. A damaged record does not keep other indexes from being served.
func (j *Jobs) Recover(ctx context.Context) error {
	recorded, err := j.records.indexes(ctx)
	if err != nil {
		return err
	}
	for _, index := range j.registry.List() {
		if !recorded[index.ID] || j.options.Holds != nil && !j.options.Holds(index.ID) {
			continue
		}
		err := j.takeOver(ctx, index.ID)
		if errors.Is(err, versioned.ErrCorrupt) {
			j.log.Error("cannot read the reindex job of an index; skipping it", "index", index.Name, "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TakeOver takes over the unfinished job of an index that this node began to write.
// A job that already waits here finds out whether it is still its own. Writes wait
// for Moves, so it is held only if there is a job, and not for long while the
// bucket hangs (I18).
func (j *Jobs) TakeOver(ctx context.Context, index registry.ID) error {
	if one := j.find(index); one != nil {
		one.wake()
		return nil
	}
	held, err := j.records.read(ctx, index)
	if err != nil {
		return err
	}
	if !held.Exists() {
		if j.find(index) == nil {
			j.forget(index)
		}
		return nil
	}
	return j.takeOverAlone(ctx, index)
}

// takeOverAlone is takeOver while no write of the index is under way.
func (j *Jobs) takeOverAlone(ctx context.Context, index registry.ID) error {
	moves := j.generations.Moves(index)
	moves.Lock()
	defer moves.Unlock()
	ctx, cancel := context.WithTimeout(ctx, takeOverWait)
	defer cancel()
	return j.takeOver(ctx, index)
}

// adopt claims the indexes whose unfinished jobs no node runs.
func (j *Jobs) adopt(ctx context.Context) {
	if j.options.Claim == nil {
		return
	}
	recorded, err := j.records.indexes(ctx)
	if err != nil {
		return
	}
	for _, index := range j.registry.List() {
		if !recorded[index.ID] || j.find(index.ID) != nil {
			continue
		}
		held, err := j.records.read(ctx, index.ID)
		if err != nil || !held.Exists() || held.Value.Record.Phase.IsFinished() || j.options.Claim(ctx, index.ID) != nil {
			continue
		}
		if err := j.TakeOver(ctx, index.ID); err != nil {
			j.log.Error("cannot take over an unfinished reindex job", "index", index.ID, "error", err)
		}
	}
}

// takeOver takes over the job of an index if it is unfinished and not running here:
// two instances would not fence each other.
func (j *Jobs) takeOver(ctx context.Context, index registry.ID) error {
	if j.find(index) != nil {
		return nil
	}
	losses := j.lost()
	held, err := j.records.read(ctx, index)
	if err != nil {
		return err
	}
	if !held.Exists() {
		j.forget(index)
		return nil
	}
	j.note(index, held.Value.Record.Phase)
	if held.Value.Record.Phase.IsFinished() {
		return nil
	}
	next := held.Value
	next.Epoch++
	next.Record.Node = textOrNil(j.node)
	if held, err = j.records.replace(ctx, held, next); err != nil {
		return err
	}
	j.carry(newJob(held), losses)
	return nil
}

// sweep takes over jobs that ended here without a recorded end.
func (j *Jobs) sweep(ctx context.Context) {
	j.mu.Lock()
	var orphans []registry.ID
	for index, phase := range j.phases {
		if _, carried := j.jobs[index]; !carried && !phase.IsFinished() && (j.options.Holds == nil || j.options.Holds(index)) {
			orphans = append(orphans, index)
		}
	}
	j.mu.Unlock()
	for _, index := range orphans {
		if err := j.takeOverAlone(ctx, index); err != nil {
			j.log.Error("cannot take over an unfinished reindex job", "index", index, "error", err)
		}
	}
}

// carry hands a job to Run. losses is the number of lost indexes when its record
// was written.
func (j *Jobs) carry(one *job, losses int) {
	j.mu.Lock()
	one.losses = losses
	j.jobs[one.index()] = one
	delete(j.idle, one.index())
	j.mu.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
}
