package generations

import (
	"context"
	"sync"
)

// gate lets writers into a generation, any number at once, except while it is
// held. A hold waits for the writers inside; writers that come meanwhile wait
// for its end and are then told that it was held, because the name they came
// by may answer from another generation now.
type gate struct {
	mu     sync.Mutex
	inside int
	opened chan struct{} // closed when the hold ends; nil while nobody holds
	empty  chan struct{} // closed when the last writer leaves under a hold
}

// enter lets a writer in. While the gate is held it waits for the end of the
// hold and reports false without letting the writer in.
func (g *gate) enter(ctx context.Context) (bool, error) {
	g.mu.Lock()
	opened := g.opened
	if opened == nil {
		g.inside++
		g.mu.Unlock()
		return true, nil
	}
	g.mu.Unlock()
	select {
	case <-opened:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
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

// hold closes the gate and waits until nobody is inside. The returned function
// opens it again; it may be called more than once.
func (g *gate) hold(ctx context.Context) (func(), error) {
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
			return nil, ctx.Err()
		}
	}
	opened := make(chan struct{})
	g.opened = opened
	release := sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.opened, g.empty = nil, nil
		close(opened)
	})
	if g.inside == 0 {
		g.mu.Unlock()
		return release, nil
	}
	empty := make(chan struct{})
	g.empty = empty
	g.mu.Unlock()
	select {
	case <-empty:
		return release, nil
	case <-ctx.Done():
		release()
		return nil, ctx.Err()
	}
}
