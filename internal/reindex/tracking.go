package reindex

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
)

// Tracking stays on when the source cannot be written as its job ends, when the
// record of the job is lost, or when an index is restored that was deleted during
// the job. Every commit of the source then records keys that no job will read. It
// costs something only while the generation is open to write, so these are the ones
// that are looked at.

// stopUnusedTracking stops the tracking of generations that are open to write here
// and are the source of no unfinished job. It does not wait, so that a slow
// generation delays no other.
func (j *Jobs) stopUnusedTracking(ctx context.Context) {
	for _, source := range j.generations.Open() {
		if !source.IsTracking() || source.Err() != nil || j.options.Holds != nil && !j.options.Holds(source.Entry.Index) {
			source.Release()
			continue
		}
		j.running.Go(func() {
			defer source.Release()
			if err := j.stopUnused(ctx, source); err != nil {
				j.log.Error("cannot stop tracking changes that no reindex job needs; trying again",
					"index", source.Entry.Name.Index, "generation", source.Entry.Generation, "error", err)
			}
		})
	}
}

// stopUnused stops the tracking of a generation unless it is the source of an
// unfinished job. The record is read after the generation was opened to write (J6):
// a job that another node begins later has fenced this writer before it tracks
// anything. A job that begins here waits in awaitStopped.
func (j *Jobs) stopUnused(ctx context.Context, source *generations.Generation) error {
	ended, isFirst := j.beginStopping(source.Entry.Generation)
	if !isFirst {
		return nil
	}
	defer ended()
	if one := j.find(source.Entry.Index); one != nil && one.source().Generation == source.Entry.Generation {
		return nil
	}
	reading, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	held, err := j.records.read(reading, source.Entry.Index)
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, versioned.ErrCorrupt):
		return nil // the job continues if the record is repaired
	case err != nil:
		return err
	case held.Exists() && !held.Value.Record.Phase.IsFinished() && held.Value.SourceID == source.Entry.Generation:
		return nil
	}
	if err := source.StopTracking(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	j.log.Info("stopped tracking changes that no reindex job needs", "index", source.Entry.Name.Index, "generation", source.Entry.Generation)
	return nil
}

// beginStopping notes that stopUnused runs for a generation until ended is called.
// It reports false if it does already.
func (j *Jobs) beginStopping(source registry.ID) (ended func(), isFirst bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopping[source] != nil {
		return nil, false
	}
	over := make(chan struct{})
	j.stopping[source] = over
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.stopping, source)
		close(over)
	}, true
}

// awaitStopped waits until no stopUnused runs for a generation that may have read
// the record before the caller's job was in it. One that begins later finds the job.
func (j *Jobs) awaitStopped(source registry.ID) {
	j.mu.Lock()
	over := j.stopping[source]
	j.mu.Unlock()
	if over != nil {
		<-over
	}
}
