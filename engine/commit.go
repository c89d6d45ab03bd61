package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Bounds of commits.
const (
	firstRetry     = time.Second
	lastRetry      = time.Minute
	forcedInterval = time.Second // between two commits for freshness
)

// commitRequest is a caller that waits for a commit that has not been cut yet.
type commitRequest struct {
	trigger Trigger
	done    chan error // buffered
}

// Commit makes everything acknowledged before the call visible and returns the
// sequence number that holds it. Concurrent calls share a commit. After an error
// the writes stay where they are and are committed later. The error is a problem,
// or that of ctx.
func (g *Generation) Commit(ctx context.Context, trigger Trigger) (uint64, error) {
	request := &commitRequest{trigger: trigger, done: make(chan error, 1)}
	g.mu.Lock()
	if g.failure != nil || g.ended {
		defer g.mu.Unlock()
		return 0, g.refusal()
	}
	g.requests = append(g.requests, request)
	g.mu.Unlock()
	g.committing.wake()
	select {
	case err := <-request.done:
		return g.Sequence(), storageProblem(err)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// ErrNotPromised is returned for a wait for a commit that was never promised.
var ErrNotPromised = errors.New("no writer was promised this commit")

// WaitFor blocks until the snapshot has reached a commit. It makes the writer
// commit, at most once a second for all callers together. For a sequence number
// that was not promised to any writer it returns ErrNotPromised at once.
func (g *Generation) WaitFor(ctx context.Context, sequence uint64) error {
	asked := false
	for {
		g.mu.Lock()
		advanced, promised, failure, closed := g.advanced, g.promised, g.failure, g.closed
		pending := g.frozen != nil || g.active != nil && g.active.changes > 0
		reached := g.Sequence() >= sequence
		if !reached && !asked && failure == nil && sequence <= promised {
			asked = true
			g.requests = append(g.requests, &commitRequest{trigger: ByFreshness, done: make(chan error, 1)})
			g.committing.wake()
		}
		g.mu.Unlock()
		switch {
		case reached:
			return nil
		case g.options.ReadOnly && !closed: // Reload decides
		case sequence > promised || !pending:
			return ErrNotPromised
		case failure != nil || closed:
			return problem.IndexClosed.New().Because(failure)
		}
		select {
		case <-advanced:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// commitLoop decides when to commit and commits, until nothing waits for a commit.
func (g *Generation) commitLoop(ctx context.Context) {
	var retryAt time.Time
	retry := firstRetry
	for ctx.Err() == nil {
		trigger, requests, wait := g.due(time.Now(), retryAt)
		if trigger == "" {
			if wait > 0 {
				g.committing.await(ctx, wait)
			} else if g.committing.park() {
				return
			}
			continue
		}
		began := time.Now()
		err := vfs.Protect(func() error { return g.commit(ctx) })
		g.options.Metrics.Commit(string(trigger), err == nil, time.Since(began))
		for _, request := range requests {
			request.done <- err
		}
		if err != nil {
			g.options.Logger.Error("commit failed", "directory", g.storage.Directory, "error", err, "retry", retry)
			retryAt = time.Now().Add(retry)
			retry = min(2*retry, lastRetry)
		} else {
			retryAt, retry = time.Time{}, firstRetry
		}
	}
}

// endRequests fails the waiting callers when there will be no more commits.
func (g *Generation) endRequests() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	for _, request := range g.requests {
		request.done <- problem.IndexClosed.New()
	}
	g.requests = nil
}

// due returns the trigger of a commit that must run now and the requests that wait
// for it. Without one it returns how long to wait before asking again; zero means
// until woken.
func (g *Generation) due(now, retryAt time.Time) (Trigger, []*commitRequest, time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failure != nil {
		return "", nil, 0
	}
	var wait time.Duration
	sooner := func(d time.Duration) {
		if wait == 0 || d < wait {
			wait = max(d, time.Millisecond)
		}
	}
	trigger := Trigger("")
	for _, request := range g.requests {
		switch {
		case request.trigger != ByFreshness:
			trigger = request.trigger
		case trigger == "" && now.Sub(g.lastForced) >= forcedInterval:
			trigger = ByFreshness
		case trigger == "":
			sooner(forcedInterval - now.Sub(g.lastForced))
		}
	}
	if trigger == "" && now.Before(retryAt) {
		sooner(retryAt.Sub(now))
		return "", nil, wait
	}
	if trigger == "" && (g.frozen != nil || g.recovering) {
		trigger = ByInterval
	}
	if t := g.active; trigger == "" && t != nil && t.changes > 0 {
		age := now.Sub(t.firstAt)
		switch {
		case g.pressed.Load(), g.options.MaxChanges > 0 && t.changes >= g.options.MaxChanges:
			trigger = ByChanges
		case g.options.MaxInterval > 0 && age >= g.options.MaxInterval:
			trigger = ByInterval
		case g.options.MaxInterval > 0:
			sooner(g.options.MaxInterval - age)
		}
	}
	if trigger == "" {
		return "", nil, wait
	}
	if trigger == ByFreshness {
		g.lastForced = now
	}
	g.pressed.Store(false)
	requests := g.requests
	g.requests = nil
	return trigger, requests, 0
}

// commit makes the operations up to now visible. Only the commit loop calls it.
func (g *Generation) commit(ctx context.Context) error {
	// A table left by a failed commit goes first; later operations follow.
	for {
		t, retried := g.cut()
		if t == nil {
			return nil
		}
		if err := g.flush(t); err != nil {
			return err
		}
		if err := g.publishTable(ctx, t); err != nil {
			return err
		}
		if err := g.releaseLog(t.lastLSN); err != nil {
			g.options.Logger.Warn("cannot release the log", "error", err)
		}
		g.merging.wake()
		if !retried {
			return nil
		}
	}
}

// cut freezes the active table at the end of a batch and begins a new one. It
// returns nil when nothing changed, and the table of the earlier commit if that one
// failed.
func (g *Generation) cut() (t *table, retried bool) {
	g.order.Lock()
	defer g.order.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.frozen != nil {
		return g.frozen, true
	}
	if g.active.changes == 0 {
		return nil, false
	}
	g.frozen = g.active
	g.active = newTable(g.frozen.sequence+1, g.pipeline.Load(), g.options.Workers)
	return g.frozen, false
}

// flush writes every segment of a table that is not in a file yet.
func (g *Generation) flush(t *table) error {
	t.working.Wait()
	runs := t.runs()
	failures := make([]error, len(runs))
	var group sync.WaitGroup
	for i, r := range runs {
		if r.reader != nil {
			continue
		}
		group.Go(func() {
			failures[i] = vfs.Protect(func() error {
				if r.broken {
					if err := g.rebuild(t, r); err != nil {
						return err
					}
				}
				if len(r.entries) == 0 {
					return nil
				}
				return g.flushRun(r)
			})
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

// releaseLog releases the part of the log that a commit holds.
func (g *Generation) releaseLog(upTo uint64) error {
	g.order.Lock()
	defer g.order.Unlock()
	return g.log.Release(upTo)
}

// publish makes a manifest the current one. The caller holds publishing. If the
// outcome is unknown the generation fails, and the next opening goes by what is on
// disk.
func (g *Generation) publish(ctx context.Context, next *manifest.Manifest) error {
	g.mu.Lock()
	failure := g.failure
	g.mu.Unlock()
	if failure != nil {
		// The stored manifest may be newer than the one that next was built on.
		return fmt.Errorf("publish commit %d: %w", next.Sequence, failure)
	}
	if err := g.fs.SyncDir(g.storage.Directory); err != nil {
		// The names of new files may be lost, and a second sync proves nothing.
		g.fail(fmt.Errorf("sync directory: %w", err))
		return err
	}
	if g.storage.Publisher != nil {
		if err := g.storage.Publisher.Publish(ctx, next); err != nil {
			if errors.Is(err, ErrFenced) || errors.Is(err, manifest.ErrUnsettled) {
				g.fail(err)
			}
			return fmt.Errorf("publish commit %d: %w", next.Sequence, err)
		}
	}
	err := manifest.Write(g.fs, g.storage.Directory, next)
	if err != nil && g.storage.Publisher != nil {
		// It is published, but this copy does not know it.
		err = fmt.Errorf("%w: %w", manifest.ErrUnsettled, err)
	}
	if errors.Is(err, manifest.ErrUnsettled) {
		g.fail(err)
	}
	return err
}
