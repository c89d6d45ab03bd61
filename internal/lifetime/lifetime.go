// Package lifetime ends work together with the component that it belongs to.
//
// A component that starts work for its own sake has a Lifetime instead of a stored
// context: work derives its context from the caller's, or from none, and ends with
// the component as well.
//
//	ctx, cancel := c.life.Context(ctx)
//	defer cancel()
//
// A Lifetime may be used by any number of goroutines.
package lifetime

import (
	"context"
	"sync"
)

// Lifetime lasts from New until End.
type Lifetime struct {
	done chan struct{}

	mu      sync.Mutex
	derived map[*context.CancelFunc]struct{} // what End cancels
}

// New begins a lifetime.
func New() *Lifetime {
	return &Lifetime{done: make(chan struct{}), derived: make(map[*context.CancelFunc]struct{})}
}

// End cancels every context that Context returned, now and later. Only the first call
// has an effect. It does not wait for the work that runs under them.
func (l *Lifetime) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.HasEnded() {
		return
	}
	close(l.done)
	for cancel := range l.derived {
		(*cancel)()
	}
	l.derived = nil
}

// Done returns a channel that is closed when the lifetime ends.
func (l *Lifetime) Done() <-chan struct{} { return l.done }

// HasEnded reports whether End was called.
func (l *Lifetime) HasEnded() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// Context returns a context that ends with its parent, with the lifetime, or when the
// caller cancels it, which it must do once the work is over.
func (l *Lifetime) Context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.HasEnded() {
		cancel()
		return ctx, cancel
	}
	l.derived[&cancel] = struct{}{}
	return ctx, func() {
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.derived, &cancel)
	}
}
