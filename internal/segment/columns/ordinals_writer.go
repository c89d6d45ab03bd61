package columns

import (
	"encoding/binary"
	"slices"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/invariant"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// OrdinalsWriter writes a column of ordinals: first its distinct values in order
// through Value, then the ordinals of documents through Add, then Finish. Values
// are written to the file immediately.
type OrdinalsWriter struct {
	out       *blockfile.Writer
	owner     uint32
	multi     bool
	numDocs   uint32
	list      *terms.ListWriter
	width     int
	raw       []byte
	counts    []uint32
	starts    startsWriter
	doc       uint32
	some      bool
	docOrds   []uint32
	withValue uint32
	numValues uint64
}

// NewOrdinalsWriter prepares the column with the given owner for numDocs documents.
func NewOrdinalsWriter(out *blockfile.Writer, owner, numDocs uint32, multi bool) *OrdinalsWriter {
	return &OrdinalsWriter{out: out, owner: owner, multi: multi, numDocs: numDocs,
		list: terms.NewListWriter(out, blockfile.ID{Owner: owner, Part: PartBytes})}
}

// Value appends a distinct value, which must be above all earlier ones, and returns
// its ordinal.
func (w *OrdinalsWriter) Value(value []byte) (ord uint32) {
	w.list.Add(value)
	return uint32(w.list.Len() - 1)
}

// begin prepares for ordinals, once all values are known.
func (w *OrdinalsWriter) begin() {
	w.width = ordWidth(w.list.Len())
	w.counts = make([]uint32, w.list.Len())
	if !w.multi {
		w.raw = make([]byte, w.width*int(w.numDocs))
	}
}

// Add appends an ordinal. A single-valued column keeps only the last one of a
// document.
func (w *OrdinalsWriter) Add(doc, ord uint32) {
	if w.counts == nil {
		w.begin()
	}
	if w.some && doc != w.doc {
		w.endDoc()
	}
	invariant.Check(!w.some || doc >= w.doc, "CO1: document %d after %d", doc, w.doc)
	if !w.multi {
		w.docOrds = w.docOrds[:0]
	}
	w.doc, w.some = doc, true
	w.docOrds = append(w.docOrds, ord)
}

func (w *OrdinalsWriter) endDoc() {
	if !w.some {
		return
	}
	if len(w.docOrds) > 1 {
		slices.Sort(w.docOrds)
		w.docOrds = slices.Compact(w.docOrds)
	}
	w.withValue++
	if w.multi {
		w.starts.set(w.doc, w.numValues)
	}
	for _, ord := range w.docOrds {
		w.counts[ord]++
		w.numValues++
		if w.multi {
			w.raw = append(w.raw, make([]byte, w.width)...)
			put(w.raw[len(w.raw)-w.width:], ord+1, w.width)
		} else {
			put(w.raw[int(w.doc)*w.width:], ord+1, w.width)
		}
	}
	w.docOrds = w.docOrds[:0]
	w.some = false
}

func put(dst []byte, v uint32, width int) {
	switch width {
	case 1:
		dst[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(v))
	default:
		binary.LittleEndian.PutUint32(dst, v)
	}
}

// Finish writes the column.
func (w *OrdinalsWriter) Finish() error {
	if w.counts == nil {
		w.begin()
	}
	w.endDoc()
	section := func(part uint16, data []byte) {
		w.out.Section(blockfile.ID{Owner: w.owner, Part: part}, data)
	}
	section(PartValues, w.raw)
	if err := w.list.Finish(w.out, blockfile.ID{Owner: w.owner, Part: PartOffsets}); err != nil {
		return err
	}
	section(PartCounts, bitpack.Bytes32(w.counts))
	if w.multi {
		w.starts.finish(w.out, w.owner, w.numDocs, w.numValues)
	}
	section(PartInfo, appendInfo(uint64(w.withValue), w.numValues))
	return w.out.Err()
}
