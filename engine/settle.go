package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/mergeplan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// While documents are written, merges keep the number of segments logarithmic
// and cost as little as that allows. At rest only searches are left, and every
// segment costs each of them: the segments are joined further, one generation
// of a node at a time, and a write that arrives ends the merge at once.

const (
	// restBefore is how long nothing is committed before a generation rests.
	restBefore = 3 * time.Second
	// settledPerSecond adds to that, so that a large merge waits longer than a
	// small one for a pause that lasts.
	settledPerSecond = 64 << 20
)

// errWritten ends a merge at rest.
var errWritten = errors.New("a write ended the rest")

// chooseSettling returns what is to be merged at rest, nil when the generation
// is settled. One that others read from a bucket is left as it is: what is
// joined would be uploaded again.
func (g *Generation) chooseSettling(base *snapshot.Snapshot, damaged map[*segment.Reader]bool) mergeplan.Merge {
	if base == nil || g.storage.Publisher != nil || g.Err() != nil || g.enoughSpace() != nil {
		return nil
	}
	return g.options.mergePolicy().Settle(planOf(base, damaged))
}

// restTimer fires when the generation has rested long enough for its next merge
// at rest. It is nil when the generation is settled.
func (g *Generation) restTimer(damaged map[*segment.Reader]bool) <-chan time.Time {
	base := g.Snapshot()
	if base == nil {
		return nil
	}
	defer base.Release()
	merge := g.chooseSettling(base, damaged)
	if merge == nil {
		return nil
	}
	size := int64(0)
	for _, position := range merge {
		size += base.Segments[position].Reader.Size()
	}
	return time.After(restBefore + time.Duration(size)*time.Second/settledPerSecond)
}

// settle runs the next merge at rest. A write ends it, without an error.
func (g *Generation) settle(ctx context.Context, damaged map[*segment.Reader]bool) error {
	base := g.Snapshot()
	if base == nil {
		return nil
	}
	defer base.Release()
	var sources []*snapshot.Segment
	for _, position := range g.chooseSettling(base, damaged) {
		sources = append(sources, base.Segments[position])
	}
	if len(sources) == 0 {
		return nil
	}
	resting, end := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer end(nil)
	select {
	case <-g.written: // before the rest
	default:
	}
	watching.Go(func() {
		select {
		case <-g.written:
			end(errWritten)
		case <-resting.Done():
		}
	})
	lock := &g.options.Budget.settling
	if lock.LockUntil(resting) != nil {
		return nil
	}
	defer lock.Unlock()
	err := g.merge(resting, sources)
	if resting.Err() != nil || errors.Is(err, errSuperseded) || errors.Is(err, vfs.ErrFault) && findDamaged(ctx, sources, damaged) {
		return nil
	}
	return err
}

// IsSettled reports whether no merge is due, neither now nor after a rest.
func (g *Generation) IsSettled() bool {
	base := g.Snapshot()
	if base == nil {
		return true
	}
	defer base.Release()
	return len(g.options.mergePolicy().Choose(planOf(base, nil))) == 0 && g.chooseSettling(base, nil) == nil
}

// Written returns the bytes of the segments that were made of documents and of
// other segments since the generation was opened.
func (g *Generation) Written() (flushed, merged int64) { return g.flushed.Load(), g.merged.Load() }
