package search

import (
	"context"
	"sync/atomic"
)

// made is a value that is costly to make: whoever asks first makes it, others
// wait, and when the maker gives up the next one makes it.
type made[V any] struct {
	turn  chan struct{} // holds one token while somebody makes it
	value atomic.Pointer[V]
}

func newMade[V any]() *made[V] { return &made[V]{turn: make(chan struct{}, 1)} }

// get returns the value, and whether this call made it.
func (m *made[V]) get(ctx context.Context, build func(ctx context.Context) (*V, error)) (value *V, isNew bool, err error) {
	if value := m.value.Load(); value != nil {
		return value, false, nil
	}
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
	if value := m.value.Load(); value != nil {
		return value, false, nil
	}
	if value, err = build(ctx); err != nil {
		return nil, false, err
	}
	m.value.Store(value)
	return value, true, nil
}
