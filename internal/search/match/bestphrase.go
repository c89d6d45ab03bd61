package match

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/score"
)

// simple reports whether every word of the phrase is one term, and the phrase
// scores.
func (s *phraseStep) simple() bool {
	if s.table == nil {
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
			out.docs = append(out.docs, docs[first:last]...)
			out.sums = out.sumsRoom[:last-first]
			for _, t := range words[1:] {
				t.keepHeld(out, 0, -1)
			}
			if len(out.docs) > 0 && s.gradePhrases(p, out, floor) {
				s.skipped = true
			}
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

// gradePhrases keeps the documents of a batch that hold the phrase and exceed
// the floor. It reports whether documents were dropped for the floor.
func (s *Scanner) gradePhrases(p *phraseStep, out *batch, floor float64) (dropped bool) {
	kept := 0
	for _, doc := range out.docs {
		length := byte(0)
		if int(doc) < len(p.lengths) {
			length = p.lengths[doc]
		}
		if floor > 0 {
			least := ^uint32(0)
			for i := range p.slots {
				it := &p.slots[i].parts[0].it
				at, index := it.Seek(doc)
				if at != doc {
					least = 0
					break
				}
				least = min(least, it.FreqAt(index))
			}
			if least == 0 || float64(score.Raise(p.weight*p.table.Part(least, length))) <= floor {
				dropped = true
				continue
			}
		}
		f := p.frequency(doc)
		if f == 0 {
			continue
		}
		out.docs[kept] = doc
		out.sums[kept] = float64(p.weight * p.table.PartOf(float64(f), length))
		kept++
	}
	out.docs, out.sums = out.docs[:kept], out.sums[:kept]
	return dropped
}
