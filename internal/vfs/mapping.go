package vfs

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Mapping is a read-only view of a whole file. It starts with one reference;
// the bytes stay valid until the last one is released. Bytes must not be
// changed, and not be touched after the last Release.
type Mapping struct {
	name    string
	data    []byte
	refs    atomic.Int64
	release func([]byte) error
	mapped  bool // the bytes are pages of the file

	mu      sync.Mutex
	waiting map[any]func() // by the caller that waits for the release
	gone    bool
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

// Forget takes the pages read so far out of the memory of the process. They
// stay in that of the system, and the view stays as it is: for a caller that
// read the whole file once.
func (m *Mapping) Forget() {
	if m.mapped {
		forget(m.data)
	}
}

// Scattered says that single places of a part of the bytes are read: what lies
// around them is not to be read ahead.
func (m *Mapping) Scattered(part []byte) { m.advise(part, scattered) }

// Soon says that a part of the bytes is about to be read from end to end.
func (m *Mapping) Soon(part []byte) { m.advise(part, soon) }

// advise hands over the whole pages of a part, where it lies in mapped ones.
func (m *Mapping) advise(part []byte, advice func([]byte)) {
	if !m.mapped || len(part) == 0 {
		return
	}
	page := os.Getpagesize()
	from := int(uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(&m.data[0])))
	to := (from + len(part)) / page * page
	if from = (from + page - 1) / page * page; from >= 0 && from < to && to <= len(m.data) {
		advice(m.data[from:to])
	}
}

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
	for _, do := range m.leave() {
		do()
	}
	data := m.data
	m.data = nil
	if m.release != nil {
		return m.release(data)
	}
	return nil
}

// WhenReleased runs do when the last reference is gone and before the bytes
// go, at once when it is gone already. For each who, which must be comparable,
// the first call counts.
func (m *Mapping) WhenReleased(who any, do func()) {
	m.mu.Lock()
	gone := m.gone
	if !gone && m.waiting[who] == nil {
		if m.waiting == nil {
			m.waiting = make(map[any]func())
		}
		m.waiting[who] = do
	}
	m.mu.Unlock()
	if gone {
		do()
	}
}

func (m *Mapping) leave() map[any]func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	waiting := m.waiting
	m.waiting, m.gone = nil, true
	return waiting
}
