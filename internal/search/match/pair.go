package match

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
)

// pairStep matches documents in which two words stand near each other in a
// field and scores how often they do. It reads positions, of documents that
// hold both words alone.
type pairStep struct {
	fields []pairField
	weight float64
	half   float64 // occurrences at which half of the weight is reached

	first, second []uint32 // positions in the document looked at
}

type pairField struct {
	number        int       // of the words' fields
	first, second *termStep // the second bounds what the pair scores
}

// pair returns the step of a pair.
func (b *binder) pair(n *plan.Pair, factor float64) step {
	first, second := b.view.preparedWord(n.First), b.view.preparedWord(n.Second)
	if !b.scoring || !first.isKnown || !second.isKnown {
		return noStep{}
	}
	s := &pairStep{weight: factor * score.PairWeight * first.mean * min(first.idf, second.idf), half: score.K1 * first.mean}
	if s.weight == 0 {
		return noStep{}
	}
	for _, in := range n.Fields {
		f := &n.First.Fields[in.Field]
		one, other := b.held(f.Structure, in.First), b.held(f.Structure, in.Second)
		if one == nil || other == nil {
			continue
		}
		one.field.Iterator(&one.grade, one.entry)
		one.opened[1] = one.grade.NextBlock()
		other.scoreBy(b.view.table(f.Structure, score.Form{Length: f.Length, Weight: f.Weight}), 1, false)
		s.fields = append(s.fields, pairField{in.Field, one, other})
	}
	if len(s.fields) == 0 {
		return noStep{}
	}
	return s
}

func (s *pairStep) cost() int {
	total := 0
	for i := range s.fields {
		total += min(s.fields[i].first.cost(), s.fields[i].second.cost())
	}
	return total
}

func (s *pairStep) next(from uint32) uint32 {
	at := NoMore
	for i := range s.fields {
		at = min(at, max(s.fields[i].first.next(from), s.fields[i].second.next(from)))
	}
	return at
}

// bound uses that a pair is no more frequent than its second word.
func (s *pairStep) bound(from, to uint32) float64 {
	occurrences := 0.0
	for i := range s.fields {
		occurrences += s.fields[i].second.bound(from, to)
	}
	return s.at(occurrences) * (1 + 1e-6)
}

func (s *pairStep) at(occurrences float64) float64 {
	if occurrences == 0 {
		return 0
	}
	return s.weight * (occurrences / (occurrences + s.half))
}

func (s *pairStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	var few [4]Bits
	fields, holding := s.fields, few[:]
	if len(fields) > len(few) {
		holding = make([]Bits, len(fields))
	}
	for i := range fields {
		var first Bits
		fields[i].first.run(base, in, &first, nil)
		if first.Empty() {
			continue
		}
		fields[i].second.run(base, &first, &holding[i], nil)
		out.Or(&holding[i])
	}
	for i, w := range out {
		for w != 0 {
			at := uint32(i<<6 + bits.TrailingZeros64(w))
			w &= w - 1
			occurrences := 0.0
			for j := range fields {
				if holding[j].Has(at) {
					occurrences += s.near(&fields[j], base+at)
				}
			}
			if occurrences == 0 {
				out[i] &^= 1 << (at & 63)
			} else if sums != nil {
				sums[at] += s.at(occurrences)
			}
		}
	}
}

// near is how often the words stand near each other in a document that holds
// both, by weight and length.
func (s *pairStep) near(f *pairField, doc uint32) float64 {
	one, at := f.first.grade.Seek(doc)
	other, index := f.second.grade.Seek(doc)
	if one != doc || other != doc {
		return 0
	}
	s.first = f.first.grade.AppendPositions(s.first[:0], at)
	s.second = f.second.grade.AppendPositions(s.second[:0], index)
	if n := countNear(s.first, s.second); n > 0 {
		return float64(f.second.table.Part(n, lengthOf(f.second.lengths, doc)))
	}
	return 0
}

// countNear counts the positions of the second word that have one of the first
// near them.
func countNear(first, second []uint32) uint32 {
	n, i := uint32(0), 0
	for _, at := range second {
		for i < len(first) && first[i]+score.Near < at {
			i++
		}
		if i < len(first) && first[i] <= at+score.Near {
			n++
		}
	}
	return n
}

// PairReading is what two words that stand near each other score in a document.
type PairReading struct {
	Mean, IDF float64
	Fields    []FieldReading // with the places that count in place of terms
}

// Pair returns how a pair scores in a document, or list value; without fields
// where it does not. The pair must have been prepared.
func (v *View) Pair(segment int, n *plan.Pair, doc uint32) (*PairReading, error) {
	var b binder
	b.set(v, segment, true)
	defer b.release()
	s, ok := b.pair(n, 1).(*pairStep)
	if !ok {
		return &PairReading{}, nil
	}
	first, second := v.preparedWord(n.First), v.preparedWord(n.Second)
	r := &PairReading{Mean: first.mean, IDF: min(first.idf, second.idf)}
	for i := range s.fields {
		f := &s.fields[i]
		weighted := s.near(f, doc)
		if weighted == 0 {
			continue
		}
		of := v.fieldReading(segment, &n.First.Fields[f.number], doc)
		of.Weighted = weighted
		of.Terms = []TermReading{{Frequency: float64(countNear(s.first, s.second))}}
		r.Fields = append(r.Fields, of)
	}
	return r, nil
}
