package match

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/search/score"
)

// MAXSCORE over a union of terms, window by window (Turtle, Flood: Query
// evaluation: strategies and optimizations, 1995; Chakrabarti, Chaudhuri, Ganti:
// Interval-based pruning for top-k processing over compressed lists, ICDE 2011).
// Terms stand by their upper bounds. Those whose bounds together do not exceed
// the threshold are non-essential: a document that holds only them is not a hit, so
// they are looked up for the documents of the essential terms alone, the
// strongest first, and only as long as a document can still exceed the
// threshold. When one essential term is left for the whole segment, its blocks
// are walked like those of a single term.
//
// Example: the threshold is 6; in a window "the" is bounded by 0.5, "red" by 3,
// "canon" by 5.
//
//	the              0.5 ≤ 6        non-essential
//	the + red        3.5 ≤ 6        non-essential
//	… + canon        8.5 > 6        essential: its documents are scored
//
// Documents of "canon" that score 2.5 or less are dropped, as 3.5 is all that
// the others add. A document with 4.1 is looked up in "red": it adds 1.2, and
// 5.3 + 0.5 does not exceed 6, so "the" is not looked up. The window is left
// out altogether once the threshold reaches 8.5.

// termsOf returns the terms of an Or of nothing but scored terms.
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

// fewBounds is how many terms have room for their bounds without more memory.
const fewBounds = 8

// boundsOf returns room for the bounds of so many terms, some that is there if
// it suffices.
func boundsOf(room []float64, terms int) []float64 {
	if terms > len(room) {
		return make([]float64, terms)
	}
	return room[:terms]
}

// walkUnion walks a union of terms window by window. Terms whose bounds
// together do not reach the floor cannot make a hit by themselves: they are
// only looked up for the documents of the others.
func (s *Scanner) walkUnion(ctx context.Context, all []*termStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	var boundsRoom [fewBounds]float64
	bounds := boundsOf(boundsRoom[:], len(all))
	order := make([]*termStep, len(all))
	slices.SortStableFunc(all, func(a, b *termStep) int { return cmp.Compare(a.ceiling, b.ceiling) })
	weak, reach := 0, 0.0 // terms that cannot make a hit anywhere, and their ceilings
	for base := from; base < to; base += Span {
		select {
		case <-done:
			return context.Cause(ctx)
		default:
		}
		floor := sink.Floor()
		for weak < len(all)-1 && reach+all[weak].ceiling <= floor {
			reach += all[weak].ceiling
			weak++
		}
		if weak == len(all)-1 {
			return s.walkEssential(ctx, all[weak], all[:weak], base, to, sink)
		}
		next := NoMore
		for _, t := range all[weak:] {
			next = min(next, t.next(base))
		}
		if next >= to {
			s.skipped = s.skipped || weak > 0
			return nil
		}
		if n := next &^ (Span - 1); n > base {
			s.skipped = s.skipped || weak > 0
			base = n
		}
		total := 0.0
		for i, t := range all {
			b := t.bound(base, base+Span)
			total += b
			at := i
			for ; at > 0 && bounds[at-1] > b; at-- {
				bounds[at], order[at] = bounds[at-1], order[at-1]
			}
			bounds[at], order[at] = b, t
		}
		if total <= floor {
			s.passOver()
			continue
		}
		helpers, helped := 0, 0.0
		for helpers < len(order)-1 && helped+bounds[helpers] <= floor {
			helped += bounds[helpers]
			helpers++
		}
		s.skipped = s.skipped || helpers > 0 // what they alone hold is not seen
		out := &s.room.batch
		out.reset()
		if helpers == len(order)-1 {
			s.gradeLead(order[helpers], base, helped, floor)
		} else {
			s.gradeUnion(order[helpers:], base, helped, floor)
		}
		for i := helpers - 1; i >= 0 && len(out.docs) > 0; i-- {
			helped -= bounds[i]
			order[i].addHeld(out, max(0, helped), floor)
		}
		if len(out.docs) > 0 && !out.send(&s.mask, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// walkEssential walks the one term of a union that can still make hits, and looks
// its documents up in the others.
func (s *Scanner) walkEssential(ctx context.Context, lead *termStep, helpers []*termStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	it := &lead.grade
	var boundsRoom [fewBounds]float64
	bounds := boundsOf(boundsRoom[:], len(helpers))
	s.skipped = s.skipped || len(helpers) > 0
	for open := it.SeekBlock(from); open && it.FirstDoc() < to; open = it.NextBlock() {
		select {
		case <-done:
			return context.Cause(ctx)
		default:
		}
		floor := sink.Floor()
		top := lead.blockBound()
		if top+boundAll(helpers, bounds, it.FirstDoc(), it.LastDoc()+1) <= floor {
			s.passOver()
			continue
		}
		docs := it.Docs()
		for first := 0; first < len(docs); first += chunk {
			last := min(first+chunk, len(docs))
			if docs[last-1] < from {
				continue
			}
			if docs[first] >= to {
				return nil
			}
			rest := boundAll(helpers, bounds, docs[first], docs[last-1]+1)
			if top+rest <= floor {
				s.passOver()
				continue
			}
			least := float32(-1)
			if floor-rest > 0 {
				least = math.Nextafter32(float32(floor-rest), -1)
			}
			out := &s.room.batch
			out.reset()
			lead.gradeInto(out, docs[first:last], it.Freqs()[first:], least)
			s.skipped = s.skipped || len(out.docs) < last-first
			for i := len(helpers) - 1; i >= 0 && len(out.docs) > 0; i-- {
				rest = max(0, rest-bounds[i])
				helpers[i].addHeld(out, rest, floor)
			}
			if len(out.docs) > 0 && !out.sendWithin(&s.mask, from, to, sink) {
				s.skipped = true
				return nil
			}
			floor = sink.Floor()
		}
	}
	return nil
}

// boundAll fills in what each of the terms may add in a range.
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

// addHeld adds the score of the term to the documents of a batch that hold it
// and drops those that, with the rest, do not exceed the floor.
func (s *termStep) addHeld(out *batch, rest, floor float64) {
	j := &out.join
	j.start(&s.grade, out.docs)
	for n := j.next(); n > 0; n = j.next() {
		freqs := s.grade.Freqs()
		for i := range n {
			at, place := j.match(i)
			out.sums[at] += float64(s.scoreAt(out.docs[at], freqs[place]))
		}
	}
	kept := 0
	for i, sum := range out.sums {
		if sum+rest > floor {
			out.docs[kept], out.sums[kept] = out.docs[i], sum
			kept++
		}
	}
	out.docs, out.sums = out.docs[:kept], out.sums[:kept]
}

// gradeLead scores the blocks of the one term that can make hits; with what
// the others may add, a block or document must exceed the floor.
func (s *Scanner) gradeLead(t *termStep, base uint32, helped, floor float64) {
	it, table := &t.grade, t.table
	end := base + Span
	least := float32(-1)
	if floor-helped > 0 {
		least = math.Nextafter32(float32(floor-helped), -1)
	}
	for open := it.SeekBlock(base); open && it.FirstDoc() < end; open = it.NextBlock() {
		if least > 0 && score.Raise(t.weight*it.BlockMax(table)) <= least {
			s.passOver()
		} else {
			docs := it.Docs()
			first, last := 0, len(docs)
			if last > 0 && docs[0] < base {
				first = window.LowerBound(docs, base)
			}
			if it.LastDoc() >= end {
				last = window.LowerBound(docs, end)
			}
			before := len(s.room.batch.docs)
			t.gradeInto(&s.room.batch, docs[first:last], it.Freqs()[first:last], least)
			s.skipped = s.skipped || len(s.room.batch.docs)-before < last-first
		}
		if it.LastDoc() >= end {
			return
		}
	}
}

// gradeUnion adds the scores of several terms and keeps the documents that,
// with what the others may add, exceed the floor. Every term scores above
// zero, so a sum of zero is no match.
func (s *Scanner) gradeUnion(terms []*termStep, base uint32, helped, floor float64) {
	s.room.dirty = true
	s.skipped = true
	least := max(0, floor-helped)
	expected := 0
	for _, t := range terms {
		expected += t.density
	}
	if expected < window.FewToMark() {
		s.gradeMarked(terms, base, least)
		s.room.dirty = false
		return
	}
	sums := s.sums
	for _, t := range terms {
		t.addAll(base, sums, nil)
	}
	matched := &s.room.matched
	window.Above(sums, least, matched)
	out := &s.room.batch
	n := 0
	for i, w := range matched {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			out.docsRoom[n], out.sumsRoom[n] = base+uint32(at), sums[at]
			n++
		}
	}
	out.docs, out.sums = out.docsRoom[:n], out.sumsRoom[:n]
	*sums = Sums{}
	s.room.dirty = false
}

// gradeMarked is gradeUnion for few documents: they are marked, and only the
// sums of those are looked at.
func (s *Scanner) gradeMarked(terms []*termStep, base uint32, least float64) {
	sums, marked := s.sums, &s.room.matched
	*marked = Bits{}
	for _, t := range terms {
		t.addAll(base, sums, marked)
	}
	out := &s.room.batch
	n := 0
	for i, w := range marked {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			out.docsRoom[n], out.sumsRoom[n] = base+uint32(at), sums[at]
			if sums[at] > least {
				n++
			}
			sums[at] = 0
		}
	}
	out.docs, out.sums = out.docsRoom[:n], out.sumsRoom[:n]
}

// addAll adds the scores of all documents of the window, and marks them where
// that is asked for.
func (s *termStep) addAll(base uint32, sums *Sums, marked *Bits) {
	it := &s.grade
	end := base + Span
	for open := it.SeekBlock(base); open && it.FirstDoc() < end; open = it.NextBlock() {
		docs, freqs := it.Docs(), it.Freqs()
		first, last := 0, len(docs)
		if last > 0 && docs[0] < base {
			first = window.LowerBound(docs, base)
		}
		whole := it.LastDoc() < end
		if !whole {
			last = window.LowerBound(docs, end)
		}
		if marked == nil {
			s.table.AddWindow(s.weight, docs[first:last], freqs[first:last], s.lengths, base, (*[Span]float64)(sums))
		} else {
			s.table.AddMarked(s.weight, docs[first:last], freqs[first:last], s.lengths, base, (*[Span]float64)(sums), (*[window.Words]uint64)(marked))
		}
		if !whole {
			return
		}
	}
}
