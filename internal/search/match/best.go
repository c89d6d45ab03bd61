package match

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// batch is documents with their scores on the way to a sink: those of one
// window, or of one block.
type batch struct {
	docs   []uint32
	sums   []float64
	scores []float32

	docsRoom   [Span + postings.BlockSize]uint32
	sumsRoom   [Span + postings.BlockSize]float64
	scoresRoom [Span + postings.BlockSize]float32
}

func (b *batch) reset() { b.docs, b.sums = b.docsRoom[:0], b.sumsRoom[:0] }

// send hands the batch over without what the mask keeps out.
func (b *batch) send(m *mask, sink Sink) bool {
	b.scores = b.scoresRoom[:0]
	kept := 0
	for i, doc := range b.docs {
		if !m.has(doc) {
			continue
		}
		b.docs[kept] = doc
		b.scores = append(b.scores, float32(b.sums[i]))
		kept++
	}
	b.docs = b.docs[:kept]
	return kept == 0 || sink.TakeDocs(b.docs, b.scores)
}

func (m *mask) has(doc uint32) bool {
	if m.live != nil && m.live[doc>>6]>>(doc&63)&1 == 0 {
		return false
	}
	return m.parents == nil || m.parents[doc>>6]>>(doc&63)&1 != 0
}

// bestOfTerm walks one term block by block and decodes those blocks alone
// whose bound exceeds the floor.
func (s *Scanner) bestOfTerm(ctx context.Context, t *termStep, from, to uint32, sink Sink) error {
	it, norms := &t.grade, t.table.Norms()
	done := ctx.Done()
	out := &s.room.batch
	for open := t.opened[1] && it.SeekBlock(from); open && it.FirstDoc() < to; {
		floor := float32(sink.Floor())
		block := it.Block()
		if floor > 0 {
			if block%postings.GroupSize == 0 {
				select {
				case <-done:
					return context.Cause(ctx)
				default:
				}
				if score.Raise(t.weight*it.GroupImpacts().Max(norms)) <= floor {
					s.skipped = true
					open = it.SeekBlock(it.GroupLastDoc() + 1)
					continue
				}
			}
			if score.Raise(t.weight*it.BlockImpacts().Max(norms)) <= floor {
				s.skipped = true
				open = it.NextBlock()
				continue
			}
		}
		out.reset()
		docs := it.Docs()
		t.gradeInto(out, docs, it.Freqs(), floor)
		s.skipped = s.skipped || len(out.docs) < len(docs)
		if !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
		open = it.NextBlock()
	}
	return nil
}

// gradeInto scores documents and appends those above the floor.
func (s *termStep) gradeInto(out *batch, docs, freqs []uint32, floor float32) {
	n := len(out.docs)
	to, sums := out.docsRoom[:], out.sumsRoom[:]
	freqs = freqs[:len(docs)]
	if s.once || len(s.lengths) == 0 {
		for i, doc := range docs {
			if v := s.scoreAt(doc, freqs[i]); v > floor {
				to[n], sums[n] = doc, float64(v)
				n++
			}
		}
	} else {
		n = s.table.Grade(s.weight, docs, freqs, s.lengths, floor, to, sums, n)
	}
	out.docs, out.sums = to[:n], sums[:n]
}

// termsOf returns the terms of an Or of nothing but scored terms.
func termsOf(root step) []*termStep {
	or, ok := root.(*orStep)
	if !ok {
		return nil
	}
	all := make([]*termStep, 0, len(or.steps))
	for _, c := range or.steps {
		t, ok := c.(*termStep)
		if !ok || t.table == nil || t.once {
			return nil
		}
		all = append(all, t)
	}
	return all
}

// bestOfAny walks a union of terms window by window. Terms whose bounds
// together do not reach the floor cannot make a hit by themselves: they are
// only looked up for the documents of the others.
func (s *Scanner) bestOfAny(ctx context.Context, all []*termStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	bounds := make([]float64, len(all))
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
			return s.bestOfLead(ctx, all[weak], all[:weak], base, to, sink)
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
			s.skipped = true
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

// bestOfLead walks the one term of a union that can still make hits, and looks
// its documents up in the others.
func (s *Scanner) bestOfLead(ctx context.Context, lead *termStep, helpers []*termStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	it := &lead.grade
	bounds := make([]float64, len(helpers))
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
			s.skipped = true
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
				s.skipped = true
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
	it := &s.grade
	var found, places [chunk]uint16
	for from := 0; from < len(out.docs) && it.SeekBlock(out.docs[from]); {
		to, last := from+1, it.LastDoc()
		for to < len(out.docs) && to-from < chunk && out.docs[to] <= last {
			to++
		}
		if n := intersect(out.docs[from:to], it.Docs(), found[:], places[:]); n > 0 {
			freqs := it.Freqs()
			for i := range n {
				at := from + int(found[i])
				out.sums[at] += float64(s.scoreAt(out.docs[at], freqs[places[i]]))
			}
		}
		from = to
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
	it, norms := &t.grade, t.table.Norms()
	end := base + Span
	least := float32(-1)
	if floor-helped > 0 {
		least = math.Nextafter32(float32(floor-helped), -1)
	}
	for open := it.SeekBlock(base); open && it.FirstDoc() < end; open = it.NextBlock() {
		if least > 0 && score.Raise(t.weight*it.BlockImpacts().Max(norms)) <= least {
			s.skipped = true
		} else {
			docs := it.Docs()
			first, last := 0, len(docs)
			for first < last && docs[first] < base {
				first++
			}
			if it.LastDoc() >= end {
				for last > first && docs[last-1] >= end {
					last--
				}
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
	sums := s.sums
	s.room.dirty = true
	for _, t := range terms {
		t.addAll(base, sums)
	}
	matched := &s.room.matched
	above(sums, max(0, floor-helped), matched)
	out := &s.room.batch
	for i, w := range matched {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			out.docs = append(out.docs, base+uint32(at))
			out.sums = append(out.sums, sums[at])
		}
	}
	*sums = Sums{}
	s.room.dirty = false
	s.skipped = true
}

// addAll adds the scores of all documents of the window.
func (s *termStep) addAll(base uint32, sums *Sums) {
	it := &s.grade
	end := base + Span
	for open := it.SeekBlock(base); open && it.FirstDoc() < end; open = it.NextBlock() {
		docs, freqs := it.Docs(), it.Freqs()
		first, last := 0, len(docs)
		for first < last && docs[first] < base {
			first++
		}
		whole := it.LastDoc() < end
		if !whole {
			for last > first && docs[last-1] >= end {
				last--
			}
		}
		s.table.AddWindow(s.weight, docs[first:last], freqs[first:last], s.lengths, base, (*[Span]float64)(sums))
		if !whole {
			return
		}
	}
}

// sparseLead is how many documents of a window the rarest part of a
// conjunction may hold, on average, for looking each up to be cheaper than
// combining sets.
const sparseLead = 64

// conjunction is an And of terms and sets whose rarest term leads.
type conjunction struct {
	lead   *termStep
	others []*termStep
	sets   []*Set
}

func conjunctionOf(root step) (conjunction, bool) {
	var c conjunction
	and, ok := root.(*andStep)
	if !ok || len(and.optional) > 0 {
		return c, false
	}
	for i, member := range and.steps {
		switch member := member.(type) {
		case *termStep:
			if i == 0 {
				c.lead = member
			} else {
				c.others = append(c.others, member)
			}
		case *setStep:
			c.sets = append(c.sets, member.set)
		default:
			return c, false
		}
	}
	return c, c.lead != nil
}

// isSparse reports whether looking documents up is cheaper than combining
// sets even while every match is wanted.
func (c *conjunction) isSparse() bool {
	return c.lead.density <= sparseLead || len(c.others) >= maxDense
}

// walk returns the postings that are read: those that are scored, if any.
func (s *termStep) walk() *postings.Iterator {
	if s.table != nil {
		return &s.grade
	}
	return s.finder()
}

// chunk is how many documents of the rarest term are bounded at once: bounds
// over fewer documents are lower, and cost the same each.
const chunk = 64

// bestOfAll walks the blocks of the rarest term of a conjunction. Its
// documents are scored first; those that cannot reach the floor with all that
// the others may add are dropped before they are looked up there.
func (s *Scanner) bestOfAll(ctx context.Context, c conjunction, from, to uint32, sink Sink) error {
	done := ctx.Done()
	lead := c.lead.walk()
	bounds := make([]float64, len(c.others))
	for open := lead.SeekBlock(from); open && lead.FirstDoc() < to; open = lead.NextBlock() {
		select {
		case <-done:
			return context.Cause(ctx)
		default:
		}
		floor := -1.0
		if sink.Prunes() {
			floor = sink.Floor()
		}
		top := 0.0
		if floor > 0 {
			top = c.lead.blockBound()
			if top+boundAll(c.others, bounds, lead.FirstDoc(), lead.LastDoc()+1) <= floor {
				s.skipped = true
				continue
			}
		}
		docs := lead.Docs()
		for first := 0; first < len(docs); first += chunk {
			last := min(first+chunk, len(docs))
			if docs[last-1] < from {
				continue
			}
			if docs[first] >= to {
				return nil
			}
			rest := 0.0
			if floor > 0 {
				rest = boundAll(c.others, bounds, docs[first], docs[last-1]+1)
				if top+rest <= floor {
					s.skipped = true
					continue
				}
			}
			s.gradeChunk(c, docs[first:last], first, bounds, rest, floor)
			out := &s.room.batch
			if len(out.docs) == 0 {
				continue
			}
			if !out.sendWithin(&s.mask, from, to, sink) {
				s.skipped = true
				return nil
			}
			if sink.Prunes() {
				floor = sink.Floor()
				if top == 0 && floor > 0 {
					top = c.lead.blockBound()
				}
			}
		}
	}
	return nil
}

// blockBound is a score that no document of the block exceeds.
func (s *termStep) blockBound() float64 {
	if s.table == nil {
		return 0
	}
	return float64(score.Raise(s.weight * s.grade.BlockImpacts().Max(s.table.Norms())))
}

// gradeChunk leaves those documents of a chunk in the batch that all parts of
// the conjunction hold and that exceed the floor.
func (s *Scanner) gradeChunk(c conjunction, docs []uint32, first int, bounds []float64, rest, floor float64) {
	out := &s.room.batch
	out.reset()
	if c.lead.table != nil {
		least := float32(-1)
		if floor-rest > 0 {
			least = math.Nextafter32(float32(floor-rest), -1)
		}
		c.lead.gradeInto(out, docs, c.lead.grade.Freqs()[first:], least)
		s.skipped = s.skipped || len(out.docs) < len(docs)
	} else {
		out.docs = append(out.docs, docs...)
		out.sums = out.sumsRoom[:len(docs)]
		clear(out.sums)
	}
	for _, set := range c.sets {
		out.keepIn(set)
	}
	for i, t := range c.others {
		if len(out.docs) == 0 {
			return
		}
		rest = max(0, rest-bounds[i])
		if t.keepHeld(out, rest, floor) {
			s.skipped = true
		}
	}
}

// keepIn drops the documents that are not in a set.
func (b *batch) keepIn(set *Set) {
	kept := 0
	for i, doc := range b.docs {
		if set.Has(doc) {
			b.docs[kept], b.sums[kept] = doc, b.sums[i]
			kept++
		}
	}
	b.docs, b.sums = b.docs[:kept], b.sums[:kept]
}

// keepHeld drops the documents that do not hold the term and adds its score
// to the others; those that, with the rest, do not exceed the floor go too. It
// reports whether such were dropped.
func (s *termStep) keepHeld(out *batch, rest, floor float64) (dropped bool) {
	it := s.walk()
	var found, places [chunk]uint16
	kept := 0
	for from := 0; from < len(out.docs) && it.SeekBlock(out.docs[from]); {
		to, last := from+1, it.LastDoc()
		for to < len(out.docs) && out.docs[to] <= last {
			to++
		}
		n := intersect(out.docs[from:to], it.Docs(), found[:], places[:])
		if n > 0 && s.table != nil {
			freqs := it.Freqs()
			for i := range n {
				at := from + int(found[i])
				doc := out.docs[at]
				sum := out.sums[at] + float64(s.scoreAt(doc, freqs[places[i]]))
				if sum+rest <= floor {
					dropped = true
					continue
				}
				out.docs[kept], out.sums[kept] = doc, sum
				kept++
			}
		} else {
			for i := range n {
				at := from + int(found[i])
				out.docs[kept], out.sums[kept] = out.docs[at], out.sums[at]
				kept++
			}
		}
		from = to
	}
	out.docs, out.sums = out.docs[:kept], out.sums[:kept]
	return dropped
}

// gallop returns the first place from at on whose document is not below
// target, len(docs) when there is none.
func gallop(docs []uint32, at int, target uint32) int {
	step := 1
	for at+step < len(docs) && docs[at+step] < target {
		at += step
		step <<= 1
	}
	end := min(at+step+1, len(docs))
	for at < end {
		middle := int(uint(at+end) >> 1)
		if docs[middle] < target {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at
}

// sendWithin is send for a batch that may reach beyond the range asked for.
func (b *batch) sendWithin(m *mask, from, to uint32, sink Sink) bool {
	first, last := 0, len(b.docs)
	for first < last && b.docs[first] < from {
		first++
	}
	for last > first && b.docs[last-1] >= to {
		last--
	}
	b.docs, b.sums = b.docs[first:last], b.sums[first:last]
	return b.send(m, sink)
}
