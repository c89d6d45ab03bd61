package postings

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/invariant"
)

// Output is where postings are written: an open section.
type Output interface {
	io.Writer
	// Offset returns the number of bytes written to the section so far.
	Offset() int64
}

// Options select what a field keeps.
type Options struct {
	Freqs     bool
	Positions bool // implies Freqs
}

// Writer encodes the postings of a field, term by term:
//
//	w.Begin()
//	w.Add(doc, freq, length)  then w.Deltas(deltas), freq of them
//	handle, err := w.End()
type Writer struct {
	out  Output
	opts Options

	df      uint32
	sumFreq uint64
	last    uint32 // last document added
	n       int    // documents in the open block
	docs    [BlockSize]uint32
	freqs   [BlockSize]uint32 // minus one
	lengths [BlockSize]byte
	// deltas are the positions of the open block: per document the first position,
	// then the deltas.
	deltas []uint32

	block, group, term frontier
	best               best
	groupBlocks        int
	groupLists         []byte
	groupAts           []uint32

	blocks     []byte
	lastDocs   []uint32
	blockAts   []uint32
	posAts     []uint32
	impacts    []byte
	impactAts  []uint32
	posWritten int64
	scratch    []byte
	onBlock    func(docs []uint32)
	err        error
}

// NewWriter returns a Writer of postings to out.
func NewWriter(out Output, opts Options) *Writer {
	opts.Freqs = opts.Freqs || opts.Positions
	w := &Writer{out: out, opts: opts}
	w.SetAverage(1)
	return w
}

// SetAverage sets the average length of the field, which decides the best documents
// of a term. Any value is correct; the true one works best.
func (w *Writer) SetAverage(length float64) { w.best.setAverage(length) }

// OnBlock sets a function that is called with the documents of every block, except
// for those stored in a handle alone.
func (w *Writer) OnBlock(seen func(docs []uint32)) { w.onBlock = seen }

// Begin starts a term.
func (w *Writer) Begin() {
	w.df, w.sumFreq, w.n, w.last = 0, 0, 0, 0
	w.deltas = w.deltas[:0]
	w.block.reset()
	w.group.reset()
	w.term.reset()
	w.best.reset()
	w.groupBlocks = 0
	w.groupLists, w.groupAts = w.groupLists[:0], w.groupAts[:0]
	w.blocks, w.lastDocs, w.blockAts, w.posAts = w.blocks[:0], w.lastDocs[:0], w.blockAts[:0], w.posAts[:0]
	w.impacts, w.impactAts = w.impacts[:0], w.impactAts[:0]
	w.posWritten = 0
}

// Add appends a document, which must be above all added before. length is its
// length code.
func (w *Writer) Add(doc, freq uint32, length byte) {
	w.df++
	if w.n == BlockSize {
		w.flush()
	}
	invariant.Check(w.df == 1 || doc > w.last, "P1: %d after %d", doc, w.last)
	if !w.opts.Freqs {
		freq = 1
	}
	w.docs[w.n], w.freqs[w.n], w.lengths[w.n] = doc, freq-1, length
	w.n++
	w.last = doc
	w.sumFreq += uint64(freq)
}

// Deltas appends all positions of the last document added: the first position, then
// the deltas.
func (w *Writer) Deltas(deltas []uint32) {
	if w.opts.Positions {
		w.deltas = append(w.deltas, deltas...)
	}
}

// DocFreq returns the number of documents of the term so far.
func (w *Writer) DocFreq() uint32 { return w.df }

// SumFreq returns the number of occurrences of the term so far.
func (w *Writer) SumFreq() uint64 { return w.sumFreq }

// End finishes the term. A term without documents is an error.
func (w *Writer) End() (Handle, error) {
	if w.df == 0 {
		return 0, fmt.Errorf("write postings: P2: a term without documents")
	}
	if w.df == 1 {
		if h, ok := w.inline(); ok {
			return h, w.err
		}
	}
	if w.df <= tinyDocs {
		return w.endTiny()
	}
	single := w.df <= BlockSize
	w.flush()
	if single {
		return w.endSingle()
	}
	return w.endMany()
}

func (w *Writer) inline() (Handle, bool) {
	doc, freq := w.docs[0], w.freqs[0]+1
	if w.opts.Positions {
		if freq != 1 || len(w.deltas) != 1 || w.deltas[0] > inlineMax {
			return 0, false
		}
		return Inline(doc, w.deltas[0], true), true
	}
	return Inline(doc, freq-1, false), freq-1 <= inlineMax
}

// endTiny writes a term with few documents: per document twice the delta from the
// previous one, plus one when the frequency is one; otherwise the frequency
// follows. The positions come last.
func (w *Writer) endTiny() (Handle, error) {
	docs := w.docs[:w.n]
	if w.onBlock != nil {
		w.onBlock(docs)
	}
	h := w.scratch[:0]
	last := uint32(0)
	for i, doc := range docs {
		step, freq := uint64(doc-last), w.freqs[i]+1
		last = doc
		switch {
		case !w.opts.Freqs:
			h = binary.AppendUvarint(h, step)
		case freq == 1:
			h = binary.AppendUvarint(h, step<<1|1)
		default:
			h = binary.AppendUvarint(h, step<<1)
			h = binary.AppendUvarint(h, uint64(freq))
		}
	}
	if w.opts.Positions {
		invariant.Check(w.freqSum() == len(w.deltas), "P4: %d positions, frequencies say %d", len(w.deltas), w.freqSum())
		for _, delta := range w.deltas {
			h = binary.AppendUvarint(h, uint64(delta))
		}
	}
	return w.finish(h)
}

func (w *Writer) endSingle() (Handle, error) {
	h := w.scratch[:0]
	h = binary.AppendUvarint(h, uint64(w.df))
	if w.opts.Positions {
		h = binary.AppendUvarint(h, uint64(w.posWritten))
	}
	h = binary.AppendUvarint(h, uint64(w.lastDocs[0]-w.docs[0]))
	h = append(h, w.impacts...)
	h = append(h, w.blocks...)
	return w.finish(h)
}

func (w *Writer) endMany() (Handle, error) {
	if w.groupBlocks > 0 {
		w.endGroup()
	}
	lists := len(w.impacts)
	for _, at := range w.groupAts {
		w.impactAts = append(w.impactAts, uint32(lists)+at)
	}
	w.impacts = append(w.impacts, w.groupLists...)
	w.impactAts = append(w.impactAts, uint32(len(w.impacts)))
	w.impacts = w.term.appendTo(w.impacts)
	w.impactAts = append(w.impactAts, uint32(len(w.impacts)))
	w.impacts = w.best.appendTo(w.impacts)

	if len(w.blocks) > 1<<32-1 || w.posWritten > 1<<32-1 {
		return 0, fmt.Errorf("write postings: a term takes more than 4 GiB")
	}
	// The directory is viewed as integers, so it must be aligned like them; the
	// padding counts as positions.
	if rest := w.out.Offset() % 4; rest != 0 {
		w.write(make([]byte, 4-rest))
		w.posWritten += 4 - rest
	}
	h := w.scratch[:0]
	h = binary.LittleEndian.AppendUint32(h, w.df)
	h = binary.LittleEndian.AppendUint32(h, uint32(len(w.impacts)))
	h = binary.LittleEndian.AppendUint32(h, uint32(len(w.blocks)))
	if w.opts.Positions {
		h = binary.LittleEndian.AppendUint32(h, uint32(w.posWritten))
	}
	h = bitpack.AppendUint32s(h, w.lastDocs)
	h = bitpack.AppendUint32s(h, w.blockAts)
	if w.opts.Positions {
		h = bitpack.AppendUint32s(h, w.posAts)
	}
	h = bitpack.AppendUint32s(h, w.impactAts)
	h = append(h, w.impacts...)
	h = append(h, w.blocks...)
	return w.finish(h)
}

// finish writes the header and what follows it. The positions of the term come
// directly before it.
func (w *Writer) finish(h []byte) (Handle, error) {
	w.scratch = h
	offset := w.out.Offset()
	if offset > maxOffset {
		return 0, fmt.Errorf("write postings: more than %d bytes", int64(maxOffset))
	}
	w.write(h)
	return At(offset, w.df), w.err
}

func (w *Writer) write(p []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(p)
	}
}

// flush encodes the open block.
func (w *Writer) flush() {
	docs := w.docs[:w.n]
	if w.onBlock != nil {
		w.onBlock(docs)
	}
	w.lastDocs = append(w.lastDocs, docs[w.n-1])
	w.blockAts = append(w.blockAts, uint32(len(w.blocks)))
	w.blocks = appendDocs(w.blocks, docs)
	if w.opts.Freqs {
		freqs := w.freqs[:w.n]
		width, exceptions := chooseWidth(freqs)
		w.blocks = append(w.blocks, byte(width), byte(exceptions))
		w.blocks, _ = appendPatched(w.blocks, freqs, width, exceptions)
	}
	if w.opts.Positions {
		w.posAts = append(w.posAts, uint32(w.posWritten))
		w.flushPositions()
	}
	if w.df > BlockSize {
		w.best.add(w.freqs[:w.n], w.lengths[:w.n])
	}
	// Not in Add: most terms have few documents and no impacts.
	for i, freq := range w.freqs[:w.n] {
		w.block.add(uint8(min(freq+1, manyFreq)), w.lengths[i])
	}
	w.impactAts = append(w.impactAts, uint32(len(w.impacts)))
	w.impacts = w.block.appendTo(w.impacts)
	w.group.merge(&w.block)
	w.block.reset()
	if w.groupBlocks++; w.groupBlocks == GroupSize {
		w.endGroup()
	}
	w.n = 0
}

func (w *Writer) endGroup() {
	w.groupAts = append(w.groupAts, uint32(len(w.groupLists)))
	w.groupLists = w.group.appendTo(w.groupLists)
	w.term.merge(&w.group)
	w.group.reset()
	w.groupBlocks = 0
}

// flushPositions writes the positions of the open block: a table of chunks, then
// the chunks.
func (w *Writer) flushPositions() {
	invariant.Check(w.freqSum() == len(w.deltas), "P4: %d positions, frequencies say %d", len(w.deltas), w.freqSum())
	chunks := (len(w.deltas) + chunkSize - 1) / chunkSize
	p := w.scratch[:0]
	for range chunks * 3 {
		p = append(p, 0)
	}
	for c := range chunks {
		values := w.deltas[c*chunkSize : min((c+1)*chunkSize, len(w.deltas))]
		width, exceptions := chooseWidth(values)
		var extra int
		p, extra = appendPatched(p, values, width, exceptions)
		p[c*3], p[c*3+1], p[c*3+2] = byte(width), byte(exceptions), byte(extra)
	}
	w.write(p)
	w.posWritten += int64(len(p))
	w.scratch = p
	w.deltas = w.deltas[:0]
}

func (w *Writer) freqSum() int {
	sum := 0
	for _, f := range w.freqs[:w.n] {
		sum += int(f) + 1
	}
	return sum
}

// appendDocs encodes a block of documents: its kind, the first document, and then
// nothing for a run, the words from that of the first document on for a bitset, and
// otherwise packed offsets from the first document, or packed and patched deltas.
func appendDocs(dst []byte, docs []uint32) []byte {
	first, last := docs[0], docs[len(docs)-1]
	if last-first == uint32(len(docs)-1) {
		return binary.LittleEndian.AppendUint32(append(dst, kindRun), first)
	}
	if last-first >= uint32(len(docs)*sparse) {
		return appendSteps(dst, docs)
	}
	width := bitpack.Width32(last - first)
	words := int(last>>6-first>>6) + 1
	// Bitsets are faster to combine than offsets, so they may be slightly larger.
	if words*8 <= bitpack.Size(len(docs), width)+len(docs)/16 {
		dst = binary.LittleEndian.AppendUint32(append(dst, kindBitset), first)
		var word uint64
		at := first >> 6
		for _, d := range docs {
			for d>>6 != at {
				dst = binary.LittleEndian.AppendUint64(dst, word)
				word = 0
				at++
			}
			word |= 1 << (d & 63)
		}
		return binary.LittleEndian.AppendUint64(dst, word)
	}
	dst = binary.LittleEndian.AppendUint32(append(dst, byte(width)), first)
	var offsets [BlockSize]uint32
	for i, d := range docs {
		offsets[i] = d - first
	}
	return bitpack.Append32(dst, offsets[:len(docs)], width)
}

func appendSteps(dst []byte, docs []uint32) []byte {
	var steps [BlockSize]uint32
	for i, d := range docs[1:] {
		steps[i+1] = d - docs[i]
	}
	values := steps[:len(docs)]
	width, exceptions := chooseWidth(values)
	dst = binary.LittleEndian.AppendUint32(append(dst, byte(kindSteps+width)), docs[0])
	at := len(dst)
	dst, extra := appendPatched(append(dst, byte(exceptions), 0), values, width, exceptions)
	dst[at+1] = byte(extra)
	return dst
}
