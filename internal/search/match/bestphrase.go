package match

import (
	"context"
	"slices"
)

// simple reports whether every word of the phrase is one term, and the phrase
// scores.
func (s *phraseStep) simple() bool {
	if s.table == nil || len(s.lengths) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.slots, func(w slot) bool { return len(w.parts) != 1 })
}

// bestOfPhrase walks the blocks of the rarest word. Documents that hold all
// words are found by blocks; their positions are read only when the rarest
// occurrence count of a word lets the phrase exceed the floor.
func (s *Scanner) bestOfPhrase(ctx context.Context, p *phraseStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	words := make([]*termStep, len(p.byCost))
	for i, number := range p.byCost {
		for _, finder := range p.find.steps {
			if t := finder.(*termStep); t.entry == p.slots[number].entry && !slices.Contains(words, t) {
				words[i] = t
				break
			}
		}
	}
	lead := words[0].finder()
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
		docs := lead.Docs()
		for first := 0; first < len(docs); first += chunk {
			last := min(first+chunk, len(docs))
			if docs[last-1] < from {
				continue
			}
			if docs[first] >= to {
				return nil
			}
			if floor > 0 && p.bound(docs[first], docs[last-1]+1) <= floor {
				s.skipped = true
				continue
			}
			out := &s.room.batch
			out.reset()
			if floor > 0 && p.limits(p.byCost[0]) {
				// A phrase is no more frequent than its rarest word here.
				n := p.table.Grade(p.weight, docs[first:last], lead.Freqs()[first:], p.lengths, float32(floor/(1+1e-6)), out.docsRoom[:], out.sumsRoom[:], 0)
				out.docs, out.sums = out.docsRoom[:n], out.sumsRoom[:n]
			} else {
				out.docs = append(out.docs, docs[first:last]...)
				out.sums = out.sumsRoom[:last-first]
			}
			s.skipped = s.skipped || len(out.docs) < last-first
			for i, t := range words[1:] {
				least := floor
				if !p.limits(p.byCost[i+1]) {
					least = -1
				}
				if len(out.docs) > 0 && t.keepFrequent(out, p, least) {
					s.skipped = true
				}
			}
			s.gradePhrases(p, out)
			if len(out.docs) == 0 {
				continue
			}
			if !out.sendWithin(&s.mask, from, to, sink) {
				s.skipped = true
				return nil
			}
			if sink.Prunes() {
				floor = sink.Floor()
			}
		}
	}
	return nil
}

// keepFrequent drops the documents that do not hold a word of the phrase, or
// not often enough to exceed the floor. It reports whether the floor dropped
// any.
func (s *termStep) keepFrequent(out *batch, p *phraseStep, floor float64) (dropped bool) {
	it := s.finder()
	least := float32(floor / (1 + 1e-6))
	var found, places [chunk]uint16
	kept := 0
	for from := 0; from < len(out.docs) && it.SeekBlock(out.docs[from]); {
		to, last := from+1, it.LastDoc()
		for to < len(out.docs) && out.docs[to] <= last {
			to++
		}
		n := intersect(out.docs[from:to], it.Docs(), found[:], places[:])
		for i := range n {
			doc := out.docs[from+int(found[i])]
			if floor > 0 && p.weight*p.table.Part(it.FreqAt(int(places[i])), p.lengths[doc]) <= least {
				dropped = true
				continue
			}
			out.docs[kept] = doc
			kept++
		}
		from = to
	}
	out.docs, out.sums = out.docs[:kept], out.sums[:kept]
	return dropped
}

// gradePhrases keeps the documents of a batch that hold the phrase.
func (s *Scanner) gradePhrases(p *phraseStep, out *batch) {
	kept := 0
	for _, doc := range out.docs {
		f := p.frequency(doc)
		if f == 0 {
			continue
		}
		out.docs[kept] = doc
		out.sums[kept] = float64(p.weight * p.table.PartOf(float64(f), p.lengths[doc]))
		kept++
	}
	out.docs, out.sums = out.docs[:kept], out.sums[:kept]
}
