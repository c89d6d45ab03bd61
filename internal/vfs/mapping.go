package vfs

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Mapping is a read-only view of a whole file. It starts with one reference; the
// bytes stay valid until the last one is released. They must not be changed, and
// not be read after the last Release.
type Mapping struct {
	name    string
	data    []byte
	refs    atomic.Int64
	release func([]byte) error
	mapped  bool // the bytes are pages of the file

	mu      sync.Mutex
	waiting map[any]func() // by the caller that registered it
	gone    bool
}

// NewMapping returns a view of data with one reference. release, if not nil, runs
// once after the last reference is dropped.
func NewMapping(name string, data []byte, release func([]byte) error) *Mapping {
	m := &Mapping{name: name, data: data, release: release}
	m.refs.Store(1)
	return m
}

// Name returns the name of the file.
func (m *Mapping) Name() string { return m.name }

// Bytes returns the content.
func (m *Mapping) Bytes() []byte { return m.data }

// Forget removes the pages read so far from the memory of the process. They stay in
// the page cache, and the view stays valid. It is for callers that read the whole
// file once.
func (m *Mapping) Forget() {
	if m.mapped {
		forget(m.data)
	}
}

// Scattered announces random reads of a part of the bytes, for which read-ahead is
// useless.
func (m *Mapping) Scattered(part []byte) { m.advise(part, scattered) }

// Soon announces that a part of the bytes is about to be read from end to end.
func (m *Mapping) Soon(part []byte) { m.advise(part, soon) }

// advise passes on the whole pages of a part, if the bytes are mapped.
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

// Retain adds a reference. It returns false when the last one has been dropped
// already; the view must not be used then.
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

// Release drops one reference; the last one frees the view.
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

// WhenReleased runs do once the last reference is dropped, before the bytes are
// freed, or at once if it has been dropped already. Only the first call for each
// who, which must be comparable, counts.
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
