package node

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

const (
	// lookPause is the time between two looks at the registry: whatever tokens and
	// names callers make up, they cost twenty conditional reads a second.
	lookPause = 50 * time.Millisecond
	lookLimit = 10 * time.Second // for a registry that does not answer
)

// look is a read of the registry that everybody shares who asked for it before it
// began.
type look struct {
	over chan struct{} // closed when it is over
	err  error         // set before
}

// look reads the registry if it changed, in a read that begins after the call: what
// was true then is known here when it returns without error. There is one at a time,
// and a pause between two. In local mode nobody else changes the registry.
func (n *Node) look(ctx context.Context) error {
	o := n.object
	if o == nil {
		return nil
	}
	o.mu.Lock()
	if o.isStopped {
		o.mu.Unlock()
		return problem.IndexClosed.New()
	}
	mine := o.nextLook
	if mine == nil {
		mine = &look{over: make(chan struct{})}
		o.nextLook = mine
		// It goes on for the others when who asked first leaves.
		o.running.Go(func() { n.lookNext(mine) })
	}
	o.mu.Unlock()
	select {
	case <-mine.over:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (n *Node) lookNext(mine *look) {
	o := n.object
	defer close(mine.over)
	o.looking.Lock()
	defer o.looking.Unlock()
	if !o.pause(time.Until(o.lookEnds)) {
		mine.err = problem.IndexClosed.New()
		return
	}
	o.mu.Lock()
	o.nextLook = nil // who comes now asks for what this one may not see
	o.mu.Unlock()
	reading, cancel := context.WithTimeout(o.life, lookLimit)
	defer cancel()
	o.lookEnds = time.Now().Add(lookPause)
	mine.err = n.registry.Refresh(reading)
}

// pause waits, and reports false when the node stops meanwhile.
func (o *object) pause(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-o.life.Done():
		return false
	}
}

// resolveAt finds the generation a name answers from at the state of a token. What
// the node does not know, or knows otherwise than the token has it, is looked up.
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
	if err := n.look(ctx); err != nil {
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
