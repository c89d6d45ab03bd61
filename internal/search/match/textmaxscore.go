package match

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/score"
)

// MAXSCORE over the words of a text, a window or a few at a time (Turtle, Flood: Query
// evaluation: strategies and optimizations, 1995). Words whose bounds together
// do not reach the threshold are not essential: they make no hit by themselves
// and are only looked up for the documents of the others. What a text adds
// beside its words, such as pairs, is looked up last. Where all words are
// required, the rarest leads and the others are looked up.
//
// Example: the threshold is 6, a window bounds "canon" by 5, "camera" by 3, its
// typos by 0.1, the pair by 2. Typos and pair together stay below 6, with
// "camera" they do not reach it either: 0.1 + 2 + 3 = 5.1. So the documents of
// "canon" alone are read, and of those only blocks whose bounds exceed
// 6 − 5.1; they are looked up in "camera", what is left among the typos, and of
// what then scores above 4 positions are read. Where few documents of the window
// hold both words of the pair, say 17 and 90, these two are looked at whatever they
// score, and for the others the pair adds nothing: 0.1 + 3 = 3.1, so of "canon"
// only blocks above 6 − 3.1 are read.

// text is a root of several words, with what narrows it and what adds to it.
type text struct {
	words    []textWord // the lowest maximum score first; the rarest first where all are required
	required bool       // a hit holds all words
	narrow   []step
	extras   []step
	bounds   []float64  // of the extras in the windows looked at
	most     float64    // what they add at most
	parts    []textPart // of the windows looked at
	isPaired bool       // pairs are all that adds to it, and any word will do
	paired   []paired   // documents of the windows that a pair adds to, where they are few; rising
	bonus    float64    // what pairs add to any of these at most
}

// paired is a document that pairs add to, and how much at most.
type paired struct {
	doc   uint32
	bonus float64
}

// textWord is a word of a text.
type textWord struct {
	step
	maxScore float64
}

// textPart is a word, or one side of it, in a window.
type textPart struct {
	step  step
	side  side
	bound float64
	term  *termStep // that it is, or nil
	sum   *sumStep  // as well

	byBlock bool // of bands: the word as typed is scored by the block
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
	if !hasWord(root) {
		return nil
	}
	t := &text{}
	words := []step{root}
	if and, ok := root.(*andStep); ok {
		if len(and.scoring) == 0 {
			return nil
		}
		words = and.scoring
		t.required = len(words) > 1
		for _, c := range and.steps {
			if !slices.Contains(words, c) {
				t.narrow = append(t.narrow, c)
			}
		}
		t.extras = and.optional
	}
	if or, ok := words[0].(*orStep); ok && !t.required {
		words = or.steps
	}
	for _, c := range words {
		t.words = append(t.words, textWord{c, maxScoreOf(c)})
	}
	slices.SortStableFunc(t.words, func(a, b textWord) int {
		if t.required {
			return cmp.Compare(a.cost(), b.cost())
		}
		return cmp.Compare(a.maxScore, b.maxScore)
	})
	t.isPaired = !t.required
	for _, c := range t.extras {
		t.most += maxScoreOf(c)
		_, ok := c.(*pairStep)
		t.isPaired = t.isPaired && ok
	}
	return t
}

// hasWord reports whether a root is a word that has several fields or readings,
// or a text with one.
func hasWord(root step) bool {
	switch s := root.(type) {
	case *andStep:
		if len(s.scoring) == 1 {
			return hasWord(s.scoring[0])
		}
		return slices.ContainsFunc(s.scoring, isWord)
	case *orStep:
		return slices.ContainsFunc(s.steps, isWord)
	}
	return isWord(root)
}

func isWord(s step) bool {
	switch s.(type) {
	case *sumStep, *wordStep:
		return true
	}
	return false
}

// maxScoreOf is a score that no document exceeds by a step.
func maxScoreOf(s step) float64 {
	switch s := s.(type) {
	case *termStep:
		return s.maxScore
	case *sumStep:
		return s.maxScore()
	case *pairStep:
		return s.maxScore()
	case *wordStep:
		top := max(maxScoreOf(s.whole), s.boundBands())
		if s.start != nil {
			top = max(top, s.start.top)
		}
		return top
	}
	return s.bound(0, NoMore)
}

// newPart returns a side of a word in a window.
func newPart(s step, of side, bound float64) textPart {
	p := textPart{step: s, side: of, bound: bound}
	if w, ok := s.(*wordStep); ok {
		if of != asTyped || w.start != nil {
			return p
		}
		s = w.whole
	}
	switch s := s.(type) {
	case *termStep:
		if s.table != nil && !s.once && len(s.lengths) > 0 && s.opened[1] {
			p.term = s
		}
	case *sumStep:
		if s.isPlain() {
			p.sum = s
		}
	}
	return p
}

// addWords adds the parts of some words in a window and returns the sum of their
// bounds. Unless all are required, those that score the most come first.
func (t *text) addWords(words []textWord, base, end uint32) (total float64) {
	for i := range words {
		if !t.required {
			i = len(words) - 1 - i
		}
		total += t.addParts(words[i].step, base, end)
	}
	return total
}

// addParts adds the parts of a word in a window and returns the sum of their
// bounds.
func (t *text) addParts(c step, from, to uint32) float64 {
	w, ok := c.(*wordStep)
	if !ok {
		bound := c.bound(from, to)
		t.parts = append(t.parts, newPart(c, wholeWord, bound))
		return bound
	}
	typed, banded := w.boundTyped(from, to), w.boundBands()
	switch {
	case len(w.bands) == 0:
		t.parts = append(t.parts, newPart(c, asTyped, typed))
	case typed > banded && !t.required:
		w.held = [maxWindows]Bits{}
		whole, rest := newPart(c, asTyped, typed), newPart(c, inBands, banded)
		rest.byBlock = whole.term != nil || whole.sum != nil
		t.parts = append(t.parts, whole, rest)
		return typed + banded
	default:
		t.parts = append(t.parts, newPart(c, wholeWord, max(typed, banded)))
	}
	return max(typed, banded)
}

// isFlat reports whether the text is one word that no document holds as typed:
// the bound of its readings is the same everywhere.
func (t *text) isFlat() bool {
	if len(t.words) != 1 || len(t.extras) > 0 {
		return false
	}
	w, ok := t.words[0].step.(*wordStep)
	if !ok {
		return false
	}
	_, never := w.whole.(noStep)
	return never
}

// next returns a document not before from that no match precedes by the words
// from the first one given on, or NoMore.
func (t *text) next(from uint32, first int) uint32 {
	at := from
	for _, c := range t.narrow {
		at = max(at, c.next(at))
	}
	if t.required {
		for i := range t.words {
			if n := t.words[i].next(at); n > at {
				at = n
			}
			if at == NoMore {
				return at
			}
		}
		return at
	}
	soonest := NoMore
	for i := range t.words[first:] {
		if soonest = min(soonest, t.words[first+i].next(at)); soonest == at {
			break
		}
	}
	return soonest
}

// walkText walks a text, up to maxWindows windows at a time.
func (s *Scanner) walkText(ctx context.Context, t *text, from, to uint32, sink Sink) error {
	done := ctx.Done()
	nonEssential, theirMax := 0, t.most // words that make no hit anywhere, and what they and the extras add at most
	for base, end, looks := from&^(Span-1), uint32(0), 0; base < to; base, looks = end, looks+1 {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		prunes, threshold := sink.Prunes(), -1.0
		if prunes {
			threshold = sink.Threshold()
			if word := s.wordAlone(threshold); word != nil {
				return s.walkTerm(ctx, word, nil, base, to, sink)
			}
		}
		for !t.required && nonEssential < len(t.words) && theirMax+t.words[nonEssential].maxScore <= threshold {
			theirMax += t.words[nonEssential].maxScore
			nonEssential++
		}
		s.skipped = s.skipped || nonEssential > 0
		next := t.next(base, nonEssential)
		if next >= to {
			return nil
		}
		base = next &^ (Span - 1)
		end = s.endOfLook(base, to, looks)
		if t.isFlat() && t.words[0].maxScore <= threshold {
			s.skipped = true
			return nil // what follows is bounded by the same score
		}
		t.parts = t.parts[:0]
		total := t.addWords(t.words[nonEssential:], base, end)
		if total+theirMax <= threshold {
			s.passOver()
			continue
		}
		if prunes {
			n := wanted(base, end, sink)
			if end = joinedEnd(base, max(n, 1)); n == 0 {
				s.passOver()
				continue
			}
		}
		total += t.addWords(t.words[:nonEssential], base, end)
		extra := t.boundExtras(base, end, total, threshold)
		if total+extra+t.bonus <= threshold {
			s.passOver()
			continue
		}
		if !s.textWindow(t, base, end, total, extra, threshold, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// wanted returns how many windows there are before one that a sink skips.
func wanted(base, end uint32, sink Sink) (n uint32) {
	for ; base < end && !sink.SkipsWindow(base); base += Span {
		n++
	}
	return n
}

// fewPaired is how many documents of the windows looked at a pair may add to, so that
// they are looked at by themselves.
const fewPaired = 200

// boundExtras bounds what the extras add in a window to any document, and leaves
// the documents that pairs add to apart, where these are few: nothing is added
// to the others. total bounds the words.
func (t *text) boundExtras(base, end uint32, total, threshold float64) (extra float64) {
	t.bounds, t.paired, t.bonus = t.bounds[:0], t.paired[:0], 0
	for _, c := range t.extras {
		bound, isApart := 0.0, false
		if pair, ok := c.(*pairStep); ok && threshold > 0 {
			bound, isApart = t.boundPair(pair, base, end, threshold-total-extra-t.bonus)
		} else {
			bound = c.bound(base, end)
		}
		if t.bounds = append(t.bounds, bound); isApart {
			t.bonus += bound
		} else {
			extra += bound
		}
	}
	return extra
}

// boundPair bounds what a pair adds in a window and reports whether that is so for
// the documents left in paired alone. A pair that adds no more than least need not be
// looked at.
func (t *text) boundPair(pair *pairStep, base, end uint32, least float64) (bound float64, isApart bool) {
	if pair.isRare() && len(pair.docs(base, end)) == 0 {
		return 0, false
	}
	bound = exactly(pair.bound(base, end))
	if bound <= least {
		return bound, false
	}
	docs := pair.docs(base, end)
	switch {
	case len(docs) == 0:
		return 0, false
	case len(docs) > fewPaired || !t.isPaired:
		return bound, false
	}
	t.addPaired(docs, bound)
	return bound, true
}

// exactly returns a bound not below the given one with which sums of scores are exact.
func exactly(bound float64) float64 { return float64(float32(bound * score.BoundSlack)) }

// addPaired merges documents that a pair adds to, which rise, into those of the pairs
// before it: what several add to one is added up. It goes from the last ones to the first,
// so that they keep their place.
func (t *text) addPaired(docs []uint32, bonus float64) {
	i, j := len(t.paired)-1, len(docs)-1
	t.paired = slices.Grow(t.paired, len(docs))[:len(t.paired)+len(docs)]
	at := len(t.paired)
	for ; j >= 0; j-- {
		doc := docs[j]
		for ; i >= 0 && t.paired[i].doc > doc; i-- {
			at--
			t.paired[at] = t.paired[i]
		}
		at--
		t.paired[at] = paired{doc, bonus}
		if i >= 0 && t.paired[i].doc == doc {
			t.paired[at].bonus += t.paired[i].bonus
			i--
		}
	}
	t.paired = slices.Delete(t.paired, i+1, at)
}

// wordAlone returns the term of a word as typed when the root is one word and
// its other readings do not exceed the threshold: then they make no hit, and
// count nothing in documents that hold the word as typed and exceed it.
func (s *Scanner) wordAlone(threshold float64) *termStep {
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
	if others > threshold {
		return nil
	}
	s.skipped = true
	return term
}
