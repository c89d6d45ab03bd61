// Package log keeps the changes of a generation durable between commits.
//
// A Log is a directory of append-only files. Each record has a log sequence number
// (LSN) and a payload; numbers are consecutive. Append returns once the record
// survives a power loss. Replay returns the records appended after a commit;
// Release frees their space once a commit holds them. Batch is the payload: the
// operations of one group commit, in the same bytes as one object in object mode.
//
// Invariants:
//
//	LG1  Once Append has returned nil the record is durable, and so are all
//	     earlier ones.
//	LG2  Replay visits records in order without gaps, or fails.
//	LG3  A torn record at the end of the last file was never acknowledged and is
//	     truncated; a bad record followed by good ones is damage and rejected.
//	LG4  After a failed fsync nothing more is ever acknowledged: the log must be
//	     closed and reopened.
//	LG5  A reopened log never appends to a file of an earlier opening. The caller
//	     commits what Replay returned before it appends, so nothing is built on
//	     a record whose durability was never confirmed.
//
// A Log belongs to one goroutine at a time. The bytes are described in
// FORMAT.md.
package log

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/vfs"
)

// FileSize is the size at which an append-only file ends and the next begins.
const FileSize = 64 << 20

// The space reserved ahead of a file doubles with the file between these bounds:
// enough that a full disk is noticed before a record is half written, little enough
// that a thousand idle indexes do not fill the disk.
const (
	leastReserve = 64 << 10
	mostReserve  = 4 << 20
)

// releaseSize is the size from which a file is removed once a commit holds all its
// records, even though more would fit: starting another file costs two fsyncs.
const releaseSize = 1 << 20

// keptScratch bounds the memory kept between two records.
const keptScratch = 1 << 20

// MaxPayload bounds one record.
const MaxPayload = 1 << 30

const (
	fileSuffix   = ".log"
	headerSize   = 40
	recordMagic  = 0x5243_4c51 // "QLCR"
	recordHeader = 24
)

var (
	// ErrCorrupt marks a log with damage other than a torn tail.
	ErrCorrupt = errors.New("log is damaged")
	// ErrNotWritten marks an append that certainly did not happen: the same LSN may
	// be appended again.
	ErrNotWritten = errors.New("record not written")
	// ErrFailed marks an append with an unknown outcome, and every later one.
	ErrFailed = errors.New("log failed, outcome not known")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Log is the log of one generation.
type Log struct {
	fs    vfs.FS
	dir   string
	files []uint64 // first LSN of each file, ascending
	last  uint64   // LSN of the last record, once Replay has run

	current vfs.File // being appended to; nil until the first Append
	salt    uint64
	offset  int64
	ahead   int64  // bytes reserved
	scratch []byte // memory of the last record
	failed  error

	readOnly bool // for Inspect: a torn tail stays
}

// Open lists the files of a log, creating the directory if it is missing. It reads
// no records before Replay.
func Open(fs vfs.FS, dir string) (*Log, error) {
	if err := fs.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	if err := fs.SyncDir(path.Dir(dir)); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return list(fs, dir)
}

// list finds the files of a log.
func list(fs vfs.FS, dir string) (*Log, error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	l := &Log{fs: fs, dir: dir}
	for _, name := range names {
		digits, ok := strings.CutSuffix(name, fileSuffix)
		if !ok {
			continue
		}
		first, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || name != fileName(first) {
			return nil, fmt.Errorf("open log: %w: unknown file %s", ErrCorrupt, name)
		}
		l.files = append(l.files, first)
	}
	slices.Sort(l.files)
	return l, nil
}

func fileName(first uint64) string { return fmt.Sprintf("%020d%s", first, fileSuffix) }

func (l *Log) path(first uint64) string { return path.Join(l.dir, fileName(first)) }

// Append writes one record and makes it durable. lsn must be one more than the
// last. An error wraps ErrNotWritten or ErrFailed.
func (l *Log) Append(lsn uint64, payload []byte) error {
	switch {
	case l.failed != nil:
		return l.failed
	case len(payload) == 0 || len(payload) > MaxPayload:
		return fmt.Errorf("append record of %d bytes: %w", len(payload), ErrNotWritten)
	case l.last != 0 && lsn != l.last+1:
		return fmt.Errorf("append record %d after %d: %w", lsn, l.last, ErrNotWritten)
	}
	if l.current != nil && l.offset >= FileSize {
		if err := l.current.Close(); err != nil {
			return l.fail(lsn, err)
		}
		l.current = nil
	}
	if l.current == nil {
		if err := l.begin(lsn); err != nil {
			return err
		}
	}
	record := appendRecord(slices.Grow(l.scratch[:0], recordHeader+len(payload)+7), l.salt, l.offset, lsn, payload)
	if l.scratch = record; cap(record) > keptScratch {
		l.scratch = nil
	}
	if end := l.offset + int64(len(record)); end > l.ahead {
		ahead := end + min(max(end, leastReserve), mostReserve)
		if err := l.current.Reserve(ahead); err != nil {
			return fmt.Errorf("append record %d: %w: %w", lsn, ErrNotWritten, err)
		}
		l.ahead = ahead
	}
	if _, err := l.current.Write(record); err != nil {
		if cut := l.current.Truncate(l.offset); cut != nil {
			return l.fail(lsn, errors.Join(err, cut))
		}
		return fmt.Errorf("append record %d: %w: %w", lsn, ErrNotWritten, err)
	}
	if err := l.current.Sync(); err != nil {
		return l.fail(lsn, err)
	}
	l.offset += int64(len(record))
	l.last = lsn
	return nil
}

func (l *Log) fail(lsn uint64, cause error) error {
	l.failed = fmt.Errorf("append record %d: %w: %w", lsn, ErrFailed, cause)
	return l.failed
}

// begin creates the next file and makes it and its name durable before it holds any
// record.
func (l *Log) begin(first uint64) error {
	name := l.path(first)
	file, err := l.fs.Create(name)
	if errors.Is(err, vfs.ErrExist) {
		// Left by a begin that failed below; it holds no record.
		if err = l.fs.Remove(name); err == nil {
			file, err = l.fs.Create(name)
		}
	}
	if err != nil {
		return fmt.Errorf("append record %d: %w: %w", first, ErrNotWritten, err)
	}
	salt := rand.Uint64()
	_, err = file.Write(fileHeader(first, salt))
	if err != nil {
		file.Close()
		l.fs.Remove(name)
		return fmt.Errorf("append record %d: %w: %w", first, ErrNotWritten, err)
	}
	if err = file.Sync(); err == nil {
		err = l.fs.SyncDir(l.dir)
	}
	if err != nil {
		file.Close()
		return l.fail(first, err)
	}
	l.current, l.salt, l.offset, l.ahead = file, salt, headerSize, 0
	if len(l.files) == 0 || l.files[len(l.files)-1] != first {
		l.files = append(l.files, first)
	}
	return nil
}

// trim frees space that is reserved and not written. On failure it stays reserved.
func (l *Log) trim() {
	if l.current != nil && l.failed == nil && l.ahead > l.offset && l.current.Truncate(l.offset) == nil {
		l.ahead = l.offset
	}
}

// Release removes every file whose records are all at or below upTo. If a commit
// holds everything, the log is idle, and Release also frees memory and reserved
// space.
func (l *Log) Release(upTo uint64) error {
	if l.last <= upTo {
		l.trim()
		l.scratch = nil
	}
	for len(l.files) > 0 {
		switch {
		case len(l.files) > 1 && l.files[1] <= upTo+1:
		case len(l.files) == 1 && l.current == nil && l.last <= upTo:
		case len(l.files) == 1 && l.last <= upTo && l.offset >= releaseSize:
			// The current file holds nothing that is needed: start another.
			if err := l.current.Close(); err != nil {
				return l.fail(l.last, err)
			}
			l.current = nil
		default:
			return nil
		}
		if err := l.fs.Remove(l.path(l.files[0])); err != nil && !errors.Is(err, vfs.ErrNotExist) {
			return fmt.Errorf("release log: %w", err)
		}
		l.files = l.files[1:]
	}
	return nil
}

// Close closes the current file. Appended records stay.
func (l *Log) Close() error {
	if l.current == nil {
		return nil
	}
	l.trim()
	file := l.current
	l.current = nil
	l.failed = fmt.Errorf("append: %w: log is closed", ErrFailed)
	return file.Close()
}

func fileHeader(first, salt uint64) []byte {
	header := append(make([]byte, 0, headerSize), format.Log.Mark...)
	header = binary.LittleEndian.AppendUint32(header, format.Log.Version)
	header = binary.LittleEndian.AppendUint32(header, 0)
	header = binary.LittleEndian.AppendUint64(header, first)
	header = binary.LittleEndian.AppendUint64(header, salt)
	header = binary.LittleEndian.AppendUint32(header, crc32.Checksum(header, castagnoli))
	return binary.LittleEndian.AppendUint32(header, 0)
}

// appendRecord appends the encoding of a record at offset. Its checksum also covers
// the salt of the file and the offset, so that bytes in a document, or of a record
// truncated earlier, are never taken for a record.
func appendRecord(dst []byte, salt uint64, offset int64, lsn uint64, payload []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, recordMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint64(dst, lsn)
	dst = binary.LittleEndian.AppendUint32(dst, recordSum(salt, offset, lsn, payload))
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	dst = append(dst, payload...)
	for (len(dst)-start)%8 != 0 {
		dst = append(dst, 0)
	}
	return dst
}

func recordSum(salt uint64, offset int64, lsn uint64, payload []byte) uint32 {
	var place [28]byte
	binary.LittleEndian.PutUint64(place[0:], salt)
	binary.LittleEndian.PutUint64(place[8:], uint64(offset))
	binary.LittleEndian.PutUint64(place[16:], lsn)
	binary.LittleEndian.PutUint32(place[24:], uint32(len(payload)))
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, payload)
}
