// Package blockfile is the envelope of every stored file: what it is, which
// version, numbered sections with a CRC32C each, and a directory at the end.
//
// A Writer appends sections one after the other and then Finish. A Reader
// checks header, footer and directory always and every section's checksum
// when opened, unless it is to trust bytes this process has just written.
//
// Invariants:
//
//	BF1  Sections start at multiples of 64 and do not overlap.
//	BF2  At least 64 readable bytes follow the end of every section.
//	BF3  No section identifier occurs twice.
//
// Readers may be used by many goroutines; a Writer by one.
//
// The bytes are described in FORMAT.md.
package blockfile

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrCorrupt is wrapped by every error about bytes that are not what was
// written.
var ErrCorrupt = errors.New("corrupt file")

// ErrVersion is wrapped by errors about a file of another kind or of a
// version this program does not read.
var ErrVersion = errors.New("format not supported")

// Align is the alignment of sections: one cache line.
const Align = 64

const (
	headerSize = 64
	footerSize = 64
	entrySize  = 32
	endMark    = "QUIREEND"
	// maxSections bounds what a directory may claim.
	maxSections = 1 << 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC32C of data.
func Checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// ID identifies a section: whose it is (a field, or 0) and which part.
type ID struct {
	Owner uint32
	Part  uint16
}

// Summary describes a finished file as manifests and uploads need it.
type Summary struct {
	Size   int64
	CRC32C uint32 // of the whole file
}

// Corrupt makes an error that wraps ErrCorrupt and names file and offset.
func Corrupt(file string, offset int64, format string, args ...any) error {
	return fmt.Errorf("%s at byte %d: %s: %w", file, offset, fmt.Sprintf(format, args...), ErrCorrupt)
}
