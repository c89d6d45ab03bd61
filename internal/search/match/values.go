package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/search/plan"
)

// valuesStep matches documents of which a list value matches, window by
// window.
type valuesStep struct {
	inner   step        // of the values
	terms   []*termStep // inner as terms that a value all holds; nil when it is more than that
	domain  *termStep   // the values of the list, when inner matches others too
	parents *bitset.Bitset

	documents uint32
	seeks     bool // so few documents are asked for that each is looked up by itself

	valid bool
	base  uint32 // of the window found last
	found Bits   // its documents with a value that matches
	carry uint64 // a value at its end matches whose document comes later
	in    Bits
}

// values returns the step of a nested clause that does not score. It lives as
// long as the binder.
func (b *binder) values(ctx context.Context, n *plan.Nested) (*valuesStep, error) {
	field, entry, ok := b.listValues(n.Path)
	parents := b.segment.Reader.Parents()
	if parents == nil || !ok {
		return nil, nil // no values of the list
	}
	root, err := b.inside(ctx, n.Clause, false)
	if err != nil {
		return nil, err
	}
	s := &valuesStep{inner: root, parents: parents, documents: b.documents}
	if !b.belongs(n.Clause, n.Path) {
		s.domain = b.newTerm(field, entry)
	} else {
		s.terms = allTerms(root)
	}
	return s, nil
}

// inside returns the step of the clause of a nested clause, which lives as long
// as the binder.
func (b *binder) inside(ctx context.Context, clause plan.Node, scoring bool) (step, error) {
	inner := *b
	inner.scoring, inner.isInside = scoring, true
	root, err := inner.bind(ctx, clause, 1)
	b.owned, b.bests, b.sums, b.words, b.scratches, b.pool = inner.owned, inner.bests, inner.sums, inner.words, inner.scratches, inner.pool
	return root, err
}

// allTerms returns the terms that a step asks for and nothing else, nil when
// it is another step.
func allTerms(root step) []*termStep {
	switch root := root.(type) {
	case *termStep:
		return []*termStep{root}
	case *andStep:
		if len(root.optional) > 0 {
			return nil
		}
		terms := make([]*termStep, len(root.steps))
		for i, c := range root.steps {
			term, ok := c.(*termStep)
			if !ok {
				return nil
			}
			terms[i] = term
		}
		return terms
	}
	return nil
}

// seekValues is how many values a window may hold, for each document asked for
// in it, before looking the values of the documents up beats gathering all.
const seekValues = 24

// lateValues returns the step of a nested clause that does not score, inside
// an And of which another part matches at most rest documents. A clause that
// matches fewer values itself, and one that comes up again, is worked out over
// the whole segment.
func (b *binder) lateValues(ctx context.Context, n *plan.Nested, rest int) (step, error) {
	if b.view.caches.filter(b, n) != nil {
		return b.nested(ctx, n, 0)
	}
	s, err := b.values(ctx, n)
	if err != nil {
		return nil, err
	}
	if s == nil || s.inner.cost() <= rest || b.view.caches.isKnown(b, n) {
		return b.nested(ctx, n, 0)
	}
	s.seeks = s.terms != nil && s.inner.cost() > seekValues*rest
	return s, nil
}

func (s *valuesStep) bound(_, _ uint32) float64 { return 0 }
func (s *valuesStep) next(from uint32) uint32   { return from }
func (s *valuesStep) cost() int                 { return int(s.documents) }

func (s *valuesStep) run(base uint32, in, out *Bits, _ *Sums) {
	if s.seeks {
		*out = Bits{}
		for i, w := range in {
			for ; w != 0; w &= w - 1 {
				at := uint32(i<<6 + bits.TrailingZeros64(w))
				if s.has(base + at) {
					out.Set(at)
				}
			}
		}
		return
	}
	s.window(base)
	*out = s.found
	out.And(in)
}

// has looks the values of a document up; documents do not go back.
func (s *valuesStep) has(doc uint32) bool {
	value := firstValue(s.parents, doc)
	for value < doc {
		from := value
		for _, t := range s.terms {
			if value, _ = t.finder().Seek(value); value >= doc {
				return false
			}
		}
		if value == from {
			return true
		}
	}
	return false
}

// firstValue is the first value of a document, the document itself when it has
// none.
func firstValue(parents *bitset.Bitset, doc uint32) uint32 {
	if doc == 0 {
		return 0
	}
	return uint32(parents.Previous(doc-1) + 1)
}

// firstWindow returns where to begin so that the window at base is whole: its
// first document may have values in windows before. last is the window that was
// found last, if there is one; isNew says that nothing of it is of use.
func firstWindow(parents *bitset.Bitset, base, last uint32, hasLast bool) (from uint32, isNew bool) {
	if hasLast && last+Span == base {
		return base, false
	}
	from = firstValue(parents, base) &^ (Span - 1)
	if hasLast && last >= from {
		return last + Span, false
	}
	return from, true
}

// window finds the documents of a window; windows do not go back.
func (s *valuesStep) window(base uint32) {
	if s.valid && s.base == base {
		return
	}
	from, isNew := firstWindow(s.parents, base, s.base, s.valid)
	if isNew {
		s.carry = 0
	}
	for ; from <= base; from += Span {
		s.fill(from)
	}
}

// fill turns the values of a window that match into their documents. The
// values of a document stand directly before it: adding the bits of those that
// match to ones in place of all values carries into the bit of the document.
func (s *valuesStep) fill(base uint32) {
	s.base, s.valid = base, true
	s.match(base)
	parents := s.parents.Words()[base>>6:]
	if len(parents) > window.Words {
		parents = parents[:window.Words]
	}
	carry := s.carry
	for i, parents := range parents {
		var sum uint64
		sum, carry = bits.Add64(s.found[i]&^parents, ^parents, carry)
		s.found[i] = sum & parents
	}
	clear(s.found[len(parents):])
	s.carry = carry
}

// match leaves the values of a window that match in found.
func (s *valuesStep) match(base uint32) {
	if s.terms == nil {
		s.in = Bits{}
		if s.domain != nil {
			s.domain.into(&s.in, base)
		} else {
			s.in.Fill(0, min(Span, s.documents-base))
		}
		s.inner.run(base, &s.in, &s.found, nil)
		return
	}
	s.found = Bits{}
	for i, t := range s.terms {
		if i == 0 {
			t.into(&s.found, base)
			continue
		}
		s.in = Bits{}
		t.into(&s.in, base)
		s.found.And(&s.in)
	}
}

// into adds the documents of a window that hold the term.
func (s *termStep) into(out *Bits, base uint32) {
	if it := s.finder(); it.SeekBlock(base) && it.FirstDoc() < base+Span {
		it.IntoBitset(out[:], base)
	}
}

// all returns the documents of the whole segment.
func (s *valuesStep) all(ctx context.Context) (*docset.Set, error) {
	all := bitset.New(s.documents)
	words := all.Words()
	for base := uint32(0); base < s.documents; base += Span {
		if err := stopped(ctx, int(base/Span)); err != nil {
			return nil, err
		}
		s.window(base)
		copy(words[base/64:], s.found[:])
	}
	return docset.FromBits(all), nil
}

// keepWithValues drops the documents without a value that matches.
func (b *batch) keepWithValues(s *valuesStep) {
	kept := 0
	for i, doc := range b.Docs {
		has := false
		if s.seeks {
			has = s.has(doc)
		} else {
			base := doc &^ (Span - 1)
			s.window(base)
			has = s.found.Has(doc - base)
		}
		if has {
			b.Docs[kept], b.Sums[kept] = doc, b.Sums[i]
			kept++
		}
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
}
