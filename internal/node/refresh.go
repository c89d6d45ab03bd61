package node

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

const (
	// refreshPause is the time between two reads of the registry: whatever tokens
	// and names callers invent, they cost at most twenty conditional reads a
	// second.
	refreshPause = 50 * time.Millisecond
	refreshLimit = 10 * time.Second // for a registry that does not answer
)

// refresh is one read of the registry, shared by all callers that asked before it
// began.
type refresh struct {
	over chan struct{} // closed when the read is over
	err  error         // set before over is closed
}

// refresh reads the registry if it changed, in a read that begins after the call,
// so that everything true at the call is known here when it returns without error.
// One read runs at a time, with a pause between two.
func (s *shared) refresh(ctx context.Context) error {
	s.mu.Lock()
	if s.isStopped {
		s.mu.Unlock()
		return problem.IndexClosed.New()
	}
	mine := s.nextRefresh
	if mine == nil {
		mine = &refresh{over: make(chan struct{})}
		s.nextRefresh = mine
		// The read continues for the others when the first caller leaves.
		s.start(func(ctx context.Context) { s.refreshNext(ctx, mine) })
	}
	s.mu.Unlock()
	return mine.wait(ctx)
}

// wait returns the error of the read once it is over.
func (r *refresh) wait(ctx context.Context) error {
	select {
	case <-r.over:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shared) refreshNext(ctx context.Context, mine *refresh) {
	defer close(mine.over)
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	if !s.pause(time.Until(s.refreshFrom)) {
		mine.err = problem.IndexClosed.New()
		return
	}
	s.mu.Lock()
	s.nextRefresh = nil // this read may not see what later callers ask for
	s.mu.Unlock()
	reading, cancel := context.WithTimeout(ctx, refreshLimit)
	defer cancel()
	s.refreshFrom = time.Now().Add(refreshPause)
	mine.err = s.node.registry.Refresh(reading)
}

func (s *shared) refreshForName(ctx context.Context) bool {
	s.mu.Lock()
	if time.Since(s.namedAt) >= s.node.options.RefreshInterval && !s.isStopped {
		next := &refresh{over: make(chan struct{})}
		s.named, s.namedAt = next, time.Now()
		s.start(func(ctx context.Context) {
			defer close(next.over)
			next.err = s.refresh(ctx)
		})
	}
	last := s.named
	s.mu.Unlock()
	return last != nil && last.wait(ctx) == nil
}

func (s *shared) hasMoved(name registry.Name, entry registry.Entry) bool {
	now, err := s.node.registry.Resolve(name)
	return err != nil || now.Generation != entry.Generation
}

// pause waits, and returns false when the node stops meanwhile.
func (s *shared) pause(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.life.Done():
		return false
	}
}

// resolve finds the generation that a name answers from. In object mode it looks an
// unknown name up in the bucket, at most once per refresh interval.
func (n *Node) resolve(ctx context.Context, name registry.Name) (registry.Entry, error) {
	if err := n.ready(ctx); err != nil {
		return registry.Entry{}, err
	}
	entry, err := n.registry.Resolve(name)
	if !errors.Is(err, problem.IndexNotFound) || !n.deployment.refreshForName(ctx) {
		return entry, err
	}
	return n.registry.Resolve(name)
}

// acquire returns the open generation that a name answers from. The caller releases
// it.
func (n *Node) acquire(ctx context.Context, name registry.Name) (*generations.Generation, error) {
	entry, err := n.resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	return n.generations.Acquire(ctx, entry)
}

// resolveAt finds the generation that a name answers from at the state of a token.
// It refreshes the registry when the node does not know the name or its state
// differs from the token.
func (n *Node) resolveAt(ctx context.Context, name registry.Name, atLeast freshness.Token) (registry.Entry, error) {
	if atLeast.IsZero() {
		return n.resolve(ctx, name)
	}
	if err := n.ready(ctx); err != nil {
		return registry.Entry{}, err
	}
	entry, err := n.registry.Resolve(name)
	if err == nil && entry.Index == atLeast.Index && (atLeast.Generation == freshness.ID{} || atLeast.Generation == entry.Generation) {
		return entry, nil
	}
	if err != nil && !errors.Is(err, problem.IndexNotFound) && !errors.Is(err, problem.IndexNoLiveGeneration) {
		return entry, err
	}
	if err := n.deployment.refresh(ctx); err != nil {
		return entry, n.unavailable(err)
	}
	// This is the present: a generation that is not live in it was live earlier, or
	// is addressed by its own name.
	if entry, err = n.registry.Resolve(name); err != nil {
		return entry, err
	}
	if entry.Index != atLeast.Index {
		of := atLeast.IndexName
		if of == name.Index {
			of = "an earlier index of that name"
		}
		return entry, problem.SearchFreshnessIndexMismatch.New("index", of, "expected", name.Index)
	}
	return entry, nil
}
