package match

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// MAXSCORE over a union of terms, window by window (Turtle, Flood: Query evaluation: strategies
// and optimizations, 1995; Chakrabarti, Chaudhuri, Ganti: Interval-based pruning for top-k
// processing over compressed lists, ICDE 2011). Terms are ordered by their upper bounds. Those
// whose bounds together do not exceed the threshold are non-essential: a document that holds
// only them is not a hit, so they are looked up only for the documents of the essential terms,
// the strongest first, and only as long as a document can still exceed the threshold. When one
// essential term is left for the whole segment, its blocks are walked like those of a single
// term.
//
// Example: the threshold is 6; in a window "the" is bounded by 0.5, "red" by 3, "canon" by 5.
//
//	the              0.5 ≤ 6        non-essential
//	the + red        3.5 ≤ 6        non-essential
//	… + canon        8.5 > 6        essential: its documents are scored
//
// Documents of "canon" that score 2.5 or less are dropped, as the others add at most 3.5. A
// document with 4.1 is looked up in "red": it adds 1.2, and 5.3 + 0.5 does not exceed 6, so
// "the" is not looked up. Once the threshold reaches 8.5, the whole window is skipped.
//
// Filters that leave many documents are looked up for the documents of the essential terms,
// before the non-essential terms are.

// termsOf returns the terms of an Or of scored terms only, or nil.
func termsOf(root step) []*termStep {
	or, ok := root.(*orStep)
	if !ok {
		return nil
	}
	or.terms = or.terms[:0]
	for _, c := range or.steps {
		t, ok := c.(*termStep)
		if !ok || t.table == nil || t.once {
			return nil
		}
		or.terms = append(or.terms, t)
	}
	return or.terms
}

const (
	// leastFiltered is the smallest part of the documents that the filters of a union may
	// leave, estimated from what each leaves of all, for its terms to lead. Behind narrower
	// filters the threshold rises too slowly.
	leastFiltered = 1.0 / 24
	// lookUpShare: the documents that the filters leave lead if lookUpShare times their number,
	// counted once for each term, is at most the number of documents of the terms; see
	// filteredunion.go.
	lookUpShare = 1.5
)

// unionOf returns how to walk an Or of scored terms only, or an And of such an Or and filters;
// for other roots, a choice without terms.
func (s *Scanner) unionOf(root step) choice {
	and, ok := root.(*andStep)
	if !ok {
		return choice{strategy: maxscoreUnion, terms: termsOf(root)}
	}
	if len(and.optional) > 0 {
		return choice{}
	}
	at := slices.IndexFunc(and.steps, func(c step) bool { return termsOf(c) != nil })
	if at < 0 {
		return choice{}
	}
	c := choice{strategy: maxscoreUnion, terms: termsOf(and.steps[at])}
	if c.narrow = filtersOf(and, at); c.narrow == nil {
		return choice{}
	}
	documents := float64(s.mask.documents)
	if s.mask.parents != nil {
		documents = float64(s.binder.segment.Reader.NumRoots())
	}
	left, leading := 1.0, 1.0 // part left by all filters, and by those that can lead
	for i, member := range and.steps {
		if i == at {
			continue
		}
		part := min(1, float64(member.cost())/documents)
		left *= part
		switch member.(type) {
		case *termStep, setStep:
			leading *= part
		}
	}
	if left < leastFiltered {
		held := 0
		for _, t := range c.terms {
			held += t.cost()
		}
		if lookUpShare*leading*documents*float64(len(c.terms)) > float64(held) {
			return choice{}
		}
		c.strategy = filteredUnion
		if first, ok := and.steps[0].(setStep); ok && first.set.IsSparse() {
			c.narrow.listed, c.narrow.sets = first.set.Sparse(), c.narrow.sets[1:]
		}
	}
	return c
}

// filtersOf returns all members of a conjunction but one as filters, nil when some of them
// score or are of another kind.
func filtersOf(and *andStep, but int) *conjunction {
	c := new(conjunction)
	for i, member := range and.steps {
		if i == but {
			continue
		}
		switch member := member.(type) {
		case *termStep:
			if member.table != nil {
				return nil
			}
			c.others = append(c.others, member)
		case setStep:
			c.sets = append(c.sets, member.set)
		case *rangeStep:
			c.ranges = append(c.ranges, member)
		case *valuesStep:
			c.values = append(c.values, member)
		default:
			return nil
		}
	}
	return c
}

// keepNarrowed drops the documents of the batch that the filters exclude.
func (s *Scanner) keepNarrowed(narrow *conjunction) {
	out := &s.scratch.batch
	for _, set := range narrow.sets {
		out.keepIn(set)
	}
	for _, t := range narrow.others {
		if len(out.Docs) == 0 {
			return
		}
		t.keepHeld(out, 0, 0)
	}
	s.scoreRest(*narrow, 0)
}

// fewBounds is how many bounds fit in a buffer on the stack.
const fewBounds = 8

// boundsOf returns memory for the bounds of the given number of terms: the buffer if it is
// large enough.
func boundsOf(buffer []float64, terms int) []float64 {
	if terms > len(buffer) {
		return make([]float64, terms)
	}
	return buffer[:terms]
}

const (
	// leastWide is the smallest number of terms for which a union joins windows.
	leastWide = 3
	// unionLooks is how many looks a union takes before it doubles the number of windows. Terms
	// are cheaper to visit than the words of a text, so joining pays only once the threshold
	// hardly rises any more.
	unionLooks = 24
)

// walkUnion walks a union of terms window by window. Terms whose bounds together do not exceed
// the threshold cannot make a hit by themselves: they are looked up only for the documents of
// the others.
func (s *Scanner) walkUnion(ctx context.Context, all []*termStep, narrow *conjunction, from, to uint32, sink Sink) error {
	done := ctx.Done()
	var boundsBuffer [fewBounds]float64
	bounds := boundsOf(boundsBuffer[:], len(all))
	order := make([]*termStep, len(all))
	slices.SortStableFunc(all, func(a, b *termStep) int { return cmp.Compare(a.maxScore, b.maxScore) })
	nonEssential, theirMax := 0, 0.0 // terms that cannot make a hit anywhere, and their bound
	for base, end, looks := from, uint32(0), 0; base < to; base, looks = end, looks+1 {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		threshold := sink.Threshold()
		for nonEssential < len(all)-1 && theirMax+all[nonEssential].maxScore <= threshold {
			theirMax += all[nonEssential].maxScore
			nonEssential++
		}
		if nonEssential == len(all)-1 {
			return s.walkEssential(ctx, all[nonEssential], all[:nonEssential], narrow, base, to, sink)
		}
		next := NoMore
		for _, t := range all[nonEssential:] {
			next = min(next, t.next(base))
		}
		if narrow != nil {
			next = narrow.nextInSets(next)
		}
		if next >= to {
			s.skipped = s.skipped || nonEssential > 0
			return nil
		}
		if n := next &^ (Span - 1); n > base {
			s.skipped = s.skipped || nonEssential > 0
			base = n
		}
		if len(all) < leastWide {
			end = base + Span
		} else {
			end = s.endOfLook(base, to, looks/unionLooks)
		}
		total := 0.0
		for i, t := range all {
			b := t.bound(base, end)
			total += b
			at := i
			for ; at > 0 && bounds[at-1] > b; at-- {
				bounds[at], order[at] = bounds[at-1], order[at-1]
			}
			bounds[at], order[at] = b, t
		}
		if total <= threshold {
			s.passOver()
			continue
		}
		inWindow, rest := 0, 0.0 // non-essential terms of the window, and their bound
		for inWindow < len(order)-1 && rest+bounds[inWindow] <= threshold {
			rest += bounds[inWindow]
			inWindow++
		}
		s.skipped = s.skipped || inWindow > 0 // documents that hold only those are not visited
		out := &s.scratch.batch
		out.Reset()
		if inWindow == len(order)-1 {
			s.scoreLead(order[inWindow], base, end, rest, threshold)
		} else {
			s.scoreUnion(order[inWindow:], base, end, rest, threshold)
		}
		if narrow != nil {
			s.keepNarrowed(narrow)
		}
		for i := inWindow - 1; i >= 0 && len(out.Docs) > 0; i-- {
			rest -= bounds[i]
			order[i].addHeld(out, max(0, rest), threshold)
		}
		if len(out.Docs) > 0 && !out.send(&s.mask, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// walkEssential walks the one term of a union that can still make hits, and looks up its
// documents in the others.
func (s *Scanner) walkEssential(ctx context.Context, lead *termStep, nonEssential []*termStep, narrow *conjunction, from, to uint32, sink Sink) error {
	done := ctx.Done()
	it, out := &lead.scorer, &s.scratch.batch
	var boundsBuffer [fewBounds]float64
	bounds := boundsOf(boundsBuffer[:], len(nonEssential))
	s.skipped = s.skipped || len(nonEssential) > 0
	for open := it.SeekBlock(from); open && it.FirstDoc() < to; open = it.NextBlock() {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		if narrow != nil {
			if at := narrow.nextInSets(max(from, it.FirstDoc())); at > it.LastDoc() {
				if at >= to || !it.SeekBlock(at) || it.FirstDoc() >= to {
					return nil
				}
			}
		}
		threshold := sink.Threshold()
		rest := boundAll(nonEssential, bounds, it.FirstDoc(), it.LastDoc()+1)
		if lead.blockBound()+rest <= threshold {
			s.passOver()
			continue
		}
		docs := it.Docs()
		out.Reset()
		lead.scoreInto(out, docs, it.Freqs(), roundDown(threshold-rest))
		s.skipped = s.skipped || len(out.Docs) < len(docs)
		if narrow != nil {
			s.keepNarrowed(narrow)
		}
		for i := len(nonEssential) - 1; i >= 0 && len(out.Docs) > 0; i-- {
			rest = max(0, rest-bounds[i])
			nonEssential[i].addHeld(out, rest, threshold)
		}
		if len(out.Docs) > 0 && !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// boundAll sets bounds to the bound of each term in a range and returns their sum.
func boundAll(terms []*termStep, bounds []float64, from, to uint32) float64 {
	total := 0.0
	for i, t := range terms {
		bounds[i] = 0
		if t.table != nil {
			bounds[i] = t.bound(from, to)
		}
		total += bounds[i]
	}
	return total
}

// addHeld adds the score of the term to the documents of a batch that hold it and drops those
// that, with rest, do not exceed the threshold.
func (s *termStep) addHeld(out *batch, rest, threshold float64) {
	j := &out.join
	j.start(&s.scorer, out.Docs)
	for n := j.next(); n > 0; n = j.next() {
		freqs := s.scorer.Freqs()
		for i := range n {
			at, place := j.match(i)
			out.Sums[at] += float64(s.scoreAt(out.Docs[at], freqs[place]))
		}
	}
	out.KeepAbove(rest, threshold)
}

// scoreLead scores the blocks of the only essential term. Blocks and documents that, with rest,
// do not exceed the threshold are left out.
func (s *Scanner) scoreLead(t *termStep, base, end uint32, rest, threshold float64) {
	it, table := &t.scorer, t.table
	least := roundDown(threshold - rest)
	for open := it.SeekBlock(base); open && it.FirstDoc() < end; open = it.NextBlock() {
		if least > 0 && score.Raise(t.weight*it.BlockMax(table)) <= least {
			s.passOver()
		} else {
			docs := it.Docs()
			first, last := 0, len(docs)
			if last > 0 && docs[0] < base {
				first = postings.LowerBound(docs, base)
			}
			if it.LastDoc() >= end {
				last = postings.LowerBound(docs, end)
			}
			before := len(s.scratch.batch.Docs)
			t.scoreInto(&s.scratch.batch, docs[first:last], it.Freqs()[first:last], least)
			s.skipped = s.skipped || len(s.scratch.batch.Docs)-before < last-first
		}
		if it.LastDoc() >= end {
			return
		}
	}
}

// scoreUnion sets the batch to the documents of several terms that, with rest, exceed the
// threshold.
func (s *Scanner) scoreUnion(terms []*termStep, base, end uint32, rest, threshold float64) {
	s.skipped = true
	expected := 0
	for _, t := range terms {
		expected += t.density
	}
	least := max(0, threshold-rest)
	if expected < fewToMerge {
		s.mergeTerms(terms, base, end, least)
		return
	}
	s.scratch.dirty = true
	u := s.newUnion(base, end, expected < window.FewToMark())
	for _, t := range terms {
		t.addAll(base, end, u.sums, u.marked)
	}
	s.takeUnion(&u, least)
	s.scratch.dirty = false
}

// addAll adds the scores of all documents of the term in one or more windows to sums, and marks
// the documents if marked is not nil.
func (s *termStep) addAll(base, end uint32, sums []float64, marked []uint64) {
	it := &s.scorer
	p := score.Postings{Lengths: s.lengths}
	for open := it.SeekBlock(base); open && it.FirstDoc() < end; open = it.NextBlock() {
		docs, freqs := it.Docs(), it.Freqs()
		first, last := 0, len(docs)
		if last > 0 && docs[0] < base {
			first = postings.LowerBound(docs, base)
		}
		whole := it.LastDoc() < end
		if !whole {
			last = postings.LowerBound(docs, end)
			s.prefetch(docs[last:], end-base)
		}
		p.Docs, p.Frequencies = docs[first:last], freqs[first:last]
		if marked == nil {
			s.table.AddWindow(&p, s.weight, base, sums)
		} else {
			s.table.AddMarked(&p, s.weight, base, sums, marked)
		}
		if !whole {
			return
		}
	}
}
