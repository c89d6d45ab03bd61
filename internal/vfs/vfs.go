// Package vfs is the file system as the engine sees it: files that are
// written once or appended to, mapped read-only views of finished files, and
// directories that must be synced for names to last.
//
// OS works on a directory of the machine, Memory keeps everything in memory.
// Names are slash-separated and relative to the root of the FS; a name that
// leaves the root is refused.
//
// Durability follows POSIX: bytes last after File.Sync, names (created,
// renamed, removed) after SyncDir of their directory.
//
// Every FS may be used by any number of goroutines. A File belongs to one
// goroutine at a time; a Mapping may be read by many.
package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// ErrNotExist is wrapped by errors about a name that is not there.
var ErrNotExist = fs.ErrNotExist

// ErrExist is wrapped by errors about a name that is already taken.
var ErrExist = fs.ErrExist

// ErrLocked is returned by Lock when another holder has the lock.
var ErrLocked = errors.New("locked by another process")

// HugePage is the size of the pieces in which large files are written. Linux keeps
// what one call writes in one piece of memory where the file system allows it, as ext4
// of Linux 6.18 does, and a mapping of a whole huge page takes one entry of the
// table of pages instead of 512, so that reads of places that were not touched for a
// while need fewer walks through that table.
const HugePage = 2 << 20

// FS is a tree of files.
type FS interface {
	// Create makes a new empty file. A name that exists is an error
	// wrapping ErrExist. Missing directories are an error.
	Create(name string) (File, error)
	// Edit opens an existing file for appending, reading and truncating.
	Edit(name string) (File, error)
	// Map opens a finished file as one read-only view. The caller owns one
	// reference and gives it back with Release.
	Map(name string) (*Mapping, error)
	// ReadFile returns the whole content in memory of the caller's own.
	ReadFile(name string) ([]byte, error)
	// Rename moves a file, replacing an existing one, in one step.
	Rename(from, to string) error
	// Remove deletes a file or an empty directory.
	Remove(name string) error
	// List names the entries of a directory in order, directories with a
	// trailing slash. "" and "." are the root.
	List(dir string) ([]string, error)
	// Size is the length of a file in bytes.
	Size(name string) (int64, error)
	// MakeDir makes a directory and its missing parents.
	MakeDir(dir string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
	// Lock takes the exclusive lock of a file, made when missing, and holds
	// it until closed. It answers ErrLocked at once when it is taken.
	Lock(name string) (io.Closer, error)
	// Free returns how many bytes may still be written and how many the
	// storage holds in all; both zero when unknown.
	Free() (free, total uint64, err error)
}

// File is an open file. Write appends.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
	// Name is the name the file was opened by.
	Name() string
	// Size is the current length.
	Size() (int64, error)
	// Truncate cuts the file; later writes append behind the cut.
	Truncate(size int64) error
	// Reserve asks for space up to size bytes ahead of writing; the length
	// does not change. Systems that cannot do it answer nil.
	Reserve(size int64) error
	// Sync makes everything written so far durable.
	Sync() error
}

// clean checks a name and brings it into its shortest form.
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
