package match

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/search/match/docset"
)

// step evaluates one node over one segment, window by window. A step belongs to one goroutine.
// Its windows never go back. In one window a step may run once without sums and then once with
// sums, on a subset of the documents of the first run.
type step interface {
	// run sets out to those documents of in that the step matches. With sums it adds their
	// scores and leaves those of other documents alone. in and out are different sets; run does
	// not change in.
	run(base uint32, in, out *Bits, sums *Sums)
	// bound returns a score that no document in [from, to) exceeds.
	bound(from, to uint32) float64
	// next returns a document at or after from such that no match lies between the two, or
	// NoMore.
	next(from uint32) uint32
	// cost estimates how many documents of the segment the step matches.
	cost() int
}

// everyStep matches everything it is given.
type everyStep struct{ documents int }

func (s *everyStep) run(_ uint32, in, out *Bits, _ *Sums) { *out = *in }
func (s *everyStep) bound(_, _ uint32) float64            { return 0 }
func (s *everyStep) next(from uint32) uint32              { return from }
func (s *everyStep) cost() int                            { return s.documents }

// noStep matches nothing.
type noStep struct{}

func (noStep) run(_ uint32, _, out *Bits, _ *Sums) { *out = Bits{} }
func (noStep) bound(_, _ uint32) float64           { return 0 }
func (noStep) next(uint32) uint32                  { return NoMore }
func (noStep) cost() int                           { return 0 }

// setStep matches a precomputed set of documents; filters are sets.
type setStep struct {
	set *docset.Set
}

func (s setStep) run(base uint32, in, out *Bits, _ *Sums) {
	s.set.Window(base, out)
	out.And(in)
}
func (s setStep) bound(_, _ uint32) float64 { return 0 }
func (s setStep) next(from uint32) uint32   { return s.set.Next(from) }
func (s setStep) cost() int                 { return s.set.Len() }

// listStep matches a precomputed list of documents in ascending order, with their scores: the
// results of knn, fuse and nested.
type listStep struct {
	docs   []uint32
	scores []float32 // nil when the list does not score
	at     int       // first document not before the last window
	top    float64
}

func newListStep(docs []uint32, scores []float32) *listStep {
	s := &listStep{docs: docs, scores: scores}
	for _, v := range scores {
		s.top = max(s.top, float64(v))
	}
	return s
}

func (s *listStep) seek(from uint32) {
	step := 1
	lo := s.at
	for lo+step < len(s.docs) && s.docs[lo+step] < from {
		lo += step
		step <<= 1
	}
	hi := min(lo+step, len(s.docs))
	for lo < hi {
		mid := (lo + hi) / 2
		if s.docs[mid] < from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	s.at = lo
}

func (s *listStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	s.seek(base)
	for i := s.at; i < len(s.docs) && s.docs[i]-base < Span; i++ {
		at := s.docs[i] - base
		if !in.Has(at) {
			continue
		}
		out.Set(at)
		if sums != nil && s.scores != nil {
			sums[at] += float64(s.scores[i])
		}
	}
}

func (s *listStep) bound(from, to uint32) float64 { return s.top }

func (s *listStep) next(from uint32) uint32 {
	s.seek(from)
	if s.at == len(s.docs) {
		return NoMore
	}
	return s.docs[s.at]
}

func (s *listStep) cost() int { return len(s.docs) }

// andStep matches the intersection of its steps. The steps are ordered by cost, the cheapest
// first; each sees only the documents that the steps before it left.
type andStep struct {
	steps    []step
	scoring  []step // the members of steps that score
	optional []step
	others   []*termStep // see conjunctionOf
	tmp      [2]Bits
	memo     memo
}

// memo remembers the matches of a window for the run that scores it.
type memo struct {
	base  uint32
	valid bool
	found Bits
}

func (m *memo) keep(base uint32, found *Bits) { m.base, m.valid, m.found = base, true, *found }

// recall sets out to the remembered matches among in. It reports false when the memo has no
// matches of the window.
func (m *memo) recall(base uint32, in, out *Bits) bool {
	if !m.valid || m.base != base {
		return false
	}
	*out = m.found
	out.And(in)
	return true
}

func (s *andStep) run(base uint32, in, out *Bits, sums *Sums) {
	current, other := &s.tmp[0], &s.tmp[1]
	if sums != nil && s.memo.recall(base, in, out) {
		s.score(base, out, other, sums, false)
		return
	}
	*current = *in
	// The only scoring step scores as it matches if it runs last.
	scored := false
	for i, c := range s.steps {
		var with *Sums
		if sums != nil && i == len(s.steps)-1 && len(s.scoring) == 1 && s.scoring[0] == c {
			with, scored = sums, true
		}
		c.run(base, current, other, with)
		current, other = other, current
		if current.Empty() {
			break
		}
	}
	*out = *current
	if sums == nil {
		s.memo.keep(base, out)
		return
	}
	s.score(base, out, other, sums, scored)
}

// score adds the scores of the matches in out.
func (s *andStep) score(base uint32, out, other *Bits, sums *Sums, scored bool) {
	if out.Empty() {
		return
	}
	if !scored {
		for _, c := range s.scoring {
			c.run(base, out, other, sums)
		}
	}
	for _, c := range s.optional {
		c.run(base, out, other, sums)
	}
}

func (s *andStep) bound(from, to uint32) float64 {
	total := 0.0
	for _, c := range s.scoring {
		total += c.bound(from, to)
	}
	for _, c := range s.optional {
		total += c.bound(from, to)
	}
	return total
}

func (s *andStep) next(from uint32) uint32 {
	for {
		at := from
		for _, c := range s.steps {
			n := c.next(at)
			if n == NoMore {
				return NoMore
			}
			at = max(at, n)
		}
		// Agreeing on the window is enough: run finds the documents.
		if at&^(Span-1) == from&^(Span-1) || at == from {
			return at
		}
		from = at
	}
}

func (s *andStep) cost() int {
	if len(s.steps) == 0 {
		return 0
	}
	return s.steps[0].cost()
}

// orStep matches the union of its steps and adds up their scores.
type orStep struct {
	steps []step
	terms []*termStep // see termsOf
	tmp   Bits
	found lastWindow
}

// lastWindow remembers the last window that was run. The steps have moved past it, so next no
// longer says whether they match in it.
type lastWindow struct {
	base  uint32
	valid bool
}

// misses reports whether a step has no match in the window.
func (w *lastWindow) misses(c step, base uint32) bool {
	if w.valid && w.base == base {
		return false
	}
	n := c.next(base)
	return n == NoMore || n-base >= Span
}

func (s *orStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	if sums == nil {
		defer func() { s.found = lastWindow{base, true} }()
	}
	for i, c := range s.steps {
		if s.found.misses(c, base) {
			continue
		}
		if i == 0 {
			c.run(base, in, out, sums)
			continue
		}
		c.run(base, in, &s.tmp, sums)
		out.Or(&s.tmp)
	}
}

func (s *orStep) bound(from, to uint32) float64 {
	total := 0.0
	for _, c := range s.steps {
		total += c.bound(from, to)
	}
	return total
}

func (s *orStep) next(from uint32) uint32 { return earliest(s.steps, from) }

func (s *orStep) cost() int {
	total := 0
	for _, c := range s.steps {
		total += c.cost()
	}
	return total
}

func earliest(steps []step, from uint32) uint32 {
	at := NoMore
	for _, c := range steps {
		if n := c.next(from); n < at {
			at = n
			if at == from {
				break
			}
		}
	}
	return at
}

// bestStep matches the union of its steps and takes the best score of each document.
type bestStep struct {
	orStep
	one, best Sums // all zero between runs
	busy      bool // in the middle of a run
}

func (s *bestStep) run(base uint32, in, out *Bits, sums *Sums) {
	if sums == nil {
		s.orStep.run(base, in, out, nil)
		return
	}
	s.busy = true
	*out = Bits{}
	for _, c := range s.steps {
		if s.found.misses(c, base) {
			continue
		}
		c.run(base, in, &s.tmp, &s.one)
		for i, w := range s.tmp {
			out[i] |= w
			for w != 0 {
				at := i<<6 + bits.TrailingZeros64(w)
				w &= w - 1
				s.best[at] = max(s.best[at], s.one[at])
				s.one[at] = 0
			}
		}
	}
	for i, w := range out {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			sums[at] += s.best[at]
			s.best[at] = 0
		}
	}
	s.busy = false
}

func (s *bestStep) bound(from, to uint32) float64 {
	top := 0.0
	for _, c := range s.steps {
		top = max(top, c.bound(from, to))
	}
	return top
}

// notStep matches the documents that none of its steps matches.
type notStep struct {
	steps     []step
	documents int
	left, tmp Bits
}

func (s *notStep) run(base uint32, in, out *Bits, _ *Sums) {
	s.left = *in
	for _, c := range s.steps {
		if n := c.next(base); n == NoMore || n-base >= Span {
			continue
		}
		c.run(base, &s.left, &s.tmp, nil)
		s.left.AndNot(&s.tmp)
	}
	*out = s.left
}

func (s *notStep) bound(_, _ uint32) float64 { return 0 }
func (s *notStep) next(from uint32) uint32   { return from }
func (s *notStep) cost() int                 { return s.documents }

// constantStep gives all matches of its step the same score.
type constantStep struct {
	step
	score float64
	memo  memo
}

func (s *constantStep) run(base uint32, in, out *Bits, sums *Sums) {
	if sums == nil || !s.memo.recall(base, in, out) {
		s.step.run(base, in, out, nil)
	}
	if sums == nil {
		s.memo.keep(base, out)
		return
	}
	for i, w := range out {
		for w != 0 {
			sums[i<<6+bits.TrailingZeros64(w)] += s.score
			w &= w - 1
		}
	}
}

func (s *constantStep) bound(_, _ uint32) float64 { return s.score }
