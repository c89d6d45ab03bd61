package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
)

// nested returns the step of a nested clause: the clause is matched against list values, which
// are then mapped to their documents.
func (b *binder) nested(ctx context.Context, n *plan.Nested, factor float64) (step, error) {
	if b.scoring && factor > 0 && plan.Scores(n) {
		return b.folded(ctx, n, factor)
	}
	return b.cached(ctx, n, func() (*docset.Set, error) {
		values, err := b.values(ctx, n)
		if values == nil || err != nil {
			return docset.FromDocs(nil, b.documents), err
		}
		return values.all(ctx)
	})
}

// folded returns the step of a nested clause that scores.
func (b *binder) folded(ctx context.Context, n *plan.Nested, factor float64) (step, error) {
	field, entry, ok := b.listValues(n.Path)
	parents := b.segment.Reader.Parents()
	if parents == nil || !ok {
		return noStep{}, nil
	}
	root, err := b.inside(ctx, n.Clause, true)
	if err != nil {
		return nil, err
	}
	if _, never := root.(noStep); never {
		return root, nil
	}
	s := &foldStep{inner: root, parents: parents, documents: b.documents, fold: folder{fold: n.Fold, factor: factor}}
	if !b.belongs(n.Clause, n.Path) {
		s.domain = b.newTerm(field, entry)
	}
	s.scratch, s.more = b.newScratch(), b.newScratch()
	return s, nil
}

// newScratch returns working memory that lives as long as the binder.
func (b *binder) newScratch() *scratch {
	r := b.view.tables.scratches.Get().(*scratch)
	b.scratches = append(b.scratches, r)
	return r
}

// folder folds the scores of list values, which arrive in order, into the scores of their
// documents.
type folder struct {
	fold   plan.Fold
	factor float64

	open   bool
	parent uint32
	value  float64
	count  int
}

// start opens a document.
func (f *folder) start(parent uint32, score float64) {
	f.open, f.parent, f.value, f.count = true, parent, score, 1
}

// add adds another value of the open document.
func (f *folder) add(score float64) {
	f.count++
	switch f.fold {
	case plan.FoldMax:
		f.value = max(f.value, score)
	case plan.FoldMin:
		f.value = min(f.value, score)
	default:
		f.value += score
	}
}

// end closes the open document and returns its score.
func (f *folder) end() float64 {
	f.open = false
	if f.fold == plan.FoldAvg {
		f.value /= float64(f.count)
	}
	return float64(float32(f.value * f.factor))
}

// foldStep matches documents by their list values and scores them by the scores of these. It
// finds whole windows, which must not go back; a document whose values begin in an earlier
// window is carried over.
type foldStep struct {
	inner     step
	domain    *termStep // values of the list, if inner may match others too
	parents   *bitset.Bitset
	documents uint32

	// fold holds the document whose values are being read. scratch.out holds the documents
	// found in the window and the sums of its batch their scores; scratch.sums are those of
	// values.
	fold    folder
	scratch *scratch
	more    *scratch // for the scan of values, see walkListValues
	valid   bool
	base    uint32 // last window found
	top     float64
}

func (s *foldStep) scores() *[Span]float64 {
	_, sums := s.scratch.batch.Memory()
	return (*[Span]float64)(sums)
}

func (s *foldStep) run(base uint32, in, out *Bits, sums *Sums) {
	s.window(base)
	*out = s.scratch.out
	out.And(in)
	if sums == nil {
		return
	}
	scores := s.scores()
	for i, w := range out {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			sums[at] += scores[at]
		}
	}
}

// window finds the documents of a window.
func (s *foldStep) window(base uint32) {
	if s.valid && s.base == base {
		return
	}
	from, isNew := firstWindow(s.parents, base, s.base, s.valid)
	if isNew {
		s.fold.open = false
	}
	for ; from <= base; from += Span {
		s.fill(from)
	}
}

func (s *foldStep) fill(base uint32) {
	s.base, s.valid, s.top = base, true, 0
	r := s.scratch
	r.in = Bits{}
	if s.domain != nil {
		s.domain.into(&r.in, base)
	} else {
		r.in.Fill(0, min(Span, s.documents-base))
	}
	r.dirty = true
	s.inner.run(base, &r.in, &r.matched, r.window())
	r.out = Bits{}
	for i, w := range r.matched {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			value := base + uint32(at)
			score := float64(float32(r.sums[at]))
			r.sums[at] = 0
			if s.fold.open && value < s.fold.parent {
				s.fold.add(score)
				continue
			}
			s.found()
			s.fold.start(s.parents.Next(value), score)
		}
	}
	r.dirty = false
	if s.fold.open && s.fold.parent-base < Span {
		s.found()
	}
}

// found closes the open document, if any, which lies in the window.
func (s *foldStep) found() {
	if !s.fold.open {
		return
	}
	at := s.fold.parent - s.base
	s.scratch.out.Set(at)
	score := s.fold.end()
	s.scores()[at] = score
	s.top = max(s.top, score)
}

// bound also covers the last window found, as the postings have moved past it.
func (s *foldStep) bound(from, to uint32) float64 {
	first := firstValue(s.parents, from)
	top := s.inner.bound(first, to)
	if s.fold.open {
		top = max(top, s.fold.value)
	}
	if s.fold.fold == plan.FoldTotal {
		top *= float64(s.mostValues(first, to))
		if s.fold.open {
			top += s.fold.value
		}
	}
	top *= s.fold.factor * score.BoundSlack
	if s.valid && from < s.base+Span && to > s.base {
		top = max(top, s.top)
	}
	return top
}

// mostValues returns the largest number of values of a document in a range.
func (s *foldStep) mostValues(from, to uint32) uint32 {
	most := uint32(0)
	to = min(to, s.parents.Len())
	for at := from; at < to; {
		parent := s.parents.Next(at)
		most = max(most, parent-at)
		at = parent + 1
	}
	return most
}

func (s *foldStep) next(from uint32) uint32 {
	if s.valid && from-s.base < Span || s.fold.open {
		return from
	}
	value := s.inner.next(firstValue(s.parents, from))
	if value == NoMore {
		return NoMore
	}
	return max(from, s.parents.Next(value))
}

// cost counts values, of which a document may have several.
func (s *foldStep) cost() int { return s.inner.cost() }

// addFolded drops the documents that the step does not match and adds its score to the others.
// It also drops those that, with rest, do not exceed the threshold, and reports whether there
// were any.
func (b *batch) addFolded(s *foldStep, rest, threshold float64) (dropped bool) {
	kept := 0
	for i, doc := range b.Docs {
		base := doc &^ (Span - 1)
		s.window(base)
		at := doc - base
		if !s.scratch.out.Has(at) {
			continue
		}
		sum := b.Sums[i] + s.scores()[at]
		if sum+rest <= threshold {
			dropped = true
			continue
		}
		b.Docs[kept], b.Sums[kept] = doc, sum
		kept++
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
	return dropped
}
