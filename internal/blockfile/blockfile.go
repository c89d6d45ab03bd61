// Package blockfile is the envelope of every stored file: its kind and version,
// numbered sections with a CRC32C each, and a directory at the end.
//
// A Writer appends sections one after the other until Finish. A Reader always
// checks header, footer and directory. It also checks the checksum of every section
// when it is opened, unless it may trust bytes that this process has just
// written, or to check sections when they are used.
//
// Invariants:
//
//	BF1  Sections start at multiples of 64 and do not overlap.
//	BF2  At least 64 readable bytes follow the end of every section.
//	BF3  No section identifier occurs twice.
//
// A Reader is safe for concurrent use; a Writer belongs to one goroutine.
//
// The bytes are described in FORMAT.md.
package blockfile

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrCorrupt is wrapped by every error about damaged bytes.
var ErrCorrupt = errors.New("corrupt file")

// ErrVersion is wrapped by errors about a file of another kind or of a version that
// this program does not read.
var ErrVersion = errors.New("format not supported")

// Align is the alignment of sections: one cache line.
const Align = 64

const (
	headerSize = 64
	footerSize = 64
	entrySize  = 32
	endMark    = "QUIREEND"
	// maxSections bounds the number of sections in a directory.
	maxSections = 1 << 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC32C of data.
func Checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// ID identifies a section: its owner (a field, or 0) and its part.
type ID struct {
	Owner uint32
	Part  uint16
}

// Summary describes a finished file for manifests and uploads.
type Summary struct {
	Size   int64
	CRC32C uint32 // of the whole file
}

// Corrupt returns an error that wraps ErrCorrupt and names the file and the offset.
func Corrupt(file string, offset int64, format string, args ...any) error {
	return fmt.Errorf("%s at byte %d: %s: %w", file, offset, fmt.Sprintf(format, args...), ErrCorrupt)
}
