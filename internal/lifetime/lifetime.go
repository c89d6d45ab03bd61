// Package lifetime ends work together with the component to which it belongs.
//
// A component that starts work of its own has a Lifetime instead of a stored
// context: the work derives its context from the caller's, or from none, and also
// ends with the component.
//
//	ctx, cancel := c.life.Context(ctx)
//	defer cancel()
//
// A Lifetime is safe for concurrent use.
package lifetime

import (
	"context"
	"sync"
)

// Lifetime lasts from New until End.
type Lifetime struct {
	done chan struct{}

	mu      sync.Mutex
	derived map[*context.CancelFunc]struct{} // cancelled by End
}

// New begins a lifetime.
func New() *Lifetime {
	return &Lifetime{done: make(chan struct{}), derived: make(map[*context.CancelFunc]struct{})}
}

// End cancels every context that Context has returned or will return. Only the
// first call has an effect. It does not wait for work under these contexts.
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

// Context returns a context that ends with its parent, with the lifetime, or when
// the caller cancels it. The caller must cancel it once the work is over.
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
