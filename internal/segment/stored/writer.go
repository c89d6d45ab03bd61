package stored

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/internal/bitpack"
)

// Output is where packed blocks are written: the open data section, or memory.
type Output interface {
	io.Writer
	// Offset returns the number of bytes written so far.
	Offset() int64
}

// Writer packs the records of a segment, one per document, in order.
type Writer struct {
	out       Output
	encoders  []encoder
	preferred int    // index of an encoder
	next      uint32 // document
	first     uint32 // of the open block
	lengths   []byte
	data      []byte
	records   int // non-empty records in the open block
	packed    []byte
	blocks    []uint64
	same      bool   // all records of the open block equal one
	one       []byte // the first record of the open block, while same
	err       error
}

// encoder packs blocks, one at a time.
type encoder struct {
	mu   sync.Mutex
	zstd *zstd.Encoder
}

// encoders pack the blocks of the process, one for every processor: their tables
// are too large to make one per segment. A zstd.Encoder shared by several
// goroutines would pass its tables around; a Writer prefers one encoder, whose
// tables stay in its processor's caches.
var encoders = sync.OnceValues(func() ([]encoder, error) {
	all := make([]encoder, runtime.GOMAXPROCS(0))
	for i := range all {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		e.EncodeAll([]byte{0}, nil) // allocates its tables
		all[i].zstd = e
	}
	return all, nil
})

// preferred is the index of the encoder that the next Writer prefers.
var preferred atomic.Uint32

// NewWriter returns a Writer of packed blocks to out.
func NewWriter(out Output) (*Writer, error) {
	all, err := encoders()
	if err != nil {
		return nil, fmt.Errorf("prepare compression: %w", err)
	}
	return &Writer{out: out, encoders: all, preferred: int(preferred.Add(1) % uint32(len(all)))}, nil
}

// Add appends the record of the next document; an empty one stores no record.
func (w *Writer) Add(record []byte) {
	if len(w.data)+len(record) > maxBlock-1<<20 {
		w.flush()
	}
	if len(record) > maxBlock-1<<20 {
		w.err = fmt.Errorf("write records: one of %d bytes is too large", len(record))
		record = nil
	}
	if w.same && !bytes.Equal(record, w.one) {
		if w.next-w.first >= blockRecords {
			w.flush()
		} else {
			w.same = false
			for range w.next - w.first {
				w.append(w.one)
			}
		}
	}
	if w.next == w.first && len(record) <= maxSame {
		w.same, w.one = true, append(w.one[:0], record...)
	}
	w.next++
	if w.same {
		return
	}
	w.append(record)
	if len(w.data) >= blockBytes || w.records >= blockRecords || w.next-w.first >= blockDocs {
		w.flush()
	}
}

func (w *Writer) append(record []byte) {
	w.lengths = binary.AppendUvarint(w.lengths, uint64(len(record)))
	w.data = append(w.data, record...)
	if len(record) > 0 {
		w.records++
	}
}

// AddBlock appends a whole packed block of docs documents, as returned by
// Reader.Block, without unpacking it.
func (w *Writer) AddBlock(packed []byte, docs uint32, rawSize uint32) {
	w.flush()
	w.blocks = append(w.blocks, uint64(w.first)|uint64(rawSize)<<32, uint64(w.out.Offset()))
	w.write(packed)
	w.next += docs
	w.first = w.next
}

func (w *Writer) flush() {
	if w.next == w.first {
		return
	}
	if w.same {
		w.blocks = append(w.blocks, uint64(w.first)|uint64(len(w.one)|sameFlag)<<32, uint64(w.out.Offset()))
		w.write(w.one)
		w.first, w.same = w.next, false
		return
	}
	w.lengths = append(w.lengths, w.data...)
	w.pack()
	w.blocks = append(w.blocks, uint64(w.first)|uint64(len(w.lengths))<<32, uint64(w.out.Offset()))
	w.write(w.packed)
	w.lengths, w.data, w.records = w.lengths[:0], w.data[:0], 0
	w.first = w.next
}

// pack compresses the open block, which is in lengths.
func (w *Writer) pack() {
	e := w.lockEncoder()
	defer e.mu.Unlock()
	w.packed = e.zstd.EncodeAll(w.lengths, w.packed[:0])
}

// lockEncoder returns the preferred encoder, or one that is free.
func (w *Writer) lockEncoder() *encoder {
	for i := range w.encoders {
		if e := &w.encoders[(w.preferred+i)%len(w.encoders)]; e.mu.TryLock() {
			return e
		}
	}
	e := &w.encoders[w.preferred]
	e.mu.Lock()
	return e
}

func (w *Writer) write(p []byte) {
	if _, err := w.out.Write(p); err != nil && w.err == nil {
		w.err = err
	}
}

// Bytes returns the memory of the open block.
func (w *Writer) Bytes() int { return cap(w.data) + cap(w.lengths) + cap(w.packed) + 8*cap(w.blocks) }

// Finish packs the last block and returns the content of the blocks section.
func (w *Writer) Finish() (index []byte, err error) {
	w.flush()
	w.blocks = append(w.blocks, uint64(w.next), uint64(w.out.Offset()))
	return bitpack.AppendUint64s(nil, w.blocks), w.err
}

// Copies reports whether a block with the given raw bytes and documents should be
// copied rather than repacked: small blocks are joined with their neighbours.
func (w *Writer) Copies(rawSize, docs uint32) bool {
	isLarge := rawSize&^sameFlag >= blockBytes/2 || docs >= blockRecords/2
	return isLarge && len(w.data) < blockBytes/4 && w.next-w.first < blockRecords/4
}
