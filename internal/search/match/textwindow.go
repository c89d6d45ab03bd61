package match

import (
	"github.com/quiresearch/quire/internal/search/match/window"
)

// textWindow hands the documents of one or more windows that may exceed the threshold to sink,
// and reports whether the sink wants more. total bounds the words.
func (s *Scanner) textWindow(t *text, base, end uint32, total, extra, threshold float64, sink Sink) bool {
	out := &s.scratch.batch
	if !s.narrowText(t, base, end) {
		return true
	}
	out.Reset()
	s.scratch.dirty = true
	lookUps := t.parts
	rest := extra
	if t.required {
		rest = max(extra, total+extra-t.parts[0].bound)
		s.lead(&t.parts[0], base, end, threshold-rest)
		lookUps = lookUps[1:]
	} else {
		t.sortParts()
		essential, least := len(t.parts), 1
		if len(t.paired) > 0 {
			least = 0 // documents of pairs are visited anyway
		}
		for essential > least && rest+t.parts[essential-1].bound <= threshold {
			essential--
			rest += t.parts[essential].bound
		}
		lookUps = lookUps[essential:]
		s.skipped = s.skipped || len(lookUps) > 0 // documents that hold only those are not visited
		switch {
		case essential == 0:
			out.addPaired(t)
		case essential == 1 && len(t.paired) == 0:
			s.lead(&t.parts[0], base, end, threshold-rest)
		default:
			s.unite(t, t.parts[:essential], base, end, threshold-rest)
		}
	}
	if len(t.narrow) > 0 {
		out.keepAmong(&s.scratch.joined.in, base)
	}
	for i := range lookUps {
		if len(out.Docs) == 0 {
			break
		}
		if p := &lookUps[i]; p.bound > 0 || t.required {
			rest = max(extra, rest-p.bound)
			s.addHeld(p, base, end, rest, threshold, t.required)
		}
	}
	out.withoutBonus(t)
	for i := range t.extras {
		if len(out.Docs) > 0 && t.bounds[i] > 0 {
			rest = max(0, rest-t.bounds[i])
			s.addHeld(&textPart{step: t.extras[i]}, base, end, rest, threshold, false)
		}
	}
	s.scratch.dirty = false
	return len(out.Docs) == 0 || out.send(&s.mask, sink)
}

// narrowText sets the joined bits to the documents of one or more windows that may be hits, and
// reports whether there may be any.
func (s *Scanner) narrowText(t *text, base, end uint32) bool {
	some := len(t.narrow) == 0
	for i := range s.scratch.joined.in[:(end-base)/Span] {
		in, at := &s.scratch.joined.in[i], base+uint32(i)*Span
		s.mask.window(at, in)
		for _, c := range t.narrow {
			if in.Empty() {
				break
			}
			c.run(at, in, &s.scratch.out, nil)
			*in = s.scratch.out
		}
		some = some || !in.Empty()
	}
	return some
}

// sortParts puts the parts with the highest bounds first. They are few, and nearly in order.
func (t *text) sortParts() {
	for i := range t.parts {
		for ; i > 0 && t.parts[i-1].bound < t.parts[i].bound; i-- {
			t.parts[i-1], t.parts[i] = t.parts[i], t.parts[i-1]
		}
	}
}

// run matches and scores the side of the part.
func (p *textPart) run(base uint32, in, out *Bits, sums *Sums) {
	switch w, _ := p.step.(*wordStep); p.side {
	case asTyped:
		w.runTyped(base, in, out, sums)
	case inBands:
		if p.byBlock { // the documents that hold the word as typed are not known yet
			w.whole.run(base, in, w.heldIn(base), nil)
		}
		w.runBands(base, in, out, sums)
	default:
		p.step.run(base, in, out, sums)
	}
}

// lead appends the documents of a part that score above least to the batch.
func (s *Scanner) lead(p *textPart, base, end uint32, least float64) {
	out := &s.scratch.batch
	switch {
	case p.term != nil:
		s.scoreLead(p.term, base, end, 0, least)
	case p.sum != nil && len(p.sum.parts) <= maxLeadParts:
		if p.sum.lead(out, base, end, least) {
			s.skipped = true
		}
	default:
		s.unite(&text{}, []textPart{*p}, base, end, least)
	}
}

// unite appends the documents that score above least in several parts together to the batch.
func (s *Scanner) unite(t *text, parts []textPart, base, end uint32, least float64) {
	expected, byBlock := 0, true
	for i := range parts {
		switch p := &parts[i]; {
		case p.term != nil:
			expected += p.term.density
		case p.sum != nil:
			expected += p.sum.density()
		default:
			byBlock = false
		}
	}
	u := s.newUnion(base, end, expected < window.FewToMark() || !byBlock)
	for _, p := range t.paired {
		at := p.doc - base
		u.matched[at>>6] |= 1 << (at & 63)
		u.sums[at] = p.bonus
	}
	for i := range parts {
		switch p := &parts[i]; {
		case p.term != nil:
			p.term.addAll(base, end, u.sums, u.marked)
		case p.sum != nil:
			p.sum.addAll(base, end, u.sums, u.marked)
		default:
			for i := range u.windows() {
				matched, sums := u.window(i)
				p.run(base+uint32(i)*Span, &s.scratch.joined.in[i], &s.scratch.out, sums)
				matched.Or(&s.scratch.out)
			}
		}
	}
	s.takeUnion(&u, least)
}

// addPaired fills a batch with the documents that pairs add to.
func (b *batch) addPaired(t *text) {
	docs, sums := b.Memory()
	for i, p := range t.paired {
		docs[i], sums[i] = p.doc, p.bonus
	}
	b.Truncate(len(t.paired))
}

// withoutBonus subtracts the bonus from the documents that pairs add to.
func (b *batch) withoutBonus(t *text) {
	at := 0
	for _, p := range t.paired {
		if at = window.Gallop(b.Docs, at, p.doc); at == len(b.Docs) {
			return
		}
		if b.Docs[at] == p.doc {
			b.Sums[at] -= p.bonus
		}
	}
}

// addHeld adds the scores of a part to the documents of the batch, and drops those that, with
// rest, do not exceed the threshold, as well as those that lack a required part.
func (s *Scanner) addHeld(p *textPart, base, end uint32, rest, threshold float64, required bool) {
	out := &s.scratch.batch
	switch {
	case p.term != nil && required:
		if p.term.keepHeld(out, rest, threshold) {
			s.skipped = true
		}
	case p.term != nil:
		p.term.addHeld(out, rest, threshold)
	case p.sum != nil:
		if p.sum.addHeld(out, rest, threshold, required) {
			s.skipped = true
		}
	default:
		if pair, ok := p.step.(*pairStep); ok {
			pair.addBoth(out.Docs, out.Sums, pair.docs(base, end))
			return
		}
		s.addRun(p, rest, threshold, required)
	}
}

// addRun is addHeld for a part that runs over windows.
func (s *Scanner) addRun(p *textPart, rest, threshold float64, required bool) {
	out := &s.scratch.batch
	docs, sums := out.Docs, out.Sums
	var held [fewRead]bool
	if w, ok := p.step.(*wordStep); ok && w.addFew(p.side, docs, sums, &held) {
		if out.keepFew(&held, rest, threshold, required) {
			s.skipped = true
		}
		return
	}
	in, found := &s.scratch.few, &s.scratch.out
	kept := 0
	for i := 0; i < len(docs); {
		base, first := docs[i]&^(Span-1), i
		*in = Bits{}
		for ; i < len(docs) && docs[i]-base < Span; i++ {
			in.Set(docs[i] - base)
		}
		p.run(base, in, found, s.sums)
		for k, doc := range docs[first:i] {
			at := (doc - base) & (Span - 1)
			if required && !found.Has(at) {
				continue
			}
			sum := sums[first+k] + s.sums[at]
			s.sums[at] = 0
			if sum+rest <= threshold {
				s.skipped = true
				continue
			}
			docs[kept], sums[kept] = doc, sum
			kept++
		}
	}
	out.Docs, out.Sums = docs[:kept], sums[:kept]
}

// keepFew drops the documents that, with rest, do not exceed the threshold, and, if the part is
// required, those that are not held. It reports whether the threshold dropped any.
func (b *batch) keepFew(held *[fewRead]bool, rest, threshold float64, required bool) (dropped bool) {
	kept := 0
	for i, doc := range b.Docs {
		if required && !held[i] {
			continue
		}
		if b.Sums[i]+rest <= threshold {
			dropped = true
			continue
		}
		b.Docs[kept], b.Sums[kept] = doc, b.Sums[i]
		kept++
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
	return dropped
}

// keepAmong drops the documents that are not in the sets of the windows from base on.
func (b *batch) keepAmong(in *[maxWindows]Bits, base uint32) {
	kept := 0
	for i, doc := range b.Docs {
		if in[(doc-base)/Span%maxWindows].Has(doc - base) {
			b.Docs[kept], b.Sums[kept] = doc, b.Sums[i]
			kept++
		}
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
}
