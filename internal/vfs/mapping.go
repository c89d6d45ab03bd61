package vfs

import (
	"fmt"
	"sync/atomic"
)

// Mapping is a read-only view of a whole file. It starts with one reference;
// the bytes stay valid until the last one is released. Bytes must not be
// changed, and not be touched after the last Release.
type Mapping struct {
	name    string
	data    []byte
	refs    atomic.Int64
	release func([]byte) error
}

// NewMapping makes a view over data with one reference. release, when not
// nil, runs once after the last reference is gone.
func NewMapping(name string, data []byte, release func([]byte) error) *Mapping {
	m := &Mapping{name: name, data: data, release: release}
	m.refs.Store(1)
	return m
}

// Name is the name of the file.
func (m *Mapping) Name() string { return m.name }

// Bytes is the content.
func (m *Mapping) Bytes() []byte { return m.data }

// Retain adds a reference. It reports false when the last one is already
// gone; then the view must not be used.
func (m *Mapping) Retain() bool {
	for {
		n := m.refs.Load()
		if n <= 0 {
			return false
		}
		if m.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release gives one reference back; the last one frees the view.
func (m *Mapping) Release() error {
	n := m.refs.Add(-1)
	if n > 0 {
		return nil
	}
	if n < 0 {
		return fmt.Errorf("release %s: released more often than retained", m.name)
	}
	data := m.data
	m.data = nil
	if m.release != nil {
		return m.release(data)
	}
	return nil
}
