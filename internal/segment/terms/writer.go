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

// Writer writes one field: for every term in order Begin, its documents through
// Postings, End; then Finish.
//
// Between the first Begin and Finish it collects the dictionary as it will be in
// the file, and eight bytes of hash per term; large data goes to the temporary file
// aside.
type Writer struct {
	out      *blockfile.Writer
	owner    uint32
	opts     Options
	postings *postings.Writer
	length   int
	list     ListWriter // without Key
	keys     keyWriter  // with Key
	handles  handleWriter
	hashes   gathered
	prefixes gathered
	sumFreq  uint64
	forms    formWriter
	docs     gathered // of every key, if each has only one
	several  []keyOf  // documents of keys that have several
}

// keyOf is a document and the number of its key.
type keyOf struct{ doc, ord uint32 }

// NewWriter opens the postings section of the field with the given owner in out.
func NewWriter(out *blockfile.Writer, owner uint32, opts Options) *Writer {
	opts.Freqs = opts.Freqs || opts.Positions
	out.Begin(blockfile.ID{Owner: owner, Part: PartPostings})
	w := &Writer{out: out, owner: owner, opts: opts, postings: postings.NewWriter(out, opts.Options)}
	for _, g := range []*gathered{&w.list.bytes, &w.list.offsets, &w.keys.data, &w.keys.offsets, &w.handles.heads, &w.handles.data,
		&w.hashes, &w.prefixes, &w.forms.list.bytes, &w.forms.list.offsets, &w.forms.prefixes, &w.docs} {
		g.aside = out.Aside()
	}
	if opts.Key {
		w.postings.OnBlock(func(docs []uint32) {
			for _, doc := range docs {
				w.several = append(w.several, keyOf{doc, uint32(w.length)})
			}
		})
	}
	return w
}

// Postings returns the writer for the documents of the current term.
func (w *Writer) Postings() *postings.Writer { return w.postings }

// Begin starts the next term, which must be above all earlier ones.
func (w *Writer) Begin() { w.postings.Begin() }

// End finishes the term. A term without documents is left out.
func (w *Writer) End(term []byte) error {
	if w.postings.DocFreq() == 0 {
		return nil
	}
	h, err := w.postings.End()
	if err != nil {
		return err
	}
	last := w.list.Last()
	if w.opts.Key {
		last = w.keys.last()
	}
	invariant.Check(last == nil || bytes.Compare(last, term) < 0, "TE1: %q after %q", term, last)
	if max(w.list.Size(), w.keys.data.length)+len(term) > 1<<32-1 || w.length >= 1<<31-1 {
		return fmt.Errorf("write terms: the dictionary takes more than 4 GiB")
	}
	if w.opts.Key {
		doc, _, ok := h.Inlined()
		if !ok {
			doc = noDoc
		}
		w.docs.add32(doc)
		w.keys.add(term)
	} else {
		w.prefixes.add([]byte{byte(min(commonPrefix(last, term), 255))})
		w.list.Add(term)
	}
	w.handles.add(h)
	w.hashes.add64(Hash(term))
	w.length++
	w.sumFreq += w.postings.SumFreq()
	return nil
}

// noDoc stands for the document of a key that has several.
const noDoc = 1<<32 - 1

// keyParts writes what a Key field has instead of a hash table: a filter, the
// document of every key if each has only one, and the key of every document.
func (w *Writer) keyParts(numDocs uint32) error {
	filter, err := newFilter(&w.hashes)
	if err != nil {
		return err
	}
	w.section(PartFilter, bitpack.Bytes64(filter))
	ords := make([]uint32, numDocs)
	width := bitpack.Width32(max(numDocs, 1) - 1)
	ord := uint32(0)
	if w.single() {
		w.out.Begin(w.id(PartKeyDocs))
	}
	err = w.docs.each(func(piece []byte) {
		docs := bitpack.Uint32s(piece)
		for _, doc := range docs {
			if ord++; doc != noDoc {
				ords[doc] = ord
			}
		}
		if w.single() {
			w.pack(docs, width)
		}
	})
	if err != nil {
		return err
	}
	if !w.single() {
		for _, m := range w.several {
			ords[m.doc] = m.ord + 1
		}
		if err := w.handles.write(w.out, w.id(PartHandles), w.id(PartHandleData)); err != nil {
			return err
		}
	}
	w.out.Begin(w.id(PartKeys))
	w.pack(ords, bits.Len32(uint32(w.length)))
	return nil
}

// single reports whether every key has one document.
func (w *Writer) single() bool { return len(w.several) == 0 }

// packedAtOnce is the number of numbers packed at a time: whole bytes for any
// width.
const packedAtOnce = 4096

// pack writes numbers to the open section. Only in the last call for a section may
// they end within a byte.
func (w *Writer) pack(numbers []uint32, width int) {
	var buf []byte
	for len(numbers) > 0 {
		n := min(packedAtOnce, len(numbers))
		buf = bitpack.Append32(buf[:0], numbers[:n], width)
		w.out.Write(buf) // errors are kept in out
		numbers = numbers[n:]
	}
}

// words writes the dictionary of a field that is not a Key field.
func (w *Writer) words() error {
	if err := w.list.bytes.section(w.out, w.id(PartBytes)); err != nil {
		return err
	}
	if err := w.list.Finish(w.out, w.id(PartOffsets)); err != nil {
		return err
	}
	if err := w.handles.write(w.out, w.id(PartHandles), w.id(PartHandleData)); err != nil {
		return err
	}
	table, err := buildHash(&w.hashes)
	if err != nil {
		return err
	}
	w.section(PartHash, bitpack.Bytes32(table))
	if err := w.prefixes.section(w.out, w.id(PartPrefixes)); err != nil {
		return err
	}
	return w.writeForms()
}

func (w *Writer) id(part uint16) blockfile.ID { return blockfile.ID{Owner: w.owner, Part: part} }

func (w *Writer) section(part uint16, data []byte) { w.out.Section(w.id(part), data) }

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Finish writes the dictionary of a segment of numDocs documents. lengths is one
// code per document, nil when the field keeps none; docs and sumLength go into the
// statistics.
func (w *Writer) Finish(numDocs uint32, lengths []byte, docs uint32, sumLength uint64) error {
	var err error
	if !w.opts.Key {
		err = w.words()
	} else if err = w.keys.write(w.out, w.id(PartBytes), w.id(PartOffsets)); err == nil {
		err = w.keyParts(numDocs)
	}
	if err != nil {
		return fmt.Errorf("write terms: %w", err)
	}
	if w.opts.Lengths {
		w.section(PartLengths, lengths)
	}
	info := binary.AppendUvarint(nil, uint64(w.length))
	info = binary.AppendUvarint(info, uint64(docs))
	info = binary.AppendUvarint(info, sumLength)
	info = binary.AppendUvarint(info, w.sumFreq)
	w.section(PartInfo, info)
	return w.out.Err()
}
