package terms

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/invariant"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Writer writes one field: for every term in order Begin, its documents
// through Postings, End; then Finish.
type Writer struct {
	out      *blockfile.Writer
	owner    uint32
	opts     Options
	postings *postings.Writer
	list     ListWriter
	handles  []postings.Handle
	prefixes []byte
	sumFreq  uint64
	several  []keyOf // documents of keys that have several
}

// keyOf is a document and the number of its key.
type keyOf struct{ doc, ord uint32 }

// NewWriter opens the postings section of field owner in out.
func NewWriter(out *blockfile.Writer, owner uint32, opts Options) *Writer {
	opts.Freqs = opts.Freqs || opts.Positions
	out.Begin(blockfile.ID{Owner: owner, Part: PartPostings})
	w := &Writer{out: out, owner: owner, opts: opts, postings: postings.NewWriter(out, opts.Options)}
	if opts.Key {
		w.postings.OnBlock(func(docs []uint32) {
			for _, doc := range docs {
				w.several = append(w.several, keyOf{doc, uint32(w.list.Len())})
			}
		})
	}
	return w
}

// Postings takes the documents of the term begun last.
func (w *Writer) Postings() *postings.Writer { return w.postings }

// Begin starts the next term, which must be above all before.
func (w *Writer) Begin() { w.postings.Begin() }

// End finishes the term. One without documents is left out.
func (w *Writer) End(term []byte) error {
	if w.postings.DocFreq() == 0 {
		return nil
	}
	h, err := w.postings.End()
	if err != nil {
		return err
	}
	last := w.list.Last()
	invariant.Check(last == nil || bytes.Compare(last, term) < 0, "T1: %q after %q", term, last)
	if w.list.Size()+len(term) > 1<<32-1 || w.list.Len() >= 1<<31-1 {
		return fmt.Errorf("write terms: the dictionary takes more than 4 GiB")
	}
	if !w.opts.Key {
		w.prefixes = append(w.prefixes, byte(min(commonPrefix(last, term), 255)))
	}
	w.list.Add(term)
	w.handles = append(w.handles, h)
	w.sumFreq += w.postings.SumFreq()
	return nil
}

// keyParts writes what a Key field has in place of a hash table: a filter, the
// document of every key when each has one, and the key of every document.
func (w *Writer) keyParts(section func(uint16, []byte), numDocs uint32) {
	section(PartFilter, bitpack.Bytes64(newFilter(&w.list)))
	ords := make([]uint32, numDocs)
	docs := make([]uint32, 0, len(w.handles))
	for i, h := range w.handles {
		if doc, _, ok := h.Inlined(); ok {
			docs = append(docs, doc)
			ords[doc] = uint32(i + 1)
		}
	}
	for _, m := range w.several {
		ords[m.doc] = m.ord + 1
	}
	if len(docs) == len(w.handles) {
		section(PartKeyDocs, bitpack.Append32(nil, docs, bitpack.Width32(max(numDocs, 1)-1)))
	} else {
		w.handleParts(section)
	}
	section(PartKeys, bitpack.Append32(nil, ords, bits.Len32(uint32(w.list.Len()))))
}

func (w *Writer) handleParts(section func(uint16, []byte)) {
	heads, data := packHandles(w.handles)
	section(PartHandles, heads)
	section(PartHandleData, data)
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Finish writes the dictionary of a segment of numDocs documents. lengths is
// one code per document, nil when the field keeps none; docs and sumLength go
// into the statistics.
func (w *Writer) Finish(numDocs uint32, lengths []byte, docs uint32, sumLength uint64) error {
	section := func(part uint16, data []byte) {
		w.out.Section(blockfile.ID{Owner: w.owner, Part: part}, data)
	}
	if w.opts.Key {
		data, offsets := packKeys(&w.list)
		section(PartBytes, data)
		section(PartOffsets, bitpack.Bytes32(offsets))
		w.keyParts(section, numDocs)
	} else {
		section(PartBytes, w.list.Bytes())
		section(PartOffsets, w.list.Offsets())
		w.handleParts(section)
		section(PartHash, bitpack.Bytes32(buildHash(&w.list)))
		section(PartPrefixes, w.prefixes)
	}
	if w.opts.Lengths {
		section(PartLengths, lengths)
	}
	info := binary.AppendUvarint(nil, uint64(w.list.Len()))
	info = binary.AppendUvarint(info, uint64(docs))
	info = binary.AppendUvarint(info, sumLength)
	info = binary.AppendUvarint(info, w.sumFreq)
	section(PartInfo, info)
	return w.out.Err()
}
