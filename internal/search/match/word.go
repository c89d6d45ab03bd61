package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// wordStep matches the documents that hold a word, as typed or in another reading. Each
// document is scored by the nearest band that it is in; if the word as typed is also the start
// of longer ones, the better of the two scores counts.
type wordStep struct {
	whole     step  // the word as typed: a term, a sum or nothing
	start     *band // words that start as typed; nil when there are none
	bands     []*band
	isKnown   bool         // some segment holds the word as typed
	expansion *expansion   // provides the number of matches; nil when unavailable
	expanded  *terms.Field // field of the terms of the expansion

	memory []*band // bands of this and earlier searches, for reuse
	used   int     // number of bands in use

	one       Sums             // all zero between runs
	busy      bool             // in the middle of a run
	held      [maxWindows]Bits // matches of runTyped in the current windows
	left, tmp Bits
}

// flatQuality is the quality of documents that are not told apart.
const flatQuality = 0.5

// word returns the step of a word.
func (b *binder) word(ctx context.Context, n *plan.Word, factor float64) (step, error) {
	stats := b.view.preparedWord(n)
	weight := 0.0
	if b.scoring {
		weight = factor * stats.mean * stats.idf
	}
	whole := b.whole(n, stats, weight, factor)
	s := b.newWord()
	s.whole, s.isKnown = whole, stats.isKnown
	b.reading, b.found = n, b.found[:0]
	defer func() { b.reading = nil }()
	for i := range n.Bands {
		of := &stats.bands[i]
		if of.idf == 0 {
			continue // no segment has a document in the band
		}
		band := s.newBand()
		if err := b.band(ctx, band, n, &n.Bands[i]); err != nil {
			return nil, err
		}
		if len(band.fields) == 0 {
			continue
		}
		if b.scoring && factor*stats.mean > 0 {
			band.scoreBy(stats.curve(n, i, factor), of.isFlat)
		}
		if stats.isKnown && n.Bands[i].Start && n.Bands[i].Edits == 0 {
			s.start = band
		} else {
			s.bands = append(s.bands, band)
		}
	}
	_, never := whole.(noStep)
	switch {
	case s.start == nil && len(s.bands) == 0:
		return whole, nil
	case never && s.start != nil:
		s.bands, s.start = append([]*band{s.start}, s.bands...), nil
	}
	if b.scoring && weight == 0 && !never {
		// Synonyms that only match: the matches are kept for the run that scores the bands.
		s.whole = &constantStep{step: whole}
	}
	if len(n.Fields) == 1 && len(n.Fields[0].Terms) == 1 {
		s.expansion, s.expanded = b.widest(ctx, n)
	}
	return s, nil
}

// whole returns the step of the word as typed.
func (b *binder) whole(n *plan.Word, stats *wordStats, weight, factor float64) step {
	if len(n.Fields) == 1 && len(n.Fields[0].Terms) == 1 {
		f := &n.Fields[0]
		t := b.held(f.Structure, f.Terms[0].Text)
		if t == nil {
			return noStep{}
		}
		if boost := f.Terms[0].Boost; weight > 0 && boost > 0 {
			t.scoreBy(b.view.table(f.Structure, score.Form{Length: f.Length, Words: n.Words}), weight*boost, false)
		}
		return t
	}
	s := b.newSum()
	for i := range n.Fields {
		f := &n.Fields[i]
		for _, term := range f.Terms {
			t := b.held(f.Structure, term.Text)
			switch {
			case t == nil:
			case weight == 0 || term.Boost*f.Weight == 0:
				s.silent.steps = append(s.silent.steps, t)
			default:
				t.scoreBy(b.view.table(f.Structure, score.Form{Length: f.Length, Weight: f.Weight}), term.Boost, false)
				alone := b.view.table(f.Structure, score.Form{Length: f.Length, Weight: f.Weight * term.Boost, Mean: stats.mean, Words: n.Words})
				s.parts = append(s.parts, sumPart{t, alone, b.view.tables.sharesOf(f.Length)})
			}
		}
	}
	switch {
	case len(s.parts)+len(s.silent.steps) == 0:
		return noStep{}
	case weight == 0:
		return s.silent.smallest()
	}
	s.scoreBy(newCurve(weight, stats.mean, n.Words), weight)
	return s
}

// held returns the step of a term, nil when no document of the segment holds it.
func (b *binder) held(structure, text string) *termStep {
	entry := b.view.preparedTerm(structure, text).entries[b.number]
	if entry.DocFreq == 0 {
		return nil
	}
	return b.newTerm(b.segment.Reader.Terms(structure), entry)
}

// widest returns the expansion that contains every reading of a word of one term, and the field
// of its terms; nil when there is none.
func (b *binder) widest(ctx context.Context, n *plan.Word) (*expansion, *terms.Field) {
	widest := widestOf(n)
	if widest == nil {
		return nil, nil
	}
	e, err := b.expansion(ctx, widest)
	if err != nil {
		return nil, nil
	}
	return e, b.segment.Reader.Terms(widest.Structure)
}

// widestOf returns the node of the expansion that contains every reading of a word of one term;
// nil when there is none.
func widestOf(n *plan.Word) (widest *plan.Expand) {
	for i := range n.Bands {
		for _, in := range n.Bands[i].In {
			if in.Prefix != nil {
				return nil
			}
			if widest == nil || in.Near.Prefix {
				widest = in.Near
			}
		}
	}
	return widest
}

func (s *wordStep) run(base uint32, in, out *Bits, sums *Sums) {
	if sums == nil {
		s.whole.run(base, in, out, nil)
		if s.start != nil {
			s.start.run(base, in, &s.tmp, nil)
			out.Or(&s.tmp)
		}
		for _, b := range s.bands {
			b.run(base, in, &s.tmp, nil)
			out.Or(&s.tmp)
		}
		return
	}
	s.runTyped(base, in, out, sums)
	if len(s.bands) > 0 {
		var banded Bits
		s.runBands(base, in, &banded, sums)
		out.Or(&banded)
	}
}

// runTyped scores the word as typed and, if that counts separately, as the start of longer
// ones.
func (s *wordStep) runTyped(base uint32, in, out *Bits, sums *Sums) {
	if s.start == nil {
		s.whole.run(base, in, out, sums)
	} else {
		s.busy = true
		s.whole.run(base, in, out, &s.one)
		s.start.run(base, in, &s.tmp, &s.one)
		out.Or(&s.tmp)
		s.add(out, sums)
		s.busy = false
	}
	*s.heldIn(base) = *out
}

// heldIn returns what runTyped matched in the window that starts at base.
func (s *wordStep) heldIn(base uint32) *Bits { return &s.held[base/Span%maxWindows] }

// runBands scores the other readings in documents that runTyped did not match.
func (s *wordStep) runBands(base uint32, in, out *Bits, sums *Sums) {
	s.busy = true
	*out = Bits{}
	s.left = *in
	s.left.AndNot(s.heldIn(base))
	for _, b := range s.bands {
		b.run(base, &s.left, &s.tmp, &s.one)
		out.Or(&s.tmp)
		s.left.AndNot(&s.tmp)
		s.add(&s.tmp, sums)
	}
	s.busy = false
}

// add moves the scores of the given documents from one to sums.
func (s *wordStep) add(found *Bits, sums *Sums) {
	for i, w := range found {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			sums[at] += s.one[at]
			s.one[at] = 0
		}
	}
}

func (s *wordStep) bound(from, to uint32) float64 {
	return max(s.boundTyped(from, to), s.boundBands())
}

func (s *wordStep) boundTyped(from, to uint32) float64 {
	top := s.whole.bound(from, to)
	if s.start != nil {
		top = max(top, s.start.top)
	}
	return top
}

func (s *wordStep) boundBands() float64 {
	top := 0.0
	for _, b := range s.bands {
		top = max(top, b.top)
	}
	return top
}

func (s *wordStep) next(from uint32) uint32 {
	at := s.whole.next(from)
	if s.start != nil && at > from {
		at = min(at, s.start.next(from))
	}
	for _, b := range s.bands {
		if at == from {
			break
		}
		at = min(at, b.next(from))
	}
	return at
}

func (s *wordStep) cost() int {
	total := s.whole.cost()
	if s.start != nil {
		total += s.start.cost()
	}
	for _, b := range s.bands {
		total += b.cost()
	}
	return total
}
