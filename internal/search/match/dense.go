package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Dense conjunction: as long as every match is wanted, frequent terms are read as the bits of a
// window and combined word by word (bitmap intersection; Culpepper, Moffat: Efficient set
// intersection for inverted indexing, TOIS 2010). The rank of a document among the bits of a
// term is the index of its frequency in the blocks, so that no documents are decoded or
// searched. Once there is a threshold, the block-max conjunction continues from the current
// window.
//
// Example, with a window of 8 documents:
//
//	red     0110 1101      frequencies 2 1 1 3 1
//	shoe    0011 0101      frequencies 1 2 1 4
//	both    0010 0101      documents 2, 5 and 7
//
// Document 5 is the fourth bit of red, with rank 3, and the third of shoe, with rank 2: its
// frequencies are 3 and 1.

// maxDense is the largest number of terms of a conjunction that are read as bits.
const maxDense = 8

// ranks walks the frequencies of a term along the bits of one window.
type ranks struct {
	it     *postings.Iterator
	bits   *Bits
	freqs  []uint32
	start  int // index in the current block of the first document of the window
	word   int // words counted so far
	before int // bits in those words
}

// newRanks positions the walk at the first document of the window. It returns false when the
// term has no documents from there on.
func newRanks(it *postings.Iterator, window *Bits, base uint32) (ranks, bool) {
	doc, index := it.Seek(base)
	if doc == postings.NoMoreDocs {
		return ranks{}, false
	}
	return ranks{it: it, bits: window, start: index, freqs: it.Freqs()}, true
}

// frequency returns how often the at-th document of the window holds the term. at must ascend
// from call to call and be among the term's bits.
func (r *ranks) frequency(at uint32) uint32 {
	w := int(at >> 6)
	for ; r.word < w; r.word++ {
		r.before += bits.OnesCount64(r.bits[r.word&(window.Words-1)])
	}
	place := r.start + r.before + bits.OnesCount64(r.bits[w&(window.Words-1)]&(1<<(at&63)-1))
	for place >= len(r.freqs) {
		skipped := len(r.freqs)
		if !r.it.NextBlock() {
			return 1
		}
		place -= skipped
		r.start -= skipped
		r.freqs = r.it.Freqs()
	}
	return r.freqs[place]
}

// addRanked adds the scores of a term to documents of a window that all hold it.
func (s *termStep) addRanked(window *Bits, base uint32, docs []uint32, sums []float64) {
	r, ok := newRanks(&s.scorer, window, base)
	if !ok {
		return
	}
	for i, doc := range docs {
		sums[i] += float64(s.scoreAt(doc, r.frequency(doc-base)))
	}
}

// walkDense walks a conjunction window by window: it combines the bits of all terms first and
// scores what is left.
func (s *Scanner) walkDense(ctx context.Context, c conjunction, from, to uint32, sink Sink) error {
	done := ctx.Done()
	terms := append([]*termStep{c.lead}, c.others...)
	windows := make([]Bits, len(terms))
	out := &s.scratch.batch
	var left, other Bits
	for base := from &^ (Span - 1); base < to; base += Span {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		if sink.Prunes() && sink.Threshold() > 0 {
			return s.walkConjunction(ctx, c, base, to, sink)
		}
		next := c.nextInSets(c.lead.next(base))
		if next >= to {
			return nil
		}
		base = next &^ (Span - 1)
		if sink.Prunes() && sink.SkipsWindow(base) {
			s.passOver()
			continue
		}
		windows[0] = Bits{}
		c.lead.finder().IntoBitset(windows[0][:], base)
		left = windows[0]
		s.mask.narrow(base, &left)
		for _, set := range c.sets {
			set.Window(base, &other)
			left.And(&other)
		}
		for i, t := range terms[1:] {
			windows[i+1] = Bits{}
			t.finder().IntoBitset(windows[i+1][:], base)
			left.And(&windows[i+1])
		}
		if s.sums == nil {
			if !left.Empty() && !sink.Take(base, &left, nil) {
				s.skipped = true
				return nil
			}
			continue
		}
		if out.FillMarked(base, &left); len(out.Docs) == 0 {
			continue
		}
		for i, t := range terms {
			if t.table != nil {
				t.addRanked(&windows[i], base, out.Docs, out.Sums)
			}
		}
		if !out.pass(sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}
