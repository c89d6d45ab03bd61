package match

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/score"
)

// MAXSCORE over the words of a text, one or a few windows at a time (Turtle, Flood: Query
// evaluation: strategies and optimizations, 1995). Words whose bounds together do not exceed
// the threshold are non-essential: they make no hit by themselves and are looked up only for
// the documents of the others. Extras, which add to the score of a text beside its words, such
// as pairs, are looked up last. If all words are required, the rarest leads and the others are
// looked up.
//
// Example: the threshold is 6, a window bounds "canon" by 5, "camera" by 3, its typos by 0.1,
// the pair by 2. Typos and pair together stay below 6, and adding "camera" does not reach it
// either: 0.1 + 2 + 3 = 5.1. So only the documents of "canon" are read, and of those only
// blocks whose bounds exceed 6 − 5.1. They are looked up in "camera", the remaining ones among
// the typos, and positions are read for those that then score above 4. If few documents of the
// window hold both words of the pair, say 17 and 90, these two are visited whatever they score,
// and for the others the pair adds nothing: 0.1 + 3 = 3.1, so of "canon" only blocks above 6 −
// 3.1 are read.

// text is a root of several words, with the steps that narrow it and the extras.
type text struct {
	words    []textWord // the lowest maximum score first; if all are required, the rarest first
	required bool       // a hit holds all words
	narrow   []step
	extras   []step
	bounds   []float64  // of the extras in the current windows
	most     float64    // upper bound of what the extras add
	parts    []textPart // of the current windows
	isPaired bool       // the only extras are pairs, and any word will do
	paired   []paired   // documents of the windows that a pair adds to, if they are few; ascending
	bonus    float64    // upper bound of what pairs add to any of these
}

// paired is a document that pairs add to, with an upper bound of what they add.
type paired struct {
	doc   uint32
	bonus float64
}

// textWord is a word of a text.
type textWord struct {
	step
	maxScore float64
}

// textPart is a word, or one side of it, in the current windows.
type textPart struct {
	step  step
	side  side
	bound float64
	term  *termStep // the part as a term, or nil
	sum   *sumStep  // the part as a sum, or nil

	byBlock bool // in bands: the word as typed is scored by blocks
}

// side says which readings of a word are used.
type side uint8

const (
	wholeWord side = iota // all readings
	asTyped               // as typed and as the start of longer words
	inBands               // all readings but those
)

// textOf splits a root into the parts of a text. It returns nil unless some word of the root
// has several fields or readings.
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

// hasWord reports whether a root is a word that has several fields or readings, or a text with
// such a word.
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

// maxScoreOf returns a score that no document of the step exceeds.
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

// addWords adds the parts of some words in a window and returns the sum of their bounds. Unless
// all are required, those that score the most come first.
func (t *text) addWords(words []textWord, base, end uint32) (total float64) {
	for i := range words {
		if !t.required {
			i = len(words) - 1 - i
		}
		total += t.addParts(words[i].step, base, end)
	}
	return total
}

// addParts adds the parts of a word in a window and returns the sum of their bounds.
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

// isFlat reports whether the text is one word that no document holds as typed: its readings
// have the same bound everywhere.
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

// next returns a document at or after from, or NoMore, such that no match of the words from
// index first on lies between the two.
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
	nonEssential, theirMax := 0, t.most // words that make no hit anywhere, and the bound of these and the extras
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
			return nil // the rest has the same bound
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

// wanted returns how many windows precede the first one that the sink skips.
func wanted(base, end uint32, sink Sink) (n uint32) {
	for ; base < end && !sink.SkipsWindow(base); base += Span {
		n++
	}
	return n
}

// fewPaired is the largest number of documents of the current windows that a pair may add to
// for these to be treated apart from the others.
const fewPaired = 200

// boundExtras bounds what the extras add in a window to any document. If pairs add to few
// documents, it puts those in paired instead and bounds them by bonus, as the pairs add nothing
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

// boundPair bounds what a pair adds in a window and reports whether it adds only to the
// documents that it left in paired. A pair that adds at most least is not examined further.
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

// addPaired merges documents that a pair adds to, in ascending order, into those of earlier
// pairs. A document of several pairs gets the sum of their bonuses. It merges from the back, so
// that nothing is overwritten.
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

// wordAlone returns the term of a word as typed when the root is one word and the bound of its
// other readings does not exceed the threshold: then these make no hit, and do not change the
// score of documents that exceed it with the word as typed.
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
