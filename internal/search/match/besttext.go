package match

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// MAXSCORE over the words of a text, window by window (Turtle, Flood: Query
// evaluation: strategies and optimizations, 1995). Words whose bounds together
// do not reach the threshold are not essential: they make no hit by themselves
// and are only looked up for the documents of the others. What a text adds
// beside its words, such as pairs, is looked up last.
//
// Example: the threshold is 6, a window bounds "canon" by 5, "camera" by 3, its
// typos by 0.1, the pair by 2. Typos and pair together stay below 6, with
// "camera" they do not reach it either: 0.1 + 2 + 3 = 5.1. So the documents of
// "canon" alone are read, those that score above 6 − 5.1 are looked up in
// "camera", what is left among the typos, and of what then scores above 4
// positions are read.

// text is a root that is a union of words, with what narrows it and what adds
// to it.
type text struct {
	narrow []step
	words  []step
	extras []step
	parts  []textPart // of the window looked at, by bound
}

// textPart is a word, or one side of it, in a window.
type textPart struct {
	step  step
	side  side
	bound float64
}

// side is what of a word is looked at.
type side uint8

const (
	wholeWord side = iota // all readings
	asTyped               // and completions
	inBands               // what is not as typed
)

// textOf takes a root apart. It returns nil when that is not a text with a word
// that has several fields or readings.
func textOf(root step) *text {
	t := &text{}
	if and, ok := root.(*andStep); ok {
		if len(and.scoring) != 1 {
			return nil
		}
		root = and.scoring[0]
		for _, c := range and.steps {
			if c != root {
				t.narrow = append(t.narrow, c)
			}
		}
		t.extras = and.optional
	}
	if or, ok := root.(*orStep); ok {
		t.words = or.steps
	} else {
		t.words = []step{root}
	}
	isText := slices.ContainsFunc(t.words, func(c step) bool {
		switch c.(type) {
		case *sumStep, *wordStep:
			return true
		}
		return false
	})
	if !isText {
		return nil
	}
	return t
}

func (p *textPart) run(base uint32, in, out *Bits, sums *Sums) {
	switch p.side {
	case asTyped:
		p.step.(*wordStep).runTyped(base, in, out, sums)
	case inBands:
		p.step.(*wordStep).runBands(base, in, out, sums)
	default:
		p.step.run(base, in, out, sums)
	}
}

// bounds leaves the parts of the words in a window by rising bound, and returns
// the sum of the bounds.
func (t *text) bounds(from, to uint32) (total float64) {
	t.parts = t.parts[:0]
	for _, c := range t.words {
		if w, ok := c.(*wordStep); ok && len(w.bands) > 0 {
			w.held = Bits{}
			typed, banded := w.boundTyped(from, to), w.boundBands()
			if typed > banded {
				t.parts = append(t.parts, textPart{c, asTyped, typed}, textPart{c, inBands, banded})
				total += typed + banded
				continue
			}
		}
		p := textPart{c, wholeWord, c.bound(from, to)}
		t.parts = append(t.parts, p)
		total += p.bound
	}
	slices.SortStableFunc(t.parts, func(a, b textPart) int { return cmp.Compare(a.bound, b.bound) })
	return total
}

// isFlat reports whether the text is one word that no document holds as typed:
// the bound of its readings is the same everywhere.
func (t *text) isFlat() bool {
	if len(t.words) != 1 || len(t.extras) > 0 {
		return false
	}
	w, ok := t.words[0].(*wordStep)
	if !ok {
		return false
	}
	_, never := w.whole.(noStep)
	return never
}

// bestOfText walks a text window by window.
func (s *Scanner) bestOfText(ctx context.Context, t *text, from, to uint32, sink Sink) error {
	done := ctx.Done()
	for base := from; base < to; base += Span {
		select {
		case <-done:
			return context.Cause(ctx)
		default:
		}
		if word := s.wordAlone(sink); word != nil {
			return s.bestOfTerm(ctx, word, base, to, sink)
		}
		next := earliest(t.words, base)
		for _, c := range t.narrow {
			next = max(next, c.next(base))
		}
		if next >= to {
			return nil
		}
		base = next &^ (Span - 1)
		threshold := sink.Floor()
		if t.isFlat() && t.words[0].bound(base, to) <= threshold {
			s.skipped = true
			return nil // what follows is bounded by the same score
		}
		total := t.bounds(base, base+Span)
		extra := 0.0
		for _, c := range t.extras {
			extra += c.bound(base, base+Span)
		}
		if total+extra <= threshold || sink.SkipsWindow(base) {
			s.skipped = true
			continue
		}
		if !s.textWindow(t, base, extra, threshold, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// textWindow hands the documents of a window over that may exceed the
// threshold.
func (s *Scanner) textWindow(t *text, base uint32, extra, threshold float64, sink Sink) bool {
	in, found, sums := &s.room.in, &s.room.out, s.sums
	s.mask.window(base, in)
	var tmp Bits
	for _, c := range t.narrow {
		c.run(base, in, &tmp, nil)
		*in = tmp
	}
	rest, helpers := extra, 0
	for helpers < len(t.parts)-1 && rest+t.parts[helpers].bound <= threshold {
		rest += t.parts[helpers].bound
		helpers++
	}
	s.skipped = s.skipped || helpers > 0 // what they alone hold is not seen
	s.room.dirty = true
	essential := t.parts[helpers:]
	*found = Bits{}
	if len(essential) == 1 && essential[0].leads(base, in, found, sums, threshold-rest) {
		s.skipped = true
	} else {
		for i := len(essential) - 1; i >= 0; i-- {
			essential[i].run(base, in, &tmp, sums)
			found.Or(&tmp)
		}
	}
	s.keepAbove(found, sums, threshold-rest)
	for i := helpers - 1; i >= 0 && !found.Empty(); i-- {
		p := &t.parts[i]
		if p.bound == 0 {
			continue
		}
		p.run(base, found, &tmp, sums)
		rest = max(extra, rest-p.bound)
		s.keepAbove(found, sums, threshold-rest)
	}
	for _, c := range t.extras {
		if found.Empty() {
			break
		}
		if c.bound(base, base+Span) > 0 {
			c.run(base, found, &tmp, sums)
		}
	}
	goesOn := found.Empty() || sink.Take(base, found, sums)
	s.room.dirty = false // the sink has cleared what it took
	return goesOn
}

// keepAbove drops the documents that do not score above least, and sets their
// scores to zero.
func (s *Scanner) keepAbove(found *Bits, sums *Sums, least float64) {
	if least <= 0 {
		return
	}
	for i, w := range found {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			if sums[at] <= least {
				sums[at] = 0
				found[i] &^= 1 << (at & 63)
				s.skipped = true
			}
		}
	}
}

// leads runs a part that is the only essential one; documents that do not
// score above least may be left out. It reports false when it did nothing.
func (p *textPart) leads(base uint32, in, found *Bits, sums *Sums, least float64) bool {
	sum, _ := p.step.(*sumStep)
	w, _ := p.step.(*wordStep)
	if p.side == asTyped && w.start == nil {
		sum, _ = w.whole.(*sumStep)
	}
	if sum == nil || len(sum.silent.steps) > 0 || !sum.isDense(in) {
		return false
	}
	sum.lead(base, in, found, sums, least)
	if w != nil {
		w.held = *found
	}
	return true
}

// wordAlone returns the term of a word as typed when the root is one word and
// its other readings do not exceed the threshold: then they make no hit, and
// count nothing in documents that hold the word as typed and exceed it.
func (s *Scanner) wordAlone(sink Sink) *termStep {
	w, ok := s.root.(*wordStep)
	if !ok {
		return nil
	}
	term, ok := w.whole.(*termStep)
	if !ok || term.table == nil {
		return nil
	}
	others := w.boundBands()
	if w.start != nil {
		others = max(others, w.start.top)
	}
	if others > sink.Floor() {
		return nil
	}
	s.skipped = true
	return term
}
