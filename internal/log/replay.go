package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/vfs"
)

// Replay passes every record after the given number to visit, in order. It must run
// once, before the first Append. visit owns the payload. A torn tail is truncated
// from the last file; a gap or damage is an error that wraps ErrCorrupt. Files are
// read through a mapping, so that a long log takes no memory.
func (l *Log) Replay(after uint64, visit func(lsn uint64, payload []byte) error) error {
	l.last = after
	for i, first := range l.files {
		if first > l.last+1 {
			return fmt.Errorf("replay %s: %w: records %d to %d are missing", fileName(first), ErrCorrupt, l.last+1, first-1)
		}
		isLast := i == len(l.files)-1
		if !isLast && l.files[i+1] <= l.last+1 {
			continue // the commit holds all its records
		}
		next := uint64(0)
		if !isLast {
			next = l.files[i+1]
		}
		torn := int64(-1)
		err := vfs.Protect(func() (err error) {
			torn, err = l.replayFile(first, next, visit)
			return err
		})
		if err != nil {
			return err
		}
		if torn >= 0 && !l.readOnly {
			if err := l.cut(l.path(first), torn); err != nil {
				return err
			}
		}
	}
	return nil
}

// replayFile reads one file. next is the first LSN of the next file, or zero for
// the last file. torn is the offset of a torn tail, negative when there is none.
func (l *Log) replayFile(first, next uint64, visit func(uint64, []byte) error) (torn int64, err error) {
	name := l.path(first)
	view, err := l.fs.Map(name)
	if err != nil {
		return -1, fmt.Errorf("replay: %w", err)
	}
	defer view.Release()
	content := view.Bytes()
	salt, err := readHeader(content, first)
	if err != nil {
		// A file gets its first record after its header is durable, so a short file
		// without a good header holds nothing.
		if next == 0 && len(content) <= headerSize && !errors.Is(err, ErrVersion) {
			return -1, nil
		}
		return -1, fmt.Errorf("replay %s: %w", name, err)
	}
	offset, expected := int64(headerSize), first
	for next == 0 || expected < next {
		lsn, payload, size, ok := readRecord(content, salt, offset)
		if !ok || lsn != expected {
			break
		}
		if lsn > l.last {
			if err := visit(lsn, bytes.Clone(payload)); err != nil {
				return -1, fmt.Errorf("replay record %d of %s: %w", lsn, name, err)
			}
			l.last = lsn
		}
		offset += size
		expected++
	}
	if next != 0 {
		if expected < next && next > l.last+1 {
			return -1, fmt.Errorf("replay %s: %w: bad record at %d", name, ErrCorrupt, offset)
		}
		return -1, nil
	}
	if offset == int64(len(content)) {
		return -1, nil
	}
	if at := findRecord(content, salt, offset+1); at >= 0 {
		return -1, fmt.Errorf("replay %s: %w: bad record at %d before a good one at %d", name, ErrCorrupt, offset, at)
	}
	return offset, nil
}

// cut truncates a torn tail, so that it can never be taken for a record.
func (l *Log) cut(name string, offset int64) error {
	file, err := l.fs.Edit(name)
	if err != nil {
		return fmt.Errorf("cut torn end: %w", err)
	}
	if err := file.Truncate(offset); err != nil {
		file.Close()
		return fmt.Errorf("cut torn end of %s: %w", name, err)
	}
	if err := file.Sync(); err != nil {
		file.Close()
		return fmt.Errorf("cut torn end of %s: %w", name, err)
	}
	return file.Close()
}

// ErrVersion marks a log of a newer format.
var ErrVersion = errors.New("log format is not supported")

func readHeader(content []byte, first uint64) (salt uint64, err error) {
	switch {
	case len(content) < headerSize:
		return 0, fmt.Errorf("%w: header is cut", ErrCorrupt)
	case string(content[:8]) != format.Log.Mark:
		return 0, fmt.Errorf("%w: not a log file", ErrCorrupt)
	case binary.LittleEndian.Uint32(content[32:]) != crc32.Checksum(content[:32], castagnoli):
		return 0, fmt.Errorf("%w: checksum of the header", ErrCorrupt)
	case binary.LittleEndian.Uint32(content[8:]) != format.Log.Version:
		return 0, fmt.Errorf("%w: %d", ErrVersion, binary.LittleEndian.Uint32(content[8:]))
	case binary.LittleEndian.Uint64(content[16:]) != first:
		return 0, fmt.Errorf("%w: begins with record %d", ErrCorrupt, binary.LittleEndian.Uint64(content[16:]))
	}
	return binary.LittleEndian.Uint64(content[24:]), nil
}

// readRecord decodes the record at offset; ok is false when there is none.
func readRecord(content []byte, salt uint64, offset int64) (lsn uint64, payload []byte, size int64, ok bool) {
	if offset < 0 || int64(len(content))-offset < recordHeader {
		return 0, nil, 0, false
	}
	record := content[offset:]
	length := int64(binary.LittleEndian.Uint32(record[4:]))
	size = (recordHeader + length + 7) &^ 7
	if binary.LittleEndian.Uint32(record) != recordMagic || length == 0 || length > MaxPayload || int64(len(record)) < size {
		return 0, nil, 0, false
	}
	lsn = binary.LittleEndian.Uint64(record[8:])
	payload = record[recordHeader : recordHeader+length : recordHeader+length]
	if binary.LittleEndian.Uint32(record[16:]) != recordSum(salt, offset, lsn, payload) {
		return 0, nil, 0, false
	}
	// The four bytes after the checksum and the padding must be zero.
	for _, b := range record[20:recordHeader] {
		if b != 0 {
			return 0, nil, 0, false
		}
	}
	for _, b := range record[recordHeader+length : size] {
		if b != 0 {
			return 0, nil, 0, false
		}
	}
	return lsn, payload, size, true
}

// findRecord returns the offset of the first good record at or after offset, or -1.
func findRecord(content []byte, salt uint64, offset int64) int64 {
	magic := binary.LittleEndian.AppendUint32(nil, recordMagic)
	for offset < int64(len(content)) {
		found := bytes.Index(content[offset:], magic)
		if found < 0 {
			return -1
		}
		offset += int64(found)
		if _, _, _, ok := readRecord(content, salt, offset); ok {
			return offset
		}
		offset++
	}
	return -1
}
