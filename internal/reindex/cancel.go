package reindex

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
)

// awaitEnd waits for a job that was asked to end.
func (j *Jobs) awaitEnd(ctx context.Context, one *job) {
	waiting, stop := context.WithTimeout(ctx, cancelWait)
	defer stop()
	select {
	case <-one.ended:
	case <-waiting.Done():
	}
}

// Cancel ends the job of an index and returns its record. A finished job stays as
// it is.
func (j *Jobs) Cancel(ctx context.Context, name registry.Name) (Record, error) {
	record, err := j.Record(ctx, name)
	if err != nil || record.Phase.IsFinished() {
		return record, err
	}
	index, err := j.registry.Find(name)
	if err != nil {
		return Record{}, err
	}
	one := j.find(index.ID)
	if one == nil {
		return j.cancelOrphan(ctx, name, index.ID)
	}
	one.cancel()
	j.awaitEnd(ctx, one)
	now, err := j.Record(ctx, name)
	if err != nil || now.Phase.IsFinished() || j.find(index.ID) == one || textOf(now.ID) != textOf(record.ID) {
		return now, err
	}
	// It ended here without recording that: another node took it over before the
	// index came back, or the store did not report what it took.
	return j.cancelOrphan(ctx, name, index.ID)
}

// cancelOrphan cancels a job that no node runs, through its record.
func (j *Jobs) cancelOrphan(ctx context.Context, name registry.Name, index registry.ID) (Record, error) {
	held, err := j.records.read(ctx, index)
	if err != nil {
		return Record{}, err
	}
	if !held.Exists() || held.Value.Record.Phase.IsFinished() {
		return j.Record(ctx, name)
	}
	one := newJob(held)
	if err := j.finish(ctx, one, Cancelled, nil); err != nil && !errors.Is(err, versioned.ErrLost) {
		return Record{}, err
	}
	return j.Record(ctx, name)
}
