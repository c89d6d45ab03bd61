package match

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/docset"
)

// Rated readings: a word that no document holds as typed is read as the terms near it, and
// documents of one reading differ only by their length (see champions.go). So a reading is a
// set of documents and a table of scores by length: no postings are scored, and reading the
// length of a document tells whether it exceeds the threshold.
//
// Example: "canoon" is read as "canon" with one edit; three words score 2.1, four 1.9, five
// 1.8. With the threshold at 1.9, a window that holds the documents 7 (five words), 9 (three)
// and 20 (four) hands over 9. Once the threshold reaches 2.1, no document of the segment
// exceeds it and the walk ends.

// ratedSet holds the documents of a set in one field, or of one term, which score by their
// length.
type ratedSet struct {
	step
	set     *docset.Set // nil for a term
	values  *[256]float64
	lengths []byte
}

// ratedSets returns the readings of a word that no document holds as typed, nil for other roots
// and for words with several fields.
func (s *Scanner) ratedSets() []ratedSet {
	w, ok := s.root.(*wordStep)
	if !ok || s.sums == nil || s.mask.domain != nil {
		return nil
	}
	if _, never := w.whole.(noStep); !never {
		return nil
	}
	var sets []ratedSet
	for _, b := range w.bands {
		if !b.isPlain() || len(b.fields[0].find) != 1 {
			return nil
		}
		r := ratedSet{step: b.fields[0].find[0], values: b.byLength(), lengths: b.fields[0].lengths}
		switch found := r.step.(type) {
		case setStep:
			r.set = found.set
		case *termStep:
		default:
			return nil
		}
		if n := len(sets); n > 0 && sets[n-1].values[255] < r.values[0] {
			return nil // the nearest reading of a document may not be its best
		}
		sets = append(sets, r)
	}
	if w.isKnown && len(sets) > 1 {
		return nil // its readings overlap, and the nearest one counts
	}
	return sets
}

// walkRatedSets walks the documents of sets and hands over only those above the threshold. A
// document in several sets takes the best score, which is that of the nearest reading, as the
// ranges of readings do not overlap.
func (s *Scanner) walkRatedSets(ctx context.Context, sets []ratedSet, from, to uint32, sink Sink) error {
	done := ctx.Done()
	out := &s.scratch.batch
	var order []int
	for base := from; base < to; base += Span {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		next := NoMore
		for i := range sets {
			next = min(next, sets[i].next(base))
		}
		if next >= to {
			return nil
		}
		base = next &^ (Span - 1)
		threshold := sink.Threshold()
		if s.root.bound(base, to) <= threshold {
			s.skipped = true
			return nil
		}
		out.Reset()
		filled := 0
		for i := range sets {
			before := len(out.Docs)
			if sets[i].above(out, base, threshold) {
				s.skipped = true
			}
			if len(out.Docs) > before {
				filled++
			}
		}
		if filled > 1 {
			order = out.keepBest(order)
		}
		if len(out.Docs) > 0 && !out.send(&s.mask, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// above appends the documents of a window that score above the threshold, and reports whether
// there are others.
func (r *ratedSet) above(out *batch, base uint32, threshold float64) (dropped bool) {
	add := func(doc uint32) {
		if v := r.values[lengthOf(r.lengths, doc)]; v > threshold {
			out.Docs, out.Sums = append(out.Docs, doc), append(out.Sums, v)
		} else {
			dropped = true
		}
	}
	if r.set == nil {
		it := r.step.(*termStep).finder()
		for open := it.SeekBlock(base); open && it.FirstDoc()-base < Span || open && it.FirstDoc() < base; open = it.NextBlock() {
			for _, doc := range it.Docs() {
				if doc-base < Span {
					add(doc)
				}
			}
			if it.LastDoc() >= base+Span {
				break
			}
		}
		return dropped
	}
	if r.set.IsSparse() {
		for _, doc := range r.set.SparseFrom(base) {
			if doc-base >= Span {
				break
			}
			add(doc)
		}
		return dropped
	}
	var dense Bits
	r.set.Window(base, &dense)
	var places [Span]uint16
	for _, at := range dense.Append(places[:0]) {
		add(base + uint32(at))
	}
	return dropped
}

// keepBest sorts the batch and keeps the best score of each document. order is scratch memory.
func (b *batch) keepBest(order []int) []int {
	order = order[:0]
	for i := range b.Docs {
		order = append(order, i)
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(b.Docs[x], b.Docs[y]), cmp.Compare(b.Sums[y], b.Sums[x]))
	})
	docs, sums := slices.Clone(b.Docs), slices.Clone(b.Sums)
	b.Docs, b.Sums = b.Docs[:0], b.Sums[:0]
	for i, at := range order {
		if i > 0 && docs[order[i-1]] == docs[at] {
			continue
		}
		b.Docs, b.Sums = append(b.Docs, docs[at]), append(b.Sums, sums[at])
	}
	return order
}
