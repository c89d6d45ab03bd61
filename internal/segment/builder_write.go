package segment

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/points"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/segment/vectors"
)

// empty reports whether no document has a value (SG3).
func (f *builderField) empty() bool {
	if f.Kind == Terms {
		return f.dict.count == 0 && f.sumLen == 0
	}
	return len(f.docs) == 0
}

// write writes the field as the given owner.
func (f *builderField) write(out *blockfile.Writer, owner uint32, b *Builder) error {
	switch f.Kind {
	case Terms:
		return f.writeTerms(out, owner, b)
	case Numbers:
		return f.writeNumbers(out, owner, b.docs)
	case Ordinals:
		return f.writeOrdinals(out, owner, b.docs)
	case Geo:
		return f.writeGeo(out, owner, b.docs)
	}
	return f.writeVectors(out, owner)
}

func (f *builderField) writeVectors(out *blockfile.Writer, owner uint32) error {
	out.Begin(blockfile.ID{Owner: owner, Part: columns.PartValues})
	return vectors.Write(context.Background(), out, f.Vectors, f.docs, f.vectors, 0)
}

func (f *builderField) writeTerms(out *blockfile.Writer, owner uint32, b *Builder) error {
	var codes []byte
	if f.Lengths {
		codes = b.zeroCodes()
		for i, doc := range f.docs {
			codes[doc] = terms.EncodeLength(f.lengths[i])
		}
	}
	w := terms.NewWriter(out, owner, f.terms())
	p := w.Postings()
	p.SetAverage(average(f.sumLen, f.withDoc))
	d := chainDecoder{out: p, codes: codes}
	var ords []uint32 // of terms, by their number in the builder
	if f.forms != nil {
		ords = make([]uint32, f.dict.count)
	}
	for ids := range slices.Chunk(f.dict.sorted(), AheadTerms) {
		b.ask(f.dict, ids)
		for _, id := range ids {
			e := f.dict.entry(id)
			if ords != nil {
				ords[id] = w.Len()
			}
			w.Begin()
			d.data = b.chains.appendTo(d.data[:0], &e.chain)
			ok := true
			switch {
			case f.Positions:
				ok = d.positions()
			case f.Freqs:
				ok = d.freqs(e.last)
			default:
				ok = d.docs()
			}
			if !ok {
				return errChain
			}
			if err := w.End(f.dict.keyOf(e)); err != nil {
				return err
			}
		}
	}
	if err := f.writeForms(w, ords); err != nil {
		return err
	}
	return w.Finish(b.docs, codes, f.withDoc, f.sumLen)
}

// zeroCodes returns a zero for every document, valid until the next call.
func (b *Builder) zeroCodes() []byte {
	if b.codes == nil {
		b.codes = make([]byte, b.docs)
	}
	clear(b.codes)
	return b.codes
}

// writeForms writes the surface forms of the terms.
func (f *builderField) writeForms(w *terms.Writer, ords []uint32) error {
	if f.forms == nil {
		return nil
	}
	for _, id := range f.forms.sorted() {
		e := f.forms.entry(id)
		if err := w.Form(f.forms.keyOf(e), ords[e.doc]); err != nil {
			return err
		}
	}
	return nil
}

// ask prefetches the chains of terms. The loads of one pass are independent of each
// other.
func (b *Builder) ask(d *dictionary, ids []uint32) {
	for i, id := range ids {
		b.ahead[i] = d.entry(id).head
	}
	var touched uint32
	for _, at := range b.ahead[:len(ids)] {
		touched += uint32(b.chains.chunks[at>>chunkShift][at&(chunkBytes-1)])
	}
	b.touched += touched // so that the loads are not optimized away
}

// average returns the average length of the documents that have the field.
func average(sum uint64, docs uint32) float64 { return float64(sum) / float64(max(docs, 1)) }

// chainDecoder converts a chain of occurrences to postings.
type chainDecoder struct {
	out   *postings.Writer
	codes []byte
	data  []byte
	steps []uint32
}

func (d *chainDecoder) code(doc uint32) byte {
	if int(doc) < len(d.codes) {
		return d.codes[doc]
	}
	return 0
}

// varint decodes the number at an offset and returns the offset after it; next is
// -1 when there is none.
func varint(b []byte, at int) (v uint64, next int) {
	if at < len(b) && b[at] < 0x80 {
		return uint64(b[at]), at + 1
	}
	v, n := binary.Uvarint(b[min(at, len(b)):])
	if n <= 0 {
		return 0, -1
	}
	return v, at + n
}

func (d *chainDecoder) positions() bool {
	doc, at := uint32(0), 0
	steps := d.steps[:0]
	for at < len(d.data) {
		v, next := varint(d.data, at)
		if next < 0 {
			return false
		}
		at = next
		if v&1 == 0 {
			steps = append(steps, uint32(v>>1))
			continue
		}
		if len(steps) > 0 {
			d.out.Add(doc, uint32(len(steps)), d.code(doc))
			d.out.Deltas(steps)
			steps = steps[:0]
		}
		step, next := varint(d.data, at)
		if next < 0 {
			return false
		}
		at = next
		doc += uint32(step)
		steps = append(steps, uint32(v>>1))
	}
	d.out.Add(doc, uint32(len(steps)), d.code(doc))
	d.out.Deltas(steps)
	d.steps = steps
	return len(steps) > 0
}

func (d *chainDecoder) freqs(last uint32) bool {
	doc, at := uint32(0), 0
	for {
		step, next := varint(d.data, at)
		if next < 0 {
			return false
		}
		doc += uint32(step)
		if next == len(d.data) {
			d.out.Add(doc, last, d.code(doc))
			return true
		}
		freq, next := varint(d.data, next)
		if next < 0 {
			return false
		}
		at = next
		d.out.Add(doc, uint32(freq), d.code(doc))
	}
}

func (d *chainDecoder) docs() bool {
	doc, at := uint32(0), 0
	for at < len(d.data) {
		step, next := varint(d.data, at)
		if next < 0 {
			return false
		}
		at = next
		doc += uint32(step)
		d.out.Add(doc, 1, d.code(doc))
	}
	return true
}

func (f *builderField) writeNumbers(out *blockfile.Writer, owner, docs uint32) error {
	w := columns.NewNumbersWriter(out, owner, docs, f.Multi)
	for i, doc := range f.docs {
		w.Add(doc, f.numbers[i])
	}
	if _, err := w.Finish(); err != nil || !f.Points {
		return err
	}
	var p points.NumbersWriter
	for i, doc := range f.docs {
		if !f.Multi && i+1 < len(f.docs) && f.docs[i+1] == doc {
			continue
		}
		p.Add(doc, f.numbers[i])
	}
	return p.Finish(out, owner)
}

func (f *builderField) writeOrdinals(out *blockfile.Writer, owner, docs uint32) error {
	// A value that was replaced before its document ended is not used.
	used := make([]bool, f.dict.count)
	for _, id := range f.ids {
		used[id] = true
	}
	w := columns.NewOrdinalsWriter(out, owner, docs, f.Multi)
	ords := make([]uint32, f.dict.count)
	for _, id := range f.dict.sorted() {
		if used[id] {
			ords[id] = w.Value(f.dict.key(id))
		}
	}
	for i, doc := range f.docs {
		w.Add(doc, ords[f.ids[i]])
	}
	return w.Finish()
}

func (f *builderField) writeGeo(out *blockfile.Writer, owner, docs uint32) error {
	w := columns.NewGeoWriter(out, owner, docs, f.Multi)
	var p points.GeoWriter
	for i, doc := range f.docs {
		w.Add(doc, f.points[i])
		if f.Points {
			p.Add(doc, f.points[i])
		}
	}
	if err := w.Finish(); err != nil || !f.Points {
		return err
	}
	return p.Finish(out, owner)
}
