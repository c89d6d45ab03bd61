// Package vfs is the file system as the engine sees it: files that are written once
// or appended to, read-only mappings of finished files, and directories that must
// be synced to make names durable.
//
// OS uses a directory of the operating system, Memory keeps everything in memory.
// Names are slash-separated and relative to the root of the FS; names that leave
// the root are rejected.
//
// Durability follows POSIX: bytes are durable after File.Sync, names (created,
// renamed, removed) after SyncDir of their directory.
//
// Every FS is safe for concurrent use. A File belongs to one goroutine at a time; a
// Mapping may be read by many.
package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// ErrNotExist is wrapped by errors about a name that does not exist.
var ErrNotExist = fs.ErrNotExist

// ErrExist is wrapped by errors about a name that is already taken.
var ErrExist = fs.ErrExist

// ErrLocked is returned by Lock when another holder has the lock.
var ErrLocked = errors.New("locked by another process")

// HugePage is the size of the writes of large files. Linux keeps the data of one
// write call in one piece of memory if the file system allows it, as ext4 in Linux
// 6.18 does. A mapping of a whole huge page takes one page table entry instead of
// 512, so reads of data that was not used for a while need fewer page table walks.
const HugePage = 2 << 20

// FS is a tree of files.
type FS interface {
	// Create creates an empty file. If the name exists, the error wraps ErrExist.
	// Missing directories are an error.
	Create(name string) (File, error)
	// Edit opens an existing file for appending, reading and truncating.
	Edit(name string) (File, error)
	// Map opens a finished file as one read-only mapping. The caller owns one
	// reference and drops it with Release.
	Map(name string) (*Mapping, error)
	// ReadFile returns the whole content in memory owned by the caller.
	ReadFile(name string) ([]byte, error)
	// Rename atomically moves a file, replacing an existing one.
	Rename(from, to string) error
	// Remove deletes a file or an empty directory.
	Remove(name string) error
	// List returns the names in a directory in order, directories with a trailing
	// slash. "" and "." are the root.
	List(dir string) ([]string, error)
	// Size returns the length of a file in bytes.
	Size(name string) (int64, error)
	// MakeDir creates a directory and its missing parents.
	MakeDir(dir string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
	// Lock takes the exclusive lock of a file, which it creates if necessary, and
	// holds it until closed. It returns ErrLocked at once when the lock is held.
	Lock(name string) (io.Closer, error)
	// Free returns the bytes that can still be written and the total size of the
	// storage; both are zero when unknown.
	Free() (free, total uint64, err error)
}

// File is an open file. Write appends.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
	// Name returns the name that the file was opened with.
	Name() string
	// Size returns the current length.
	Size() (int64, error)
	// Truncate truncates the file; later writes append at its new end.
	Truncate(size int64) error
	// Reserve allocates space for a total of size bytes ahead of writing, without
	// changing the length. It returns nil on systems that cannot do it.
	Reserve(size int64) error
	// Sync makes everything written so far durable.
	Sync() error
}

// clean checks a name and returns its shortest form.
func clean(op, name string) (string, error) {
	c := path.Clean(strings.TrimSuffix(name, "/"))
	if c == "." || c == "" {
		return ".", nil
	}
	if !fs.ValidPath(c) {
		return "", fmt.Errorf("%s %q: name leaves the root: %w", op, name, fs.ErrInvalid)
	}
	return c, nil
}
