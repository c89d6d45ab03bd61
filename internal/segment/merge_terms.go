package segment

import (
	"bytes"
	"context"
	"fmt"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// termCursor is positioned at a term of one input.
type termCursor struct {
	input int
	field *terms.Field
	ord   uint32
	term  []byte
	moved []uint32 // by number of a term: its number in the merged field; nil without surface forms
}

// noTerm marks a term that no document of the merged field contains.
const noTerm = ^uint32(0)

// cursors is a heap ordered by term and then by input, the lowest on top.
type cursors []*termCursor

func (h cursors) less(i, j int) bool {
	if c := bytes.Compare(h[i].term, h[j].term); c != 0 {
		return c < 0
	}
	return h[i].input < h[j].input
}

// sink restores the heap below position i.
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
	seen   *bitset.Bitset // documents with a term; nil when their number is known otherwise
	it     postings.Iterator
	deltas []uint32
}

func (m *merger) writeTerms(ctx context.Context, out *blockfile.Writer, owner uint32, f FieldOptions) (bool, error) {
	t := &termMerger{merger: m}
	var heap cursors
	var spelled []*termCursor // inputs with surface forms
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
			c := &termCursor{input: i, field: field, term: field.AppendTerm(nil, 0)}
			heap = append(heap, c)
			if field.NumForms() > 0 {
				c.moved = make([]uint32, field.Len())
				spelled = append(spelled, c)
			}
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
	var moved []*uint32
	for n := 0; len(heap) > 0; n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return false, err
			}
		}
		term = append(term[:0], heap[0].term...)
		t.out.Begin()
		moved = moved[:0]
		for len(heap) > 0 && bytes.Equal(heap[0].term, term) {
			c := heap[0]
			if err := t.add(c); err != nil {
				return false, err
			}
			if c.moved != nil {
				moved = append(moved, &c.moved[c.ord])
			}
			heap.next()
		}
		to := noTerm
		if t.out.Postings().DocFreq() > 0 {
			to = t.out.Len()
		}
		for _, m := range moved {
			*m = to
		}
		if err := t.out.End(term); err != nil {
			return false, err
		}
	}
	if err := t.writeForms(ctx, spelled); err != nil {
		return false, err
	}
	if t.seen != nil {
		docs = uint32(t.seen.Count())
	}
	return true, t.out.Finish(m.docs, t.codes, docs, sumLength)
}

// lengthCodes maps the length codes to the new document numbers, and sums the
// lengths of dropped documents as precisely as codes allow. The codes are valid
// until the next call.
func (m *merger) lengthCodes(name string) (codes []byte, dropped uint64) {
	if m.codes == nil {
		m.codes = make([]byte, m.docs)
	}
	codes = m.codes
	clear(codes)
	for i, in := range m.inputs {
		field := in.Reader.Terms(name)
		if field == nil || field.Lengths() == nil {
			continue
		}
		if m.whole[i] {
			copy(codes[m.bases[i]:], field.Lengths())
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

// add copies the postings of the cursor's term, block by block.
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

// writeForms merges the surface forms of the inputs. Forms of terms that no
// document contains any more are dropped; if inputs map a form to different terms,
// the first input wins.
func (t *termMerger) writeForms(ctx context.Context, spelled []*termCursor) error {
	heap := cursors(spelled)
	for _, c := range heap {
		c.ord = 0
		c.readForm()
	}
	for i := len(heap) - 1; i >= 0; i-- {
		heap.sink(i)
	}
	var last []byte
	for n := 0; len(heap) > 0; n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		c := heap[0]
		_, old := c.field.Form(int(c.ord))
		if to := c.moved[old]; to != noTerm && !bytes.Equal(c.term, last) {
			last = append(last[:0], c.term...)
			if err := t.out.Form(c.term, to); err != nil {
				return err
			}
		}
		if c.ord++; int(c.ord) < c.field.NumForms() {
			c.readForm()
		} else {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		heap.sink(0)
	}
	return nil
}

// readForm loads the surface form at the cursor's position.
func (c *termCursor) readForm() {
	form, _ := c.field.Form(int(c.ord))
	c.term = append(c.term[:0], form...)
}
