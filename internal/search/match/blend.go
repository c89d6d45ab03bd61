package match

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// blendStep scores several terms as one: their occurrences, each counted by
// its boost, add up before they saturate (7.7).
type blendStep struct {
	find     orStep
	parts    []blendPart
	lengths  []byte
	table    *score.Table
	weight   float32
	counts   [Span]float32 // occurrences in the window; zero between runs
	busy     bool          // in the middle of a run
	wholeTop float64
}

type blendPart struct {
	it     *postings.Iterator // lent by the term that finds
	opened bool
	boost  float32
}

func (b *binder) blend(n *plan.Blend, factor float64) step {
	field := b.segment.Reader.Terms(n.Structure)
	if field == nil {
		return noStep{}
	}
	s := b.newBlend()
	var holders uint64
	for _, t := range n.Terms {
		stats := b.view.preparedTerm(n.Structure, t.Text)
		holders = max(holders, stats.holders)
		entry := stats.entries[b.number]
		if entry.DocFreq == 0 {
			continue
		}
		term := b.newTerm(field, entry)
		field.Iterator(&term.grade, entry)
		s.find.steps = append(s.find.steps, term)
		s.parts = append(s.parts, blendPart{it: &term.grade, opened: term.grade.NextBlock(), boost: float32(t.Boost)})
	}
	if len(s.parts) == 0 {
		return noStep{}
	}
	weight := factor * n.Scoring.Weight * score.IDF(holders, b.view.preparedField(n.Structure).documents)
	if !b.scoring || weight == 0 {
		return &s.find
	}
	s.lengths = field.Lengths()
	s.table = b.view.table(n.Structure, &n.Scoring)
	s.weight = float32(weight)
	s.wholeTop = float64(score.Ceiling(s.weight))
	return s
}

func (s *blendStep) cost() int                     { return s.find.cost() }
func (s *blendStep) bound(from, to uint32) float64 { return s.wholeTop }

func (s *blendStep) next(from uint32) uint32 {
	at := NoMore
	for i := range s.parts {
		p := &s.parts[i]
		if p.opened && p.it.SeekBlock(from) {
			at = min(at, max(from, p.it.FirstDoc()))
		}
	}
	return at
}

func (s *blendStep) run(base uint32, in, out *Bits, sums *Sums) {
	if sums == nil {
		s.find.run(base, in, out, nil)
		return
	}
	s.busy = true
	*out = Bits{}
	for i := range s.parts {
		s.count(&s.parts[i], base, in, out)
	}
	for i, w := range out {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			if f := s.counts[at]; f > 0 {
				length := byte(0)
				if doc := int(base) + at; doc < len(s.lengths) {
					length = s.lengths[doc]
				}
				sums[at] += float64(s.weight * s.table.PartOf(float64(f), length))
			}
			s.counts[at] = 0
		}
	}
	s.busy = false
}

// count adds the occurrences of one term in the window.
func (s *blendStep) count(p *blendPart, base uint32, in, out *Bits) {
	for p.opened = p.opened && p.it.SeekBlock(base); p.opened; p.opened = p.it.NextBlock() {
		if p.it.FirstDoc() >= base+Span {
			return
		}
		freqs := p.it.Freqs()
		for i, doc := range p.it.Docs() {
			if at := doc - base; at < Span && in.Has(at) {
				out.Set(at)
				s.counts[at] += p.boost * float32(freqs[i])
			}
		}
		if p.it.LastDoc() >= base+Span {
			return
		}
	}
}
