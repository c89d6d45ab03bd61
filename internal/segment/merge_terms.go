package segment

import (
	"bytes"
	"fmt"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// termCursor stands at a term of one input.
type termCursor struct {
	input int
	field *terms.Field
	ord   uint32
	term  []byte
}

// cursors is a heap of cursors, the lowest term and then the first input on
// top.
type cursors []*termCursor

func (h cursors) less(i, j int) bool {
	if c := bytes.Compare(h[i].term, h[j].term); c != 0 {
		return c < 0
	}
	return h[i].input < h[j].input
}

// sink moves the top to its place.
func (h cursors) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h.less(child+1, child) {
			child++
		}
		if !h.less(child, i) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func (h *cursors) next() {
	c := (*h)[0]
	if c.ord++; c.ord < c.field.Len() {
		c.term = c.field.AppendTerm(c.term[:0], c.ord)
	} else {
		last := len(*h) - 1
		(*h)[0] = (*h)[last]
		*h = (*h)[:last]
	}
	h.sink(0)
}

// termMerger merges one Terms field.
type termMerger struct {
	*merger
	out    *terms.Writer
	codes  []byte
	seen   *bitset.Bitset // documents with a term; nil when known otherwise
	it     postings.Iterator
	deltas []uint32
}

func (m *merger) writeTerms(out *blockfile.Writer, owner uint32, f FieldOptions) (bool, error) {
	t := &termMerger{merger: m}
	var heap cursors
	var docs uint32
	var sumLength uint64
	whole := true
	for i, in := range m.inputs {
		field := in.Reader.Terms(f.Name)
		if field == nil {
			continue
		}
		docs += field.Stats().Docs
		sumLength += field.Stats().SumLength
		whole = whole && m.whole[i]
		if field.Len() > 0 {
			heap = append(heap, &termCursor{input: i, field: field, term: field.AppendTerm(nil, 0)})
		}
	}
	for i := len(heap) - 1; i >= 0; i-- {
		heap.sink(i)
	}
	if !whole {
		t.seen = bitset.New(m.docs)
	}
	if f.Lengths {
		var dropped uint64
		t.codes, dropped = m.lengthCodes(f.Name)
		sumLength -= min(dropped, sumLength)
	}
	t.out = terms.NewWriter(out, owner, f.terms())
	t.out.Postings().SetAverage(average(sumLength, docs))
	var term []byte
	for n := 0; len(heap) > 0; n++ {
		if n%1024 == 0 {
			if err := m.ctx.Err(); err != nil {
				return false, err
			}
		}
		term = append(term[:0], heap[0].term...)
		t.out.Begin()
		for len(heap) > 0 && bytes.Equal(heap[0].term, term) {
			if err := t.add(heap[0]); err != nil {
				return false, err
			}
			heap.next()
		}
		if err := t.out.End(term); err != nil {
			return false, err
		}
	}
	if t.seen != nil {
		docs = uint32(t.seen.Count())
	}
	return true, t.out.Finish(m.docs, t.codes, docs, sumLength)
}

// lengthCodes maps the length codes to the new numbers and sums up, as far as
// codes tell, the lengths of dropped documents.
func (m *merger) lengthCodes(name string) (codes []byte, dropped uint64) {
	codes = make([]byte, m.docs)
	for i, in := range m.inputs {
		field := in.Reader.Terms(name)
		if field == nil || field.Lengths() == nil {
			continue
		}
		for old, code := range field.Lengths() {
			if doc := m.docMap[i][old]; doc != NoDoc {
				codes[doc] = code
			} else {
				dropped += uint64(terms.DecodeLength(code))
			}
		}
	}
	return codes, dropped
}

// add copies the postings of the term a cursor stands at, block by block.
func (t *termMerger) add(c *termCursor) error {
	c.field.Iterator(&t.it, c.field.At(c.ord))
	p := t.out.Postings()
	docMap := t.docMap[c.input]
	for t.it.NextBlock() {
		docs, freqs := t.it.Docs(), t.it.Freqs()
		t.deltas = t.it.BlockDeltas(t.deltas)
		deltas := t.deltas
		for i, old := range docs {
			freq := int(freqs[i])
			if int(old) >= len(docMap) || len(t.deltas) > 0 && freq > len(deltas) {
				return blockfile.Corrupt(t.inputs[c.input].Reader.Name(), 0, "postings of term %q", c.term)
			}
			if doc := docMap[old]; doc != NoDoc {
				code := byte(0)
				if t.codes != nil {
					code = t.codes[doc]
				}
				p.Add(doc, freqs[i], code)
				if len(deltas) > 0 {
					p.Deltas(deltas[:freq])
				}
				if t.seen != nil {
					t.seen.Set(doc)
				}
			}
			if len(deltas) > 0 {
				deltas = deltas[freq:]
			}
		}
	}
	if err := t.it.Err(); err != nil {
		return fmt.Errorf("%w: %w", blockfile.Corrupt(t.inputs[c.input].Reader.Name(), 0, "postings of term %q", c.term), err)
	}
	return nil
}
