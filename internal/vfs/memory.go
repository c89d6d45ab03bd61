package vfs

import (
	"errors"
	"fmt"
	"io"
	"path"
	"sort"
	"strings"
	"sync"
)

// memoryFS keeps files in memory.
type memoryFS struct {
	mu    sync.Mutex
	files map[string]*memoryData
	dirs  map[string]bool
	locks map[string]bool
}

// memoryData is the content of one file. Written bytes do not change in place
// unless the file is truncated, so a Mapping shares them.
type memoryData struct {
	mu   sync.Mutex
	data []byte
}

// Memory returns an empty file system in memory. Syncs do nothing.
func Memory() FS {
	return &memoryFS{files: map[string]*memoryData{}, dirs: map[string]bool{".": true}, locks: map[string]bool{}}
}

func (m *memoryFS) Create(name string) (File, error) {
	c, err := clean("create", name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[c] != nil || m.dirs[c] {
		return nil, fmt.Errorf("create %s: %w", name, ErrExist)
	}
	if !m.dirs[path.Dir(c)] {
		return nil, fmt.Errorf("create %s: directory: %w", name, ErrNotExist)
	}
	d := &memoryData{}
	m.files[c] = d
	return &memoryFile{name: name, d: d}, nil
}

func (m *memoryFS) find(op, name string) (*memoryData, error) {
	c, err := clean(op, name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.files[c]
	if d == nil {
		return nil, fmt.Errorf("%s %s: %w", op, name, ErrNotExist)
	}
	return d, nil
}

func (m *memoryFS) Edit(name string) (File, error) {
	d, err := m.find("edit", name)
	if err != nil {
		return nil, err
	}
	return &memoryFile{name: name, d: d}, nil
}

func (m *memoryFS) Map(name string) (*Mapping, error) {
	d, err := m.find("map", name)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return NewMapping(name, d.data[:len(d.data):len(d.data)], nil), nil
}

func (m *memoryFS) ReadFile(name string) ([]byte, error) {
	d, err := m.find("read", name)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]byte(nil), d.data...), nil
}

func (m *memoryFS) Rename(from, to string) error {
	a, err := clean("rename", from)
	if err != nil {
		return err
	}
	b, err := clean("rename", to)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[a] == nil {
		return fmt.Errorf("rename %s: %w", from, ErrNotExist)
	}
	if m.dirs[b] || !m.dirs[path.Dir(b)] {
		return fmt.Errorf("rename %s to %s: no such place", from, to)
	}
	m.files[b] = m.files[a]
	if a != b {
		delete(m.files, a)
	}
	return nil
}

func (m *memoryFS) Remove(name string) error {
	c, err := clean("remove", name)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.files[c] != nil:
		delete(m.files, c)
	case m.dirs[c] && c != ".":
		for other := range m.files {
			if strings.HasPrefix(other, c+"/") {
				return fmt.Errorf("remove %s: directory not empty", name)
			}
		}
		for other := range m.dirs {
			if strings.HasPrefix(other, c+"/") {
				return fmt.Errorf("remove %s: directory not empty", name)
			}
		}
		delete(m.dirs, c)
	default:
		return fmt.Errorf("remove %s: %w", name, ErrNotExist)
	}
	return nil
}

func (m *memoryFS) List(dir string) ([]string, error) {
	c, err := clean("list", dir)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.dirs[c] {
		return nil, fmt.Errorf("list %s: %w", dir, ErrNotExist)
	}
	names := []string{}
	for name := range m.files {
		if path.Dir(name) == c {
			names = append(names, path.Base(name))
		}
	}
	for name := range m.dirs {
		if name != "." && path.Dir(name) == c {
			names = append(names, path.Base(name)+"/")
		}
	}
	sort.Strings(names)
	return names, nil
}

func (m *memoryFS) Size(name string) (int64, error) {
	d, err := m.find("size", name)
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return int64(len(d.data)), nil
}

func (m *memoryFS) MakeDir(dir string) error {
	c, err := clean("make directory", dir)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; c != "."; c = path.Dir(c) {
		if m.files[c] != nil {
			return fmt.Errorf("make directory %s: %w", dir, ErrExist)
		}
		m.dirs[c] = true
	}
	return nil
}

func (m *memoryFS) SyncDir(dir string) error {
	c, err := clean("sync directory", dir)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.dirs[c] {
		return fmt.Errorf("sync directory %s: %w", dir, ErrNotExist)
	}
	return nil
}

func (m *memoryFS) Lock(name string) (io.Closer, error) {
	c, err := clean("lock", name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[c] {
		return nil, fmt.Errorf("lock %s: %w", name, ErrLocked)
	}
	m.locks[c] = true
	return &memoryLock{fs: m, name: c}, nil
}

func (m *memoryFS) Free() (free, total uint64, err error) { return 0, 0, nil }

type memoryLock struct {
	fs   *memoryFS
	name string
	once sync.Once
}

func (l *memoryLock) Close() error {
	l.once.Do(func() {
		l.fs.mu.Lock()
		delete(l.fs.locks, l.name)
		l.fs.mu.Unlock()
	})
	return nil
}

type memoryFile struct {
	name   string
	d      *memoryData
	closed bool
}

var errClosed = errors.New("file is closed")

func (f *memoryFile) Name() string { return f.name }

func (f *memoryFile) Write(p []byte) (int, error) {
	if f.closed {
		return 0, fmt.Errorf("write %s: %w", f.name, errClosed)
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.d.data = append(f.d.data, p...)
	return len(p), nil
}

func (f *memoryFile) ReadAt(p []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if at < 0 || at >= int64(len(f.d.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.d.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memoryFile) Size() (int64, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return int64(len(f.d.data)), nil
}

func (f *memoryFile) Truncate(size int64) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if size < 0 {
		return fmt.Errorf("truncate %s: negative size", f.name)
	}
	fresh := make([]byte, size)
	copy(fresh, f.d.data)
	f.d.data = fresh
	return nil
}

func (f *memoryFile) Reserve(int64) error { return nil }

func (f *memoryFile) Sync() error { return nil }

func (f *memoryFile) Close() error {
	if f.closed {
		return fmt.Errorf("close %s: %w", f.name, errClosed)
	}
	f.closed = true
	return nil
}
