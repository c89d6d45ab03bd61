package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/search/plan"
)

// valuesStep matches documents that have a matching list value, window by window.
type valuesStep struct {
	inner   step        // matches values
	terms   []*termStep // terms that a value must all hold, if inner is nothing else; otherwise nil
	domain  *termStep   // values of the list, if inner may match others too
	parents *bitset.Bitset

	documents uint32
	seeks     bool // look up each document by itself, because few are asked for

	valid bool
	base  uint32 // last window found
	found Bits   // documents of that window with a matching value
	carry uint64 // 1 if the last values match and their document lies in a later window
	in    Bits
}

// values returns the step of a nested clause that does not score, nil when the segment has no
// values of the list. It lives as long as the binder.
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

// inside returns the step of the clause inside a nested clause. It lives as long as the binder.
func (b *binder) inside(ctx context.Context, clause plan.Node, scoring bool) (step, error) {
	inner := *b
	inner.scoring, inner.isInside = scoring, true
	root, err := inner.bind(ctx, clause, 1)
	b.owned, b.bests, b.sums, b.words, b.scratches, b.pool = inner.owned, inner.bests, inner.sums, inner.words, inner.scratches, inner.pool
	return root, err
}

// allTerms returns the terms of a step that matches exactly the conjunction of terms, and nil
// for other steps.
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

// seekValues: looking up the values of each document is cheaper than gathering all values if
// inner matches more than seekValues values for each document.
const seekValues = 24

// lateValues returns the step of a nested clause that does not score, in an And whose cheapest
// other part matches at most rest documents. A clause that matches no more values than that, or
// that another search used before, is evaluated over the whole segment.
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

// has looks up the values of a document. Documents must not go back.
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

// firstValue returns the first value of a document, or the document itself if it has none.
func firstValue(parents *bitset.Bitset, doc uint32) uint32 {
	if doc == 0 {
		return 0
	}
	return uint32(parents.Previous(doc-1) + 1)
}

// firstWindow returns where to begin so that the window at base is complete: the values of its
// first document may lie in earlier windows. last is the last window found, if hasLast. isNew
// reports that the state of that window is of no use.
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

// window finds the documents of a window. Windows must not go back.
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

// fill turns the matching values of a window into their documents. The values of a document
// directly precede it, so adding the bits of the matching values to ones in place of all values
// carries into the bit of the document.
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

// match sets found to the matching values of a window.
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

// into adds the documents of a window that hold the term to out.
func (s *termStep) into(out *Bits, base uint32) {
	if it := s.finder(); it.SeekBlock(base) && it.FirstDoc() < base+Span {
		it.IntoBitset(out[:], base)
	}
}

// all returns the matching documents of the whole segment.
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

// keepWithValues drops the documents without a matching value.
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
