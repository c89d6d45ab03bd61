package engine

import (
	"context"
	"sync"
)

// gate lets any number of writers in at once, except while it is held. A hold waits
// for the writers inside; writers that arrive meanwhile wait for its end.
type gate struct {
	mu     sync.Mutex
	inside int
	opened chan struct{} // closed when the hold ends; nil while the gate is open
	empty  chan struct{} // closed when the last writer leaves under a hold
}

// enter lets a writer in and blocks while the gate is held.
func (g *gate) enter(ctx context.Context) error {
	for {
		g.mu.Lock()
		opened := g.opened
		if opened == nil {
			g.inside++
			g.mu.Unlock()
			return nil
		}
		g.mu.Unlock()
		select {
		case <-opened:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leave lets a writer out.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.inside == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

// hold closes the gate and blocks until every writer inside has left. After success
// the caller must call release once.
func (g *gate) hold(ctx context.Context) error {
	for {
		g.mu.Lock()
		if g.opened == nil {
			break
		}
		opened := g.opened
		g.mu.Unlock()
		select {
		case <-opened:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	g.opened = make(chan struct{})
	if g.inside == 0 {
		g.mu.Unlock()
		return nil
	}
	empty := make(chan struct{})
	g.empty = empty
	g.mu.Unlock()
	select {
	case <-empty:
		return nil
	case <-ctx.Done():
		g.mu.Lock()
		g.empty = nil
		g.mu.Unlock()
		g.release()
		return ctx.Err()
	}
}

// release opens the gate again.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
	g.opened = nil
}
