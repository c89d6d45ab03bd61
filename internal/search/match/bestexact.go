package match

import "context"

// exactly reports whether the phrase is one of single terms without other
// words between, which is found by narrowing the places where it may start.
func (s *phraseStep) exactly() bool { return s.slop == 0 && len(s.slots) > 1 && s.simple() }

// place is a document in which a phrase may stand: where, as a part of the
// starts.
type place struct{ from, to int }

// bestOfExact walks the blocks of the rarest word. In documents that hold the
// next word too, and both often enough to exceed the floor, positions are
// read at once; what is left of the places is looked up for the next word.
func (s *Scanner) bestOfExact(ctx context.Context, p *phraseStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	words := make([]*slot, len(p.byCost))
	for i, number := range p.byCost {
		words[i] = &p.slots[number]
		if !words[i].parts[0].opened {
			return nil
		}
	}
	lead := words[0].parts[0].it
	out := &s.room.batch
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
		if floor > 0 && p.bound(lead.FirstDoc(), lead.LastDoc()+1) <= floor {
			s.skipped = true
			continue
		}
		dropped := p.pair(words[0], words[1], out, floor)
		for _, word := range words[2:] {
			dropped = p.narrow(word, out, floor) || dropped
		}
		s.skipped = s.skipped || dropped
		for i, doc := range out.docs {
			found := p.places[i].to - p.places[i].from
			out.sums[i] = float64(p.weight * p.table.PartOf(float64(found), p.lengths[doc]))
		}
		if len(out.docs) > 0 && !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// tooRare reports whether so many phrases in a document do not exceed the
// floor.
func (s *phraseStep) tooRare(doc, frequency uint32, floor float64) bool {
	return floor > 0 && s.weight*s.table.Part(frequency, s.lengths[doc]) <= float32(floor/(1+1e-6))
}

// pair leaves the documents of the current block of one word in the batch in
// which the other word stands at its distance, and the places where the phrase
// may start. It reports whether the floor dropped any.
func (s *phraseStep) pair(first, second *slot, out *batch, floor float64) (dropped bool) {
	lead, it := first.parts[0].it, second.parts[0].it
	s.starts, s.places = s.starts[:0], s.places[:0]
	docs := lead.Docs()
	var found, places [chunk]uint16
	kept := 0
	for from := 0; from < len(docs) && it.SeekBlock(docs[from]); {
		to, last := len(docs), it.LastDoc()
		if docs[to-1] > last {
			to = lowerBound(docs, last+1)
		}
		n := intersect(docs[from:to], it.Docs(), found[:], places[:])
		for i := range n {
			mine, other := from+int(found[i]), int(places[i])
			doc := docs[mine]
			if s.tooRare(doc, min(lead.FreqAt(mine), it.FreqAt(other)), floor) {
				dropped = true
				continue
			}
			at := len(s.starts)
			s.starts = appendStarts(lead.AppendPositions(s.starts, mine), at, first.offset)
			s.other = it.AppendPositions(s.other[:0], other)
			left := len(intersectShifted(s.starts[at:], s.other, second.offset))
			s.starts = s.starts[:at+left]
			if left > 0 {
				out.docsRoom[kept] = doc
				s.places = append(s.places, place{at, at + left})
				kept++
			}
		}
		from = to
	}
	out.docs, out.sums = out.docsRoom[:kept], out.sumsRoom[:kept]
	return dropped
}

// appendStarts turns the positions of a word behind at into starts of the
// phrase.
func appendStarts(positions []uint32, at int, offset uint32) []uint32 {
	kept := at
	for _, p := range positions[at:] {
		if p >= offset {
			positions[kept] = p - offset
			kept++
		}
	}
	return positions[:kept]
}

// narrow keeps the documents of the batch in which another word stands where
// the phrase needs it.
func (s *phraseStep) narrow(word *slot, out *batch, floor float64) (dropped bool) {
	it := word.parts[0].it
	var found, places [chunk]uint16
	kept := 0
	for from := 0; from < len(out.docs) && it.SeekBlock(out.docs[from]); {
		to, last := len(out.docs), it.LastDoc()
		if out.docs[to-1] > last {
			to = lowerBound(out.docs, last+1)
		}
		n := intersect(out.docs[from:to], it.Docs(), found[:], places[:])
		for i := range n {
			mine, other := from+int(found[i]), int(places[i])
			doc, starts := out.docs[mine], s.places[mine]
			if s.tooRare(doc, min(uint32(starts.to-starts.from), it.FreqAt(other)), floor) {
				dropped = true
				continue
			}
			s.other = it.AppendPositions(s.other[:0], other)
			left := len(intersectShifted(s.starts[starts.from:starts.to], s.other, word.offset))
			if left > 0 {
				out.docs[kept], s.places[kept] = doc, place{starts.from, starts.from + left}
				kept++
			}
		}
		from = to
	}
	out.docs, out.sums = out.docs[:kept], out.sums[:kept]
	return dropped
}
