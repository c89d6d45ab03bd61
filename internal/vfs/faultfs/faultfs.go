// Package faultfs is an in-memory file system for tests that can fail and lose
// power.
//
// Calls are counted, and a Fault function decides the outcome of each: it succeeds,
// it fails, or the power goes off. After a power loss every call fails with
// ErrPower; Restart returns a file system with what a disk may contain then:
// everything that was synced, and any part of the rest, chosen by a random source.
//
// Durability follows POSIX as far as the engine relies on it: bytes are durable
// after File.Sync, names after SyncDir of their directory. Un-synced appends
// survive up to any length, with the last bytes possibly damaged; un-synced names
// survive or not independently. A removed directory is gone for good, with all
// names in it, after SyncDir of its parent.
//
// An FS is safe for concurrent use; calls of the Fault function are serialized.
package faultfs

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/quiresearch/quire/internal/vfs"
)

// ErrPower is returned by every call after the power went off.
var ErrPower = errors.New("power is off")

// ErrNoSpace is the error of a full disk.
var ErrNoSpace = syscall.ENOSPC

// Call is one call that changes something or makes it durable.
type Call struct {
	Number int    // from 1
	Op     string // create, write, truncate, reserve, sync, rename, remove, syncdir, makedir
	Name   string
}

// Fault decides the outcome of a call: nil lets it succeed, ErrPower turns the
// power off before it, any other error makes it fail. A failed write leaves half of
// its bytes.
type Fault func(Call) error

// FS is a file system that can fail.
type FS struct {
	mu    sync.Mutex
	fault Fault
	calls int
	off   bool
	names map[string]*inode // as the running system sees it
	disk  map[string]*inode // as the disk has it
	dirs  map[string]bool
	locks map[string]bool
	free  uint64
	total uint64
}

// inode is a file: its bytes, and the durable ones among them.
type inode struct {
	data   []byte
	synced []byte
	lost   [][2]int // ranges that a failed Sync dropped
}

var _ vfs.FS = (*FS)(nil)

// New returns an empty file system. A nil fault never fails.
func New(fault Fault) *FS {
	return &FS{
		fault: fault, names: make(map[string]*inode), disk: make(map[string]*inode),
		dirs: map[string]bool{".": true}, locks: make(map[string]bool),
	}
}

// SetFault replaces the fault function.
func (f *FS) SetFault(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// SetFree sets the results of Free.
func (f *FS) SetFree(free, total uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free, f.total = free, total
}

// Calls returns the number of calls so far.
func (f *FS) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// PowerOff makes every call fail from now on.
func (f *FS) PowerOff() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.off = true
}

// Restart returns the file system after a power loss: everything that was synced
// and a random part of the rest. With keepAll it keeps everything that was written,
// as after the end of only the process.
func (f *FS) Restart(random *rand.Rand, keepAll bool) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := New(nil)
	for dir := range f.dirs {
		next.dirs[dir] = true
	}
	keep := func(n *inode) *inode {
		data := slices.Clone(n.data)
		if !keepAll {
			data = survivor(random, n)
		}
		return &inode{data: data, synced: slices.Clone(data)}
	}
	kept := make(map[*inode]*inode)
	put := func(name string, n *inode) {
		if kept[n] == nil {
			kept[n] = keep(n)
		}
		next.names[name], next.disk[name] = kept[n], kept[n]
	}
	all := make(map[string]bool)
	for name := range f.names {
		all[name] = true
	}
	for name := range f.disk {
		all[name] = true
	}
	sorted := make([]string, 0, len(all))
	for name := range all {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		now, durable := f.names[name], f.disk[name]
		chosen := now
		if !keepAll && now != durable && random.IntN(2) == 0 {
			chosen = durable
		}
		if chosen != nil {
			put(name, chosen)
			next.makeDir(path.Dir(name)) // it may have been removed
		}
	}
	return next
}

// survivor returns what a power loss leaves of a file.
func survivor(random *rand.Rand, n *inode) []byte {
	data := slices.Clone(n.synced)
	if len(n.data) <= len(n.synced) || !strings.HasPrefix(string(n.data), string(n.synced)) {
		// Truncated or rewritten, and not synced: the old or the new bytes.
		if !slices.Equal(n.data, n.synced) && random.IntN(2) == 0 {
			return slices.Clone(n.data)
		}
		return data
	}
	tail := n.data[len(n.synced):]
	switch random.IntN(4) {
	case 0: // nothing more
		return data
	case 1: // everything
		return append(data, tail...)
	case 2: // up to some byte
		return append(data, tail[:random.IntN(len(tail)+1)]...)
	}
	// The length was extended but some of the blocks never arrived.
	damaged := slices.Clone(tail)
	for range 1 + random.IntN(3) {
		from := random.IntN(len(damaged))
		clear(damaged[from:min(len(damaged), from+1+random.IntN(64))])
	}
	return append(data, damaged...)
}

// decide counts a call and returns its fault.
func (f *FS) decide(op, name string) error {
	if f.off {
		return fmt.Errorf("%s %s: %w", op, name, ErrPower)
	}
	f.calls++
	if f.fault == nil {
		return nil
	}
	err := f.fault(Call{Number: f.calls, Op: op, Name: name})
	if errors.Is(err, ErrPower) {
		f.off = true
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", op, name, err)
	}
	return nil
}

func clean(name string) string { return path.Clean(strings.TrimSuffix(name, "/")) }

// Create makes a new empty file.
func (f *FS) Create(name string) (vfs.File, error) {
	name = clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.decide("create", name); err != nil {
		return nil, err
	}
	if f.names[name] != nil {
		return nil, fmt.Errorf("create %s: %w", name, vfs.ErrExist)
	}
	if !f.dirs[path.Dir(name)] {
		return nil, fmt.Errorf("create %s: %w", name, vfs.ErrNotExist)
	}
	n := new(inode)
	f.names[name] = n
	return &file{fs: f, name: name, node: n}, nil
}

func (f *FS) find(op, name string) (*inode, error) {
	if f.off {
		return nil, fmt.Errorf("%s %s: %w", op, name, ErrPower)
	}
	n := f.names[name]
	if n == nil {
		return nil, fmt.Errorf("%s %s: %w", op, name, vfs.ErrNotExist)
	}
	return n, nil
}

// Edit opens an existing file.
func (f *FS) Edit(name string) (vfs.File, error) {
	name = clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find("edit", name)
	if err != nil {
		return nil, err
	}
	return &file{fs: f, name: name, node: n}, nil
}

// Map opens a file as one mapping.
func (f *FS) Map(name string) (*vfs.Mapping, error) {
	content, err := f.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return vfs.NewMapping(name, content, nil), nil
}

// ReadFile returns the content of a file.
func (f *FS) ReadFile(name string) ([]byte, error) {
	name = clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find("read", name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.data), nil
}

// Rename moves a file.
func (f *FS) Rename(from, to string) error {
	from, to = clean(from), clean(to)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.decide("rename", from); err != nil {
		return err
	}
	n, err := f.find("rename", from)
	if err != nil {
		return err
	}
	delete(f.names, from)
	f.names[to] = n
	return nil
}

// Remove deletes a file, or a directory that is empty.
func (f *FS) Remove(name string) error {
	name = clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.decide("remove", name); err != nil {
		return err
	}
	if f.dirs[name] {
		return f.removeDir(name)
	}
	if _, err := f.find("remove", name); err != nil {
		return err
	}
	delete(f.names, name)
	return nil
}

func (f *FS) removeDir(dir string) error {
	if len(f.entries(dir)) > 0 {
		return fmt.Errorf("remove %s: %w", dir, syscall.ENOTEMPTY)
	}
	delete(f.dirs, dir)
	return nil
}

// List returns the names in a directory.
func (f *FS) List(dir string) ([]string, error) {
	dir = clean(dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.off {
		return nil, fmt.Errorf("list %s: %w", dir, ErrPower)
	}
	if !f.dirs[dir] {
		return nil, fmt.Errorf("list %s: %w", dir, vfs.ErrNotExist)
	}
	return f.entries(dir), nil
}

// entries returns the names in a directory, in order.
func (f *FS) entries(dir string) []string {
	var names []string
	for name := range f.names {
		if path.Dir(name) == dir {
			names = append(names, path.Base(name))
		}
	}
	for name := range f.dirs {
		if name != "." && path.Dir(name) == dir {
			names = append(names, path.Base(name)+"/")
		}
	}
	slices.Sort(names)
	return names
}

// Size returns the length of a file.
func (f *FS) Size(name string) (int64, error) {
	name = clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find("size", name)
	if err != nil {
		return 0, err
	}
	return int64(len(n.data)), nil
}

// MakeDir makes a directory; directories are durable at once.
func (f *FS) MakeDir(dir string) error {
	dir = clean(dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.decide("makedir", dir); err != nil {
		return err
	}
	f.makeDir(dir)
	return nil
}

func (f *FS) makeDir(dir string) {
	for ; dir != "."; dir = path.Dir(dir) {
		f.dirs[dir] = true
	}
}

// SyncDir makes the names in a directory durable.
func (f *FS) SyncDir(dir string) error {
	dir = clean(dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.decide("syncdir", dir); err != nil {
		return err
	}
	for name, n := range f.names {
		if path.Dir(name) == dir {
			f.disk[name] = n
		}
	}
	for name := range f.disk {
		if path.Dir(name) == dir && f.names[name] == nil || f.isInRemoved(name, dir) {
			delete(f.disk, name)
		}
	}
	return nil
}

// isInRemoved reports whether a name is below a directory that was removed from parent.
func (f *FS) isInRemoved(name, parent string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if path.Dir(dir) == parent {
			return !f.dirs[dir]
		}
	}
	return false
}

// Lock takes a lock that ends with the process: Restart drops it.
func (f *FS) Lock(name string) (io.Closer, error) {
	name = clean(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.off {
		return nil, fmt.Errorf("lock %s: %w", name, ErrPower)
	}
	if f.locks[name] {
		return nil, fmt.Errorf("lock %s: %w", name, vfs.ErrLocked)
	}
	f.locks[name] = true
	return unlocker(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.locks, name)
	}), nil
}

type unlocker func()

func (u unlocker) Close() error {
	u()
	return nil
}

// Free returns the values given to SetFree.
func (f *FS) Free() (free, total uint64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.free, f.total, nil
}

// file is an open file.
type file struct {
	fs   *FS
	name string
	node *inode
}

func (h *file) Name() string { return h.name }

func (h *file) Write(p []byte) (int, error) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.fs.decide("write", h.name); err != nil {
		half := len(p) / 2
		h.node.data = append(h.node.data, p[:half]...)
		return half, err
	}
	h.node.data = append(h.node.data, p...)
	return len(p), nil
}

func (h *file) ReadAt(p []byte, at int64) (int, error) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if at >= int64(len(h.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, h.node.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *file) Size() (int64, error) {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	return int64(len(h.node.data)), nil
}

func (h *file) Truncate(size int64) error {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.fs.decide("truncate", h.name); err != nil {
		return err
	}
	fresh := make([]byte, size)
	copy(fresh, h.node.data)
	h.node.data = fresh
	return nil
}

func (h *file) Reserve(int64) error {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	return h.fs.decide("reserve", h.name)
}

// Sync makes the bytes durable. A failed Sync drops its unwritten bytes from what a
// power loss leaves, as kernels do, although the running system can still read
// them; a later Sync succeeds and does not bring them back.
func (h *file) Sync() error {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if err := h.fs.decide("sync", h.name); err != nil {
		if !h.fs.off && len(h.node.data) > len(h.node.synced) {
			h.node.lost = append(h.node.lost, [2]int{len(h.node.synced), len(h.node.data)})
		}
		return err
	}
	h.node.synced = slices.Clone(h.node.data)
	for _, lost := range h.node.lost {
		clear(h.node.synced[min(lost[0], len(h.node.synced)):min(lost[1], len(h.node.synced))])
	}
	return nil
}

func (h *file) Close() error { return nil }
