package match

import (
	"cmp"
	"context"
	"slices"
)

// Filtered union: a union of terms behind filters that leave few documents. The remaining
// documents are looked up in the terms, the strongest first, as long as a document can still
// exceed the threshold. A sparse set is taken a block's worth at a time; other filters are
// combined as the bits of a window.
//
// Example: brand = acme leaves the documents 4, 90 and 700 of a window, and the text asks for
// "red" or "canon" with the threshold at 3. "canon", bounded by 5, adds 4.1 to document 90. The
// remaining bound, 2.8 for "red", cannot lift 4 and 700 above 3: "red" is looked up for
// document 90 alone.

// walkFilteredUnion walks the documents that filters leave.
func (s *Scanner) walkFilteredUnion(ctx context.Context, terms []*termStep, narrow *conjunction, from, to uint32, sink Sink) error {
	done := ctx.Done()
	var boundsBuffer [fewBounds]float64
	bounds := boundsOf(boundsBuffer[:], len(terms))
	slices.SortStableFunc(terms, func(a, b *termStep) int { return cmp.Compare(a.maxScore, b.maxScore) })
	out := &s.scratch.batch
	at := leftCandidates{narrow: narrow, mask: &s.mask, from: from, to: to}
	if narrow.listed != nil {
		at.first, _ = slices.BinarySearch(narrow.listed, from)
	}
	for {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		begin, end := at.next()
		if begin >= end {
			return nil
		}
		threshold := thresholdNow(sink)
		rest := boundAll(terms, bounds, begin, end)
		if rest <= threshold || narrow.listed == nil && sink.Prunes() && sink.SkipsWindow(begin) {
			at.pass(end)
			s.passOver()
			continue
		}
		at.fill(out, begin, end)
		if narrow.listed != nil && sink.Prunes() && out.keepWindows(sink) {
			s.passOver()
		}
		s.scoreRest(*narrow, 0)
		found := len(out.Docs)
		for i := len(terms) - 1; i >= 0 && len(out.Docs) > 0; i-- {
			rest = max(0, rest-bounds[i])
			terms[i].addHeld(out, rest, threshold)
		}
		s.skipped = s.skipped || threshold >= 0 && len(out.Docs) < found
		if out.keepScored(); len(out.Docs) > 0 && !out.send(&s.mask, sink) {
			s.skipped = true
			return nil
		}
	}
}

// leftCandidates walks the documents that the filters of a union leave.
type leftCandidates struct {
	narrow   *conjunction
	mask     *mask
	from, to uint32
	first    int // next index in a leading sparse set
	bits     Bits
}

// next returns the next range of documents, an empty one at the end.
func (c *leftCandidates) next() (begin, end uint32) {
	n := c.narrow
	if n.listed != nil {
		if c.first >= len(n.listed) || n.listed[c.first] >= c.to {
			return 0, 0
		}
		docs := n.listed[c.first:min(c.first+chunk, len(n.listed))]
		return docs[0], min(docs[len(docs)-1]+1, c.to)
	}
	begin = n.nextInSets(c.from)
	if len(n.others) > 0 && begin < c.to {
		begin = n.others[0].next(begin)
	}
	if begin >= c.to {
		return 0, 0
	}
	begin &^= Span - 1
	return begin, begin + Span
}

// pass skips the documents of a range.
func (c *leftCandidates) pass(end uint32) {
	if c.narrow.listed != nil {
		c.first += chunk
	}
	c.from = end
}

// fill makes the batch the documents of a range that the sets and terms leave.
func (c *leftCandidates) fill(out *batch, begin, end uint32) {
	n := c.narrow
	if n.listed != nil {
		docs := n.listed[c.first:min(c.first+chunk, len(n.listed))]
		if docs[len(docs)-1] >= end {
			last, _ := slices.BinarySearch(docs, end)
			docs = docs[:last]
		}
		out.Fill(docs)
		for _, set := range n.sets {
			out.keepIn(set)
		}
		for _, t := range n.others {
			t.keepHeld(out, 0, 0)
		}
	} else {
		left, other := &c.bits, Bits{}
		c.mask.window(begin, left)
		for _, set := range n.sets {
			set.Window(begin, &other)
			left.And(&other)
		}
		for _, t := range n.others {
			other = Bits{}
			t.finder().IntoBitset(other[:], begin)
			left.And(&other)
		}
		out.FillMarked(begin, left)
	}
	c.pass(end)
}

// keepWindows drops the documents of windows that a sink skips, and reports whether there were
// any.
func (b *batch) keepWindows(sink Sink) (dropped bool) {
	kept := 0
	base, skips := NoMore, false
	for i, doc := range b.Docs {
		if at := doc &^ (Span - 1); at != base {
			base, skips = at, sink.SkipsWindow(at)
		}
		if skips {
			dropped = true
			continue
		}
		b.Docs[kept], b.Sums[kept] = doc, b.Sums[i]
		kept++
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
	return dropped
}

// keepScored drops documents without a score. Every term scores above zero, so such a document
// holds none of them.
func (b *batch) keepScored() {
	kept := 0
	for i, sum := range b.Sums {
		if sum > 0 {
			b.Docs[kept], b.Sums[kept] = b.Docs[i], sum
			kept++
		}
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
}
