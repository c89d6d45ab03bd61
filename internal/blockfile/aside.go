package blockfile

import (
	"fmt"

	"github.com/quiresearch/quire/internal/vfs"
)

// Aside keeps bytes of sections that are written later in a file of its own, so
// that a large file is written with little memory. The file is made when it is
// first needed and removed by Close. One goroutine uses it; nil keeps nothing.
type Aside struct {
	fs   vfs.FS
	name string
	file vfs.File
	size int64
	full bool // the file cannot be made or written
}

// NewAside returns an Aside over a file that does not exist yet.
func NewAside(fs vfs.FS, name string) *Aside { return &Aside{fs: fs, name: name} }

// Put keeps bytes and returns where. It reports false when they cannot be kept:
// then the caller does.
func (a *Aside) Put(p []byte) (at int64, kept bool) {
	if a == nil || a.full {
		return 0, false
	}
	var err error
	if a.file == nil {
		a.file, err = a.fs.Create(a.name)
	}
	if err == nil {
		_, err = a.file.Write(p)
	}
	if err != nil {
		a.full = true // what was kept before stays readable
		return 0, false
	}
	at = a.size
	a.size += int64(len(p))
	return at, true
}

// Get reads bytes that were put.
func (a *Aside) Get(p []byte, at int64) error {
	if _, err := a.file.ReadAt(p, at); err != nil {
		return fmt.Errorf("read %s: %w", a.name, err)
	}
	return nil
}

// Close removes the file.
func (a *Aside) Close() {
	if a == nil || a.file == nil {
		return
	}
	a.file.Close() // nothing in it is wanted any more
	a.file, a.full = nil, true
	a.fs.Remove(a.name)
}
