package blockfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/vfs"
)

// leastBuffer is large enough that a write call costs little compared to the copy.
const leastBuffer = 256 << 10

// Writer writes one file. It keeps its first error and returns it from Finish.
type Writer struct {
	out     io.Writer
	name    string
	buf     []byte
	offset  int64  // of the end of buf
	fileSum uint32 // of all flushed bytes
	entries []entry
	open    bool
	secSum  uint32
	summed  int // bytes of buf already in secSum
	aside   *Aside
	err     error
}

type entry struct {
	id     ID
	offset int64
	length int64
	sum    uint32
}

// NewWriter starts a file on out, of the given version and kind, which has up to
// eight ASCII letters. name is used in errors.
func NewWriter(out io.Writer, name string, kind string, version uint32) *Writer {
	w := &Writer{out: out, name: name, buf: make([]byte, 0, leastBuffer)}
	if len(kind) > 8 {
		w.err = fmt.Errorf("write %s: kind %q has more than 8 letters", name, kind)
	}
	var h [headerSize]byte
	copy(h[:], format.Envelope.Mark)
	copy(h[8:16], kind)
	binary.LittleEndian.PutUint32(h[16:], version)
	binary.LittleEndian.PutUint32(h[headerSize-4:], Checksum(h[:headerSize-4]))
	w.append(h[:])
	return w
}

// SetAside gives the writers of sections temporary storage.
func (w *Writer) SetAside(a *Aside) { w.aside = a }

// Aside returns the temporary storage for writers of sections, nil for none.
func (w *Writer) Aside() *Aside { return w.aside }

// Begin ends the previous section and starts the next one.
func (w *Writer) Begin(id ID) {
	w.end()
	w.pad()
	w.entries = append(w.entries, entry{id: id, offset: w.offset})
	w.open, w.secSum, w.summed = true, 0, len(w.buf)
}

// Write appends to the open section.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err == nil && !w.open {
		w.err = fmt.Errorf("write %s: no open section", w.name)
	}
	w.append(p)
	return len(p), w.err
}

// Section writes a whole section.
func (w *Writer) Section(id ID, data []byte) {
	w.Begin(id)
	w.append(data)
	w.end()
}

// Offset returns the number of bytes written to the open section.
func (w *Writer) Offset() int64 {
	if !w.open {
		return 0
	}
	return w.offset - w.entries[len(w.entries)-1].offset
}

// Err returns the first error so far.
func (w *Writer) Err() error { return w.err }

// Finish ends the last section and writes directory and footer. It does not sync
// the file.
func (w *Writer) Finish() (Summary, error) {
	w.end()
	w.pad()
	dirOffset := w.offset
	dir := make([]byte, 0, len(w.entries)*entrySize)
	for _, e := range w.entries {
		dir = binary.LittleEndian.AppendUint32(dir, e.id.Owner)
		dir = binary.LittleEndian.AppendUint16(dir, e.id.Part)
		dir = binary.LittleEndian.AppendUint16(dir, 0)
		dir = binary.LittleEndian.AppendUint64(dir, uint64(e.offset))
		dir = binary.LittleEndian.AppendUint64(dir, uint64(e.length))
		dir = binary.LittleEndian.AppendUint32(dir, e.sum)
		dir = binary.LittleEndian.AppendUint32(dir, 0)
	}
	if _, err := openDirectory(w.name, dir, dirOffset); err != nil && w.err == nil {
		w.err = fmt.Errorf("write %s: %v", w.name, err) // a section was written twice
	}
	w.append(dir)
	w.pad()
	var f [footerSize]byte
	binary.LittleEndian.PutUint64(f[0:], uint64(dirOffset))
	binary.LittleEndian.PutUint64(f[8:], uint64(len(w.entries)))
	binary.LittleEndian.PutUint32(f[16:], Checksum(dir))
	binary.LittleEndian.PutUint64(f[24:], uint64(w.offset+footerSize))
	copy(f[48:], endMark)
	binary.LittleEndian.PutUint32(f[footerSize-4:], Checksum(f[:footerSize-4]))
	w.append(f[:])
	w.flush()
	return Summary{Size: w.offset, CRC32C: w.fileSum}, w.err
}

func (w *Writer) append(p []byte) {
	for len(p) > 0 && w.err == nil {
		if len(w.buf) == cap(w.buf) {
			w.makeSpace()
		}
		n := copy(w.buf[len(w.buf):cap(w.buf)], p)
		w.buf = w.buf[:len(w.buf)+n]
		w.offset += int64(n)
		p = p[n:]
	}
}

// makeSpace makes space in a full buffer: it grows the buffer up to a huge page,
// which is best for large files, and flushes it after that.
func (w *Writer) makeSpace() {
	if n := cap(w.buf); n < vfs.HugePage {
		w.buf = append(make([]byte, 0, min(4*n, vfs.HugePage)), w.buf...)
		return
	}
	w.flush()
}

// sum updates the checksum of the open section.
func (w *Writer) sum() {
	if w.open {
		w.secSum = crc32.Update(w.secSum, castagnoli, w.buf[w.summed:])
		w.summed = len(w.buf)
	}
}

func (w *Writer) flush() {
	w.sum()
	if w.err != nil || len(w.buf) == 0 {
		return
	}
	w.fileSum = crc32.Update(w.fileSum, castagnoli, w.buf)
	if _, err := w.out.Write(w.buf); err != nil {
		w.err = fmt.Errorf("write %s: %w", w.name, err)
	}
	w.buf, w.summed = w.buf[:0], 0
}

func (w *Writer) end() {
	if !w.open {
		return
	}
	w.sum()
	e := &w.entries[len(w.entries)-1]
	e.length, e.sum = w.offset-e.offset, w.secSum
	w.open = false
}

func (w *Writer) pad() {
	var zero [Align]byte
	if rest := w.offset % Align; rest != 0 {
		w.append(zero[:Align-rest])
	}
}
