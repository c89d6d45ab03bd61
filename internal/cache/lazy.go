package cache

import (
	"context"
	"sync/atomic"
)

// Lazy is a value that is costly to build. The first caller of Get builds it while
// others wait; when that caller gives up, the next one builds it. A Lazy is safe
// for concurrent use.
type Lazy[V any] struct {
	turn  chan struct{} // holds one token while the value is built
	value atomic.Pointer[V]
}

// NewLazy returns a value that is not built yet.
func NewLazy[V any]() *Lazy[V] { return &Lazy[V]{turn: make(chan struct{}, 1)} }

// Get returns the value, and whether this call built it.
func (l *Lazy[V]) Get(ctx context.Context, build func(ctx context.Context) (*V, error)) (value *V, isNew bool, err error) {
	if value := l.value.Load(); value != nil {
		return value, false, nil
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
	if value := l.value.Load(); value != nil {
		return value, false, nil
	}
	if value, err = build(ctx); err != nil {
		return nil, false, err
	}
	l.value.Store(value)
	return value, true, nil
}
