package blockfile

import (
	"fmt"

	"github.com/quiresearch/quire/internal/vfs"
)

// Aside keeps the bytes of later sections in a temporary file, so that a large file
// can be written with little memory. The file is created when first needed and
// removed by Close. An Aside belongs to one goroutine; a nil Aside keeps nothing.
type Aside struct {
	fs   vfs.FS
	name string
	file vfs.File
	size int64
	full bool // the file cannot be created or written
}

// NewAside returns an Aside over a file that does not exist yet.
func NewAside(fs vfs.FS, name string) *Aside { return &Aside{fs: fs, name: name} }

// Put stores bytes and returns their offset. It returns false when it cannot store
// them; then the caller must keep them.
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
		a.full = true // bytes stored before stay readable
		return 0, false
	}
	at = a.size
	a.size += int64(len(p))
	return at, true
}

// Get reads bytes that were stored with Put.
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
	a.file.Close() // its contents are no longer needed
	a.file, a.full = nil, true
	a.fs.Remove(a.name)
}
