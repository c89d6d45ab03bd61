package match

import (
	"slices"

	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// pairStep matches documents in which two words occur near each other in a field and scores how
// often they do. It reads positions only in documents that hold both words.
type pairStep struct {
	fields []pairField
	weight float64
	half   float64 // occurrences at which half of weight is reached

	first, second []uint32 // positions in the current document
	both          []uint32 // documents with both words, of the last range or, if isWhole, all
	passed        int      // how many of both precede the last range, if isWhole
	isWhole       bool
	found         lastWindow
}

// wholePair is the largest document frequency of the rarer word of a pair for which all
// documents of the pair are found in one pass.
const wholePair = 8192

type pairField struct {
	number        int       // index of the field among those of the words
	first, second *termStep // second bounds the score of the pair
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
		one.field.Iterator(&one.scorer, one.entry)
		one.opened[1] = one.scorer.NextBlock()
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

// bound relies on the fact that a pair is not more frequent than its second word.
func (s *pairStep) bound(from, to uint32) float64 {
	occurrences := 0.0
	for i := range s.fields {
		occurrences += s.fields[i].second.bound(from, to)
	}
	return s.at(occurrences) * score.BoundSlack
}

// maxScore returns a score that no document exceeds.
func (s *pairStep) maxScore() float64 {
	occurrences := 0.0
	for i := range s.fields {
		occurrences += s.fields[i].second.maxScore
	}
	return s.at(occurrences) * score.BoundSlack
}

func (s *pairStep) at(occurrences float64) float64 {
	if occurrences == 0 {
		return 0
	}
	return s.weight * (occurrences / (occurrences + s.half))
}

func (s *pairStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	for _, doc := range s.docs(base, base+Span) {
		at := doc - base
		if !in.Has(at) {
			continue
		}
		if v := s.scoreOf(doc); v > 0 {
			out.Set(at)
			if sums != nil {
				sums[at] += v
			}
		}
	}
}

// isRare reports whether all documents of the pair are found in one pass.
func (s *pairStep) isRare() bool { return s.isWhole || s.cost() <= wholePair }

// docs returns the documents of a range that hold both words in a field, in ascending order.
// Ranges must ascend from call to call. The documents of rare words are found in one pass,
// since most windows have none of them.
func (s *pairStep) docs(base, end uint32) []uint32 {
	if s.isWhole {
		s.passed = window.Gallop(s.both, s.passed, base)
		left := s.both[s.passed:]
		if len(left) == 0 || left[0] >= end {
			return nil
		}
		return left[:window.Gallop(left, 0, end)]
	}
	if s.found.valid && s.found.base == base {
		return s.both
	}
	if !s.found.valid && s.isRare() {
		s.isWhole = true
		s.find(base, NoMore)
		return s.docs(base, end)
	}
	s.found = lastWindow{base, true}
	s.find(base, end)
	return s.both
}

// find sets both to the documents of a range.
func (s *pairStep) find(from, to uint32) {
	s.both = s.both[:0]
	for i := range s.fields {
		s.both = s.fields[i].appendBoth(s.both, from, to)
	}
	if len(s.fields) > 1 {
		slices.Sort(s.both)
		s.both = slices.Compact(s.both)
	}
}

// appendBoth appends the documents of a range that hold both words.
func (f *pairField) appendBoth(both []uint32, from, to uint32) []uint32 {
	rare, other := f.first, f.second
	if rare.cost() > other.cost() {
		rare, other = other, rare
	}
	lead, it := rare.finder(), other.finder()
	var j join
	for open := lead.SeekBlock(from); open && lead.FirstDoc() < to; open = lead.NextBlock() {
		docs := lead.Docs()
		if docs[0] < from {
			docs = docs[postings.LowerBound(docs, from):]
		}
		isLast := lead.LastDoc() >= to
		if isLast {
			docs = docs[:postings.LowerBound(docs, to)]
		}
		both = appendHeld(both, docs, it, &j)
		if isLast {
			break
		}
	}
	return both
}

// appendHeld appends those of docs, in ascending order, that a term holds. It is a join that
// does not report indexes in blocks.
func appendHeld(dst, docs []uint32, it *postings.Iterator, j *join) []uint32 {
	for len(docs) > 0 && it.SeekBlock(docs[0]) {
		n, last := min(len(docs), chunk), it.LastDoc()
		if docs[n-1] > last {
			n = postings.LowerBound(docs[:n], last+1)
		}
		run := docs[:n]
		docs = docs[n:]
		if run[n-1] < it.FirstDoc() {
			continue
		}
		if held, ok := it.AppendHeldBits(dst, run); ok {
			dst = held
			continue
		}
		for _, at := range j.found[:window.Intersect(run, it.Docs(), j.found[:], j.places[:])] {
			dst = append(dst, run[at])
		}
	}
	return dst
}

// addHeld adds the scores of the pair to the documents of a batch, in ascending order. It
// visits only windows that have some of them.
func (s *pairStep) addHeld(out *batch) {
	docs, sums := out.Docs, out.Sums
	for len(docs) > 0 {
		base := docs[0] &^ (Span - 1)
		n := window.Gallop(docs, 0, base+Span)
		s.addBoth(docs[:n], sums, s.docs(base, base+Span))
		docs, sums = docs[n:], sums[n:]
	}
}

// addBoth adds the scores of those documents that are in both; docs and both are in ascending
// order.
func (s *pairStep) addBoth(docs []uint32, sums []float64, both []uint32) {
	at := 0
	for _, doc := range both {
		if at = window.Gallop(docs, at, doc); at == len(docs) {
			return
		}
		if docs[at] == doc {
			sums[at] += s.scoreOf(doc)
		}
	}
}

// scoreOf returns the score of a document.
func (s *pairStep) scoreOf(doc uint32) float64 {
	occurrences := 0.0
	for i := range s.fields {
		occurrences += s.near(&s.fields[i], doc)
	}
	return s.at(occurrences)
}

// near returns how often the words occur near each other in a document that holds both,
// weighted by field and length.
func (s *pairStep) near(f *pairField, doc uint32) float64 {
	one, at := f.first.scorer.Seek(doc)
	other, index := f.second.scorer.Seek(doc)
	if one != doc || other != doc {
		return 0
	}
	s.first = f.first.scorer.AppendPositions(s.first[:0], at)
	s.second = f.second.scorer.AppendPositions(s.second[:0], index)
	if n := countNear(s.first, s.second); n > 0 {
		return float64(f.second.table.Part(n, lengthOf(f.second.lengths, doc)))
	}
	return 0
}

// countNear counts the positions of the second word that have one of the first near them.
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

// PairReading explains how two words that occur near each other score in a document.
type PairReading struct {
	Mean, IDF float64
	Fields    []FieldReading // Terms holds the number of such occurrences
}

// Pair explains how a pair scores in a document or list value; the reading has no fields when
// the pair does not match. The pair must have been prepared.
func (v *View) Pair(segment int, n *plan.Pair, doc uint32) (*PairReading, error) {
	var b binder
	b.init(v, segment, true)
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
