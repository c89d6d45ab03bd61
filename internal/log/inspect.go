package log

import (
	"encoding/binary"
	"fmt"

	"github.com/quiresearch/quire/internal/vfs"
)

// Inspect passes every record after the given number to visit as Replay does, but
// changes nothing: a torn tail stays.
func Inspect(fs vfs.FS, dir string, after uint64, visit func(lsn uint64, payload []byte) error) error {
	l, err := list(fs, dir)
	if err != nil {
		return err
	}
	l.readOnly = true
	return l.Replay(after, visit)
}

// Dump passes every record of a log file to visit, whatever its name. If there are
// bytes after the last good record, it returns an error that wraps ErrCorrupt.
func Dump(name string, content []byte, visit func(offset int64, lsn uint64, payload []byte) error) error {
	if len(content) < headerSize {
		return fmt.Errorf("dump %s: %w: header is cut", name, ErrCorrupt)
	}
	salt, err := readHeader(content, binary.LittleEndian.Uint64(content[16:]))
	if err != nil {
		return fmt.Errorf("dump %s: %w", name, err)
	}
	offset := int64(headerSize)
	for {
		lsn, payload, size, ok := readRecord(content, salt, offset)
		if !ok {
			break
		}
		if err := visit(offset, lsn, payload); err != nil {
			return fmt.Errorf("dump %s: record %d: %w", name, lsn, err)
		}
		offset += size
	}
	if offset != int64(len(content)) {
		return fmt.Errorf("dump %s: %w: no record at %d", name, ErrCorrupt, offset)
	}
	return nil
}
