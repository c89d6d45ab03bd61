package vfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// osFS is a directory of the operating system.
type osFS struct {
	root string
}

// OS returns the file system below the directory root, which must exist.
func OS(root string) FS { return osFS{root: root} }

func (o osFS) path(op, name string) (string, error) {
	c, err := clean(op, name)
	if err != nil {
		return "", err
	}
	return filepath.Join(o.root, filepath.FromSlash(c)), nil
}

func (o osFS) Create(name string) (File, error) {
	return o.open("create", name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

func (o osFS) Edit(name string) (File, error) {
	return o.open("edit", name, os.O_RDWR)
}

func (o osFS) open(op, name string, flag int) (File, error) {
	p, err := o.path(op, name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(p, flag, 0o600)
	if err != nil {
		return nil, err
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s %s: %w", op, name, err)
	}
	return &osFile{f: f, name: name, end: end}, nil
}

func (o osFS) Map(name string) (*Mapping, error) {
	p, err := o.path("map", name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("map %s: is a directory", name)
	}
	if info.Size() == 0 {
		return NewMapping(name, nil, nil), nil
	}
	if info.Size() > maxMapping {
		return nil, fmt.Errorf("map %s: %d bytes are more than this system can map", name, info.Size())
	}
	data, release, err := mapFile(f, int(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	m := NewMapping(name, data, release)
	m.mapped = release != nil
	return m, nil
}

func (o osFS) ReadFile(name string) ([]byte, error) {
	p, err := o.path("read", name)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(p)
}

func (o osFS) Rename(from, to string) error {
	a, err := o.path("rename", from)
	if err != nil {
		return err
	}
	b, err := o.path("rename", to)
	if err != nil {
		return err
	}
	return os.Rename(a, b)
}

func (o osFS) Remove(name string) error {
	p, err := o.path("remove", name)
	if err != nil {
		return err
	}
	return os.Remove(p)
}

func (o osFS) List(dir string) ([]string, error) {
	p, err := o.path("list", dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(p)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
		if e.IsDir() {
			names[i] += "/"
		}
	}
	return names, nil
}

func (o osFS) Size(name string) (int64, error) {
	p, err := o.path("size", name)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(p)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (o osFS) MakeDir(dir string) error {
	p, err := o.path("make directory", dir)
	if err != nil {
		return err
	}
	return os.MkdirAll(p, 0o700)
}

func (o osFS) SyncDir(dir string) error {
	p, err := o.path("sync directory", dir)
	if err != nil {
		return err
	}
	d, err := os.Open(p)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		d.Close()
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return d.Close()
}

func (o osFS) Lock(name string) (io.Closer, error) {
	p, err := o.path("lock", name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(p, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return f, nil
}

func (o osFS) Free() (free, total uint64, err error) { return freeSpace(o.root) }

// osFile appends at end, regardless of reads in between.
type osFile struct {
	f    *os.File
	name string
	end  int64
}

func (f *osFile) Name() string { return f.name }

func (f *osFile) Write(p []byte) (int, error) {
	n, err := f.f.WriteAt(p, f.end)
	f.end += int64(n)
	return n, err
}

func (f *osFile) ReadAt(p []byte, at int64) (int, error) { return f.f.ReadAt(p, at) }

func (f *osFile) Size() (int64, error) { return f.end, nil }

func (f *osFile) Truncate(size int64) error {
	if err := f.f.Truncate(size); err != nil {
		return err
	}
	f.end = size
	return nil
}

func (f *osFile) Reserve(size int64) error {
	if err := reserve(f.f, size); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("reserve %s: %w", f.name, err)
	}
	return nil
}

func (f *osFile) Sync() error {
	if err := syncData(f.f); err != nil {
		return fmt.Errorf("sync %s: %w", f.name, err)
	}
	return nil
}

func (f *osFile) Close() error { return f.f.Close() }
