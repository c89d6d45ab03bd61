package match

import (
	"context"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/segment/postings"
)

// Filtered word: one word with several readings behind filters. The documents that the set
// filters leave are marked in the bits of a few windows at a time, and the documents of every
// reading are looked up there, the nearest reading first: only documents that the filters leave
// are scored. A reading of few documents is walked as a list. The other filters are looked up
// for the documents that then exceed the threshold.
//
// Example: "cam", typed in part, behind brand = acme, which leaves the documents 4, 90 and 700
// of a window. No document holds "cam"; the start of longer words is the set 8, 90, 300, 700,
// 702: two bits are found, and 90 and 700 are scored by their length.

// filteredWordOf returns the word and the filters of a root that is one word behind filters. It
// returns nil for other roots, and if the word has a reading that does not score by length in
// one field.
func filteredWordOf(root step) (*wordStep, *conjunction) {
	and, ok := root.(*andStep)
	if !ok || len(and.optional) > 0 || len(and.scoring) != 1 {
		return nil, nil
	}
	w, ok := and.scoring[0].(*wordStep)
	if !ok || !w.isByDocument() {
		return nil, nil
	}
	return w, filtersOf(and, slices.Index(and.steps, step(w)))
}

// isByDocument reports whether the word as typed is a term and every other reading scores by
// length in one field.
func (s *wordStep) isByDocument() bool {
	switch whole := s.whole.(type) {
	case noStep:
	case *termStep:
		if whole.table == nil || !whole.opened[1] {
			return false
		}
	default:
		return false
	}
	return (s.start == nil || s.start.isOfOne()) && !slices.ContainsFunc(s.bands, func(b *band) bool { return !b.isOfOne() })
}

// isOfOne reports whether the band scores by length in one field and a single step finds it.
func (b *band) isOfOne() bool { return b.isPlain() && b.top > 0 && len(b.fields[0].find) == 1 }

// walkFilteredWord walks the documents of a word that filters leave.
func (s *Scanner) walkFilteredWord(ctx context.Context, w *wordStep, narrow *conjunction, from, to uint32, sink Sink) error {
	done := ctx.Done()
	marked, late := narrow.split(w.cost())
	for base, end, looks := from&^(Span-1), uint32(0), 0; base < to; base, looks = end, looks+1 {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		next := max(w.next(base), marked.next(base))
		if next >= to {
			return nil
		}
		base = next &^ (Span - 1)
		end = s.endOfLook(base, to, looks)
		threshold := -1.0
		if sink.Prunes() {
			threshold = sink.Threshold()
			n := wanted(base, end, sink)
			end = joinedEnd(base, max(n, 1))
			if n == 0 || w.bound(base, end) <= threshold {
				s.passOver()
				continue
			}
		}
		if !s.mark(marked, base, end) {
			continue
		}
		u := s.newUnion(base, end, true)
		s.scratch.dirty = true
		s.addReadings(w, &u, threshold)
		s.scratch.batch.Reset()
		s.takeUnion(&u, threshold)
		s.scratch.dirty = false
		s.keepNarrowed(late)
		if out := &s.scratch.batch; len(out.Docs) > 0 && !out.send(&s.mask, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// split separates the filters to mark in bits from those in which documents of the word are
// looked up: terms that more documents hold than the word, numbers and list values.
func (c *conjunction) split(cost int) (marked, late *conjunction) {
	marked, late = &conjunction{sets: c.sets}, &conjunction{ranges: c.ranges, values: c.values}
	for _, t := range c.others {
		if t.cost() < cost {
			marked.others = append(marked.others, t)
		} else {
			late.others = append(late.others, t)
		}
	}
	return marked, late
}

// next returns a document at or after from such that no document between the two is in all sets
// and terms.
func (c *conjunction) next(from uint32) uint32 {
	for _, t := range c.others {
		if from == NoMore {
			break
		}
		from = t.next(from)
	}
	return c.nextInSets(from)
}

// mark sets the joined bits to the documents of some windows that filters leave, and reports
// whether there are any.
func (s *Scanner) mark(c *conjunction, base, end uint32) bool {
	some, other := false, &s.scratch.out
	for i := range s.scratch.joined.in[:(end-base)/Span] {
		in, at := &s.scratch.joined.in[i], base+uint32(i)*Span
		if len(c.sets) == 0 {
			in.Fill(0, Span)
		}
		for j, set := range c.sets {
			if j == 0 {
				set.Window(at, in)
				continue
			}
			set.Window(at, other)
			in.And(other)
		}
		for _, t := range c.others {
			*other = Bits{}
			t.finder().IntoBitset(other[:], at)
			in.And(other)
		}
		some = some || !in.Empty()
	}
	return some
}

// addReadings adds the documents among the joined bits that hold a word to a union, with the
// score of the nearest reading, or the better score if a document holds the word as typed and
// as the start of a longer one. It may leave out the last readings if they do not exceed the
// threshold.
func (s *Scanner) addReadings(w *wordStep, u *union, threshold float64) {
	bands := w.bands
	for len(bands) > 0 && bands[len(bands)-1].top <= threshold {
		bands, s.skipped = bands[:len(bands)-1], true
	}
	if t, ok := w.whole.(*termStep); ok {
		s.addTyped(t, u)
	}
	if w.start != nil {
		if len(bands) > 0 || w.start.top > threshold {
			s.addBand(w.start, u, true)
		} else {
			s.skipped = true
		}
	}
	for _, b := range bands {
		s.addBand(b, u, false)
	}
}

// addTyped adds the documents of a term among the joined bits.
func (s *Scanner) addTyped(t *termStep, u *union) {
	it := &t.scorer
	end := u.base + uint32(len(u.sums))
	for open := it.SeekBlock(u.base); open && it.FirstDoc() < end; open = it.NextBlock() {
		docs := it.Docs()
		for i := postings.LowerBound(docs, u.base); i < len(docs) && docs[i] < end; i++ {
			if at := docs[i] - u.base; s.scratch.joined.has(at) {
				u.sums[at] = float64(t.scoreAt(docs[i], it.FreqAt(i)))
				u.marked[at>>6] |= 1 << (at & 63)
			}
		}
		if it.LastDoc() >= end {
			return
		}
	}
}

// addBand adds the documents of a band among the joined bits. Documents that are already in the
// union keep their score, or take the better one.
func (s *Scanner) addBand(b *band, u *union, better bool) {
	values, lengths := b.byLength(), b.fields[0].lengths
	add := func(at uint32) {
		word, bit := at>>6, uint64(1)<<(at&63)
		if u.marked[word]&bit == 0 {
			u.marked[word] |= bit
			u.sums[at] = values[lengthOf(lengths, u.base+at)]
		} else if better {
			u.sums[at] = max(u.sums[at], values[lengthOf(lengths, u.base+at)])
		}
	}
	find := b.fields[0].find[0]
	if set, ok := find.(setStep); ok && set.set.IsSparse() {
		for _, doc := range set.set.SparseFrom(u.base) {
			at := doc - u.base
			if at >= uint32(len(u.sums)) {
				return
			}
			if s.scratch.joined.has(at) {
				add(at)
			}
		}
		return
	}
	out := &s.scratch.out
	for i := range u.windows() {
		in := &s.scratch.joined.in[i]
		if in.Empty() {
			continue
		}
		find.run(u.base+uint32(i)*Span, in, out, nil)
		for j, word := range out {
			for ; word != 0; word &= word - 1 {
				add(uint32(i*Span + j<<6 + bits.TrailingZeros64(word)))
			}
		}
	}
}

// has reports whether the at-th document of the windows may be a hit.
func (j *joinedBits) has(at uint32) bool { return j.in[at/Span%maxWindows].Has(at) }
