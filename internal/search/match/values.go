package match

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/plan"
)

// valuesStep matches documents of which a list value matches, window by
// window. Its inner step matches nothing but list values.
type valuesStep struct {
	inner     step
	parents   []uint64
	documents uint32

	valid bool
	base  uint32 // of the window found last
	found Bits   // its documents with a value that matches
	carry uint64 // a value at its end matches whose document comes later
	every Bits
	in    Bits
}

// valuesOf returns the step of a nested clause, nil when values of other lists
// may match it. The step lives as long as the binder.
func (b *binder) valuesOf(n *plan.Nested) (*valuesStep, error) {
	parents := b.segment.Reader.Parents()
	if parents == nil || !b.belongs(n.Clause, n.Path) {
		return nil, nil
	}
	inner := *b
	inner.scoring, inner.owned = false, nil
	root, err := inner.bind(n.Clause, 0)
	b.owned = append(b.owned, inner.owned...)
	if err != nil {
		return nil, err
	}
	s := &valuesStep{inner: root, parents: parents.Words(), documents: b.documents}
	for i := range s.every {
		s.every[i] = ^uint64(0)
	}
	return s, nil
}

// lateValues returns the step of a nested clause that does not score, inside
// an And of which another part matches at most rest documents. A clause that
// matches fewer values itself, and one that comes up again, is worked out over
// the whole segment.
func (b *binder) lateValues(n *plan.Nested, rest int) (step, error) {
	if b.view.caches.filter(b.segment.Reader, n) != nil {
		return b.nested(n, 0)
	}
	s, err := b.valuesOf(n)
	if err != nil {
		return nil, err
	}
	if s == nil || s.inner.cost() <= rest || b.view.caches.isKnown(b.segment.Reader, n) {
		return b.nested(n, 0)
	}
	return s, nil
}

func (s *valuesStep) bound(_, _ uint32) float64 { return 0 }
func (s *valuesStep) next(from uint32) uint32   { return from }
func (s *valuesStep) cost() int                 { return int(s.documents) }

func (s *valuesStep) run(base uint32, in, out *Bits, _ *Sums) {
	s.window(base)
	*out = s.found
	out.And(in)
}

// window finds the documents of a window; windows do not go back.
func (s *valuesStep) window(base uint32) {
	if s.valid && s.base == base {
		return
	}
	if !s.valid || s.base+Span != base {
		s.carry = 0
		// The first document of the window may have values in the one before.
		if base > 0 && s.parents[(base-1)>>6]>>((base-1)&63)&1 == 0 {
			s.fill(base - Span)
		}
	}
	s.fill(base)
}

// fill turns the values of a window that match into their documents. The
// values of a document stand directly before it: adding the bits of those that
// match to ones in place of all values carries into the bit of the document.
func (s *valuesStep) fill(base uint32) {
	s.base, s.valid = base, true
	s.inner.run(base, &s.every, &s.found, nil)
	s.in.load(s.parents, base)
	for i, parents := range s.in {
		var sum uint64
		sum, s.carry = bits.Add64(s.found[i]&^parents, ^parents, s.carry)
		s.found[i] = sum & parents
	}
}

// all returns the documents of the whole segment.
func (s *valuesStep) all(b *binder) (*Set, error) {
	all := bitset.New(s.documents)
	words := all.Words()
	for base := uint32(0); base < s.documents; base += Span {
		if err := b.view.stopped(int(base / Span)); err != nil {
			return nil, err
		}
		s.window(base)
		copy(words[base/64:], s.found[:])
	}
	return newSet(all), nil
}

// keepWithValues drops the documents without a value that matches.
func (b *batch) keepWithValues(s *valuesStep) {
	kept := 0
	for i, doc := range b.docs {
		base := doc &^ (Span - 1)
		s.window(base)
		if s.found.Has(doc - base) {
			b.docs[kept], b.sums[kept] = doc, b.sums[i]
			kept++
		}
	}
	b.docs, b.sums = b.docs[:kept], b.sums[:kept]
}
