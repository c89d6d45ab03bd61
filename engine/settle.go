package engine

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/mergeplan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// While documents are written, merges keep the number of segments logarithmic at
// the lowest cost. At rest there are only searches, and every segment adds to their
// cost: the segments are joined further, one generation of a node at a time, and a
// write that arrives ends the merge at once.
//
// When a commit makes a long merge due, it may have been the last commit. So the
// long merge is put off: the next write begins it, and a rest replaces it by the
// merge at rest, which would have rewritten its result. A tier merge runs at rest
// only if no merge at rest is paid for.
//
// The bytes that a merge at rest may rewrite must be paid for: by growth (see
// mergeplan), by bytes flushed since the opening and not yet spent by merges, or by
// waiting. So a loaded index becomes one segment within seconds, and an index that
// changes a little every minute is not fully rewritten every minute.

const (
	// restBefore is how long nothing must be written before a generation is at
	// rest.
	restBefore = 3 * time.Second
	// settledPerSecond adds to restBefore, so that a large merge waits longer than
	// a small one for a lasting pause.
	settledPerSecond = 64 << 20
	// unpaidPerSecond adds to restBefore for a merge that nothing paid for. It
	// limits such merges to 22 GB a day.
	unpaidPerSecond = 256 << 10
	// paidPerByte is how many bytes merges may write for each flushed byte. With
	// the flush itself, a document is written about eight times at most, however
	// often a generation comes to rest.
	paidPerByte = 4
	// mostBackoff bounds how often the wait doubles after merges that a write
	// ended.
	mostBackoff = 6
	// leastRetryWait and mostRetryWait bound the wait after a failed merge: its
	// output is lost, and the cause may persist.
	leastRetryWait = 10 * time.Second
	mostRetryWait  = 5 * time.Minute
)

// errWritten is the cancellation cause of a merge at rest that a write ends.
var errWritten = errors.New("a write ended the rest")

// idleMerge is what a generation waits for while no merge runs.
type idleMerge struct {
	due      <-chan time.Time // fires when the rest is long enough for a merge; nil: the generation is settled
	credit   int64            // bytes that the merge may write
	isPutOff bool             // the merge is not one at rest but the long merge that was put off
	isRetry  bool             // the merge is not one at rest but a retry after a failure
	written  <-chan struct{}  // signals a write, which begins the long merge that was put off; nil: there is none
}

// paid returns how many bytes a merge at rest may write beyond those that growth
// pays for.
func (g *Generation) paid() int64 { return paidPerByte*g.flushed.Load() - g.merged.Load() }

// chooseSettling returns the merge to run at rest, or nil when the generation is
// settled.
func (g *Generation) chooseSettling(base *snapshot.Snapshot, damaged map[*segment.Reader]bool, credit int64) mergeplan.Merge {
	if !g.mayMerge() {
		return nil
	}
	var longest mergeplan.Merge
	policy := g.options.mergePolicy()
	for _, merge := range chooseApart(base, planOf(base, damaged), func(plan []mergeplan.Segment) []mergeplan.Merge {
		return []mergeplan.Merge{policy.Settle(plan, credit)}
	}) {
		if len(merge) > len(longest) {
			longest = merge
		}
	}
	return longest
}

// choosePutOff returns the long merge that was put off, or nil.
func (g *Generation) choosePutOff(base *snapshot.Snapshot, damaged map[*segment.Reader]bool) mergeplan.Merge {
	if !g.mayMerge() {
		return nil
	}
	policy, plan := g.options.mergePolicy(), planOf(base, damaged)
	for _, merge := range chooseApart(base, plan, policy.Choose) {
		if policy.IsLong(plan, merge) {
			return merge
		}
	}
	return nil
}

// nextIdleMerge plans the next merge while none runs. ended is the number of
// consecutive merges that a write ended: their output is lost, so each doubles the
// wait. If other nodes read the generation from a bucket, waiting pays for nothing:
// the segment would have to be uploaded, and fetched by every node that has a copy.
// On a full disk, where no merge may run, it plans a retry.
func (g *Generation) nextIdleMerge(damaged map[*segment.Reader]bool, ended int) idleMerge {
	base := g.Snapshot()
	if base == nil {
		return idleMerge{}
	}
	defer base.Release()
	if len(base.Segments) > 1 && g.Err() == nil && g.enoughSpace() != nil {
		return retryMerge(mostBackoff)
	}
	next := idleMerge{credit: g.paid()}
	perSecond := int64(settledPerSecond)
	merge := g.chooseSettling(base, damaged, next.credit)
	if putOff := g.choosePutOff(base, damaged); putOff != nil {
		next.written = g.written
		if merge == nil {
			merge, next.isPutOff = putOff, true
		}
	}
	if merge == nil && g.storage.Publisher == nil {
		next.credit, perSecond = math.MaxInt64, unpaidPerSecond
		merge = g.chooseSettling(base, damaged, next.credit)
	}
	if merge == nil {
		return idleMerge{}
	}
	size := int64(0)
	for _, position := range merge {
		size += base.Segments[position].Reader.Size()
	}
	select {
	case <-g.written: // written before the rest
	default:
	}
	wait := restBefore + time.Duration(float64(size)/float64(perSecond)*float64(time.Second))
	next.due = time.After(wait << min(ended, mostBackoff))
	return next
}

// retryMerge waits before merges are planned again; failed is the number of
// consecutive failed rounds before the last one.
func retryMerge(failed int) idleMerge {
	return idleMerge{due: time.After(min(leastRetryWait<<min(failed, mostBackoff), mostRetryWait)), isRetry: true}
}

// settle runs the next merge at rest. A write that ends it makes settle return
// errWritten; a write before it began leaves the merge for later.
func (g *Generation) settle(ctx context.Context, damaged map[*segment.Reader]bool, credit int64) error {
	select {
	case <-g.written:
		return nil
	default:
	}
	base := g.Snapshot()
	if base == nil {
		return nil
	}
	defer base.Release()
	var sources []*snapshot.Segment
	for _, position := range g.chooseSettling(base, damaged, credit) {
		sources = append(sources, base.Segments[position])
	}
	if len(sources) == 0 {
		return nil
	}
	resting, end := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer end(nil)
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
	err := g.mergeUntil(ctx, resting, sources)
	if err != nil && context.Cause(resting) == errWritten {
		return errWritten
	}
	if resting.Err() != nil || errors.Is(err, errSuperseded) || errors.Is(err, vfs.ErrFault) && findDamaged(ctx, sources, damaged) {
		return nil
	}
	return err
}

// IsSettled reports whether no merge is due, neither now nor after a rest of some
// seconds.
func (g *Generation) IsSettled() bool {
	base := g.Snapshot()
	if base == nil {
		return true
	}
	defer base.Release()
	return len(chooseApart(base, planOf(base, nil), g.options.mergePolicy().Choose)) == 0 && g.chooseSettling(base, nil, g.paid()) == nil
}

// Written returns the bytes of the segments that were flushed and merged since the
// generation was opened.
func (g *Generation) Written() (flushed, merged int64) { return g.flushed.Load(), g.merged.Load() }
