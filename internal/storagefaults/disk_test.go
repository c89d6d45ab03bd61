package storagefaults

import (
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

// disk is a file system whose calls, reads included, meet trouble.
type disk struct {
	under   *faultfs.FS
	trouble *trouble
	held    func() // called while a call hangs; returns when the call may continue

	mu sync.Mutex // a fault of the underlying file system is for one call
}

var _ vfs.FS = (*disk)(nil)

// do makes one call.
func (d *disk) do(op, name string, call func() error) error {
	if d.trouble == nil || !d.trouble.hits(op) {
		return call()
	}
	failed := fmt.Errorf("%s %s: %w", op, name, syscall.EIO)
	switch d.trouble.kind.name {
	case "hang":
		d.held()
		return call()
	case "full":
		return fmt.Errorf("%s %s: %w", op, name, syscall.ENOSPC)
	case "lost answer":
		if err := call(); err != nil {
			return err
		}
		return failed
	}
	isCutWrite := op == "write" && d.trouble.kind.name == "cut"
	if op == "sync" || isCutWrite {
		// The underlying file system keeps half of a write and drops what a failed
		// sync loses.
		d.mu.Lock()
		defer d.mu.Unlock()
		met := false
		d.under.SetFault(func(c faultfs.Call) error {
			if met || c.Op != op || c.Name != name {
				return nil
			}
			met = true
			return syscall.EIO
		})
		defer d.under.SetFault(nil)
		return call()
	}
	return failed
}

func (d *disk) Create(name string) (file vfs.File, err error) {
	err = d.do("create", name, func() (err error) {
		file, err = d.under.Create(name)
		return err
	})
	return d.wrap(file, err)
}

func (d *disk) Edit(name string) (file vfs.File, err error) {
	err = d.do("edit", name, func() (err error) {
		file, err = d.under.Edit(name)
		return err
	})
	return d.wrap(file, err)
}

func (d *disk) wrap(file vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &openFile{file, d}, nil
}

func (d *disk) Map(name string) (mapping *vfs.Mapping, err error) {
	err = d.do("map", name, func() (err error) {
		mapping, err = d.under.Map(name)
		return err
	})
	return mapping, err
}

func (d *disk) ReadFile(name string) (content []byte, err error) {
	err = d.do("read", name, func() (err error) {
		content, err = d.under.ReadFile(name)
		return err
	})
	return content, err
}

func (d *disk) Rename(from, to string) error {
	return d.do("rename", from, func() error { return d.under.Rename(from, to) })
}

func (d *disk) Remove(name string) error {
	return d.do("remove", name, func() error { return d.under.Remove(name) })
}

func (d *disk) List(dir string) (names []string, err error) {
	err = d.do("list", dir, func() (err error) {
		names, err = d.under.List(dir)
		return err
	})
	return names, err
}

func (d *disk) Size(name string) (size int64, err error) {
	err = d.do("size", name, func() (err error) {
		size, err = d.under.Size(name)
		return err
	})
	return size, err
}

func (d *disk) MakeDir(dir string) error {
	return d.do("makedir", dir, func() error { return d.under.MakeDir(dir) })
}

func (d *disk) SyncDir(dir string) error {
	return d.do("syncdir", dir, func() error { return d.under.SyncDir(dir) })
}

func (d *disk) Lock(name string) (io.Closer, error) { return d.under.Lock(name) }

func (d *disk) Free() (free, total uint64, err error) { return d.under.Free() }

// openFile is an open file of a disk.
type openFile struct {
	vfs.File
	disk *disk
}

func (f *openFile) Write(p []byte) (n int, err error) {
	err = f.disk.do("write", f.Name(), func() (err error) {
		n, err = f.File.Write(p)
		return err
	})
	return n, err
}

func (f *openFile) ReadAt(p []byte, at int64) (n int, err error) {
	err = f.disk.do("readat", f.Name(), func() (err error) {
		n, err = f.File.ReadAt(p, at)
		if err == io.EOF {
			return nil
		}
		return err
	})
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (f *openFile) Truncate(size int64) error {
	return f.disk.do("truncate", f.Name(), func() error { return f.File.Truncate(size) })
}

func (f *openFile) Reserve(size int64) error {
	return f.disk.do("reserve", f.Name(), func() error { return f.File.Reserve(size) })
}

func (f *openFile) Sync() error {
	return f.disk.do("sync", f.Name(), func() error { return f.File.Sync() })
}
