package columns

import (
	"bytes"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/invariant"
)

// NumbersWriter writes a column of numbers: Add values in the order of documents,
// then Finish.
type NumbersWriter struct {
	out       *blockfile.Writer
	owner     uint32
	multi     bool
	numDocs   uint32
	values    seriesWriter
	pending   []int64 // values of the open block
	filled    []int64
	starts    startsWriter
	present   *bitset.Bitset
	bounds    []uint64
	block     int // index of the block of documents for bounds and pending
	lo, hi    int64
	doc       uint32
	docValues []int64
	some      bool
	withValue uint32
	numValues uint64
}

// NewNumbersWriter opens the values section of the column with the given owner for
// numDocs documents.
func NewNumbersWriter(out *blockfile.Writer, owner, numDocs uint32, multi bool) *NumbersWriter {
	out.Begin(blockfile.ID{Owner: owner, Part: PartValues})
	w := &NumbersWriter{out: out, owner: owner, multi: multi, numDocs: numDocs, present: bitset.New(numDocs)}
	w.values.out = out
	w.lo, w.hi = math.MaxInt64, math.MinInt64
	return w
}

// Add appends a value. A single-valued column keeps only the last value of a
// document.
func (w *NumbersWriter) Add(doc uint32, v int64) {
	if w.some && doc != w.doc {
		w.endDoc()
	}
	invariant.Check(!w.some || doc >= w.doc, "CO1: document %d after %d", doc, w.doc)
	if !w.multi {
		w.docValues = w.docValues[:0]
	}
	w.doc, w.some = doc, true
	w.docValues = append(w.docValues, v)
}

func (w *NumbersWriter) endDoc() {
	if !w.some {
		return
	}
	for w.block < int(w.doc>>blockShift) {
		w.endBlock()
	}
	if len(w.docValues) > 1 {
		slices.Sort(w.docValues)
		w.docValues = slices.Compact(w.docValues)
	}
	w.present.Set(w.doc)
	w.withValue++
	if w.multi {
		w.starts.set(w.doc, w.numValues)
	}
	for _, v := range w.docValues {
		w.lo, w.hi = min(w.lo, v), max(w.hi, v)
		w.pending = append(w.pending, v)
		w.numValues++
		if w.multi && len(w.pending) == BlockSize {
			w.values.add(w.pending)
			w.pending = w.pending[:0]
		}
	}
	w.docValues = w.docValues[:0]
	w.some = false
}

// endBlock ends a block of documents. In a multi-valued column, blocks of values
// are independent of blocks of documents.
func (w *NumbersWriter) endBlock() {
	w.bounds = append(w.bounds, uint64(w.lo), uint64(w.hi))
	w.lo, w.hi = math.MaxInt64, math.MinInt64
	if !w.multi {
		w.endSingle()
		w.pending = w.pending[:0]
	}
	w.block++
}

// endSingle packs a block of a single-valued column. A block in which at least half
// of the documents have a value stores one for every document, so that finding a
// value needs no counting.
func (w *NumbersWriter) endSingle() {
	first := uint32(w.block * BlockSize)
	n := min(BlockSize, int(w.numDocs-first))
	if len(w.pending) < max(n/2, 1) {
		w.values.addSparse(w.pending)
		return
	}
	if len(w.pending) == n {
		w.values.add(w.pending)
		return
	}
	w.filled = w.filled[:0]
	next := 0
	for doc := first; doc < first+uint32(n); doc++ {
		// A document without a value repeats the next value, or the last one.
		w.filled = append(w.filled, w.pending[min(next, len(w.pending)-1)])
		if w.present.Get(doc) {
			next++
		}
	}
	w.values.add(w.filled)
}

// Finish writes the column. It returns the number of values.
func (w *NumbersWriter) Finish() (numValues uint64, err error) {
	w.endDoc()
	for w.block < numBlocks(int(w.numDocs)) {
		w.endBlock()
	}
	if len(w.pending) > 0 {
		w.values.add(w.pending)
	}
	section := func(part uint16, data []byte) {
		w.out.Section(blockfile.ID{Owner: w.owner, Part: part}, data)
	}
	section(PartBlocks, bitpack.AppendUint64s(nil, w.values.blocks))
	section(PartBounds, bitpack.AppendUint64s(nil, w.bounds))
	if w.withValue != w.numDocs {
		section(PartPresent, w.present.AppendBytes(nil))
	}
	if w.multi {
		w.starts.finish(w.out, w.owner, w.numDocs, w.numValues)
	}
	section(PartInfo, appendInfo(uint64(w.withValue), w.numValues))
	return w.numValues, w.out.Err()
}

// startsWriter packs the indexes of the first values of documents.
type startsWriter struct {
	values  seriesWriter
	buf     bytes.Buffer
	pending []int64
	next    uint32 // document whose start comes next
}

// set records that the values of doc begin at start, and so do those of the
// documents since the last call, which have none.
func (w *startsWriter) set(doc uint32, start uint64) {
	for ; w.next <= doc; w.next++ {
		if w.values.out == nil {
			w.values.out = &w.buf
		}
		w.pending = append(w.pending, int64(start))
		if len(w.pending) == BlockSize {
			w.values.add(w.pending)
			w.pending = w.pending[:0]
		}
	}
}

func (w *startsWriter) finish(out *blockfile.Writer, owner, numDocs uint32, numValues uint64) {
	w.set(numDocs, numValues)
	if len(w.pending) > 0 {
		w.values.add(w.pending)
	}
	out.Section(blockfile.ID{Owner: owner, Part: PartStartValues}, w.buf.Bytes())
	out.Section(blockfile.ID{Owner: owner, Part: PartStartBlocks}, bitpack.AppendUint64s(nil, w.values.blocks))
}
