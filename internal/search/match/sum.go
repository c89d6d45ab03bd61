package match

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/search/score"
)

// sumStep scores the terms of a word over several fields as one (BM25F): their weighted
// occurrences add up before they saturate.
//
// Robertson, Zaragoza, Taylor: Simple BM25 extension to multiple weighted fields, CIKM 2004.
// Example: title with weight 3, body with weight 1. A document of average lengths that holds
// the word once in the title and twice in the body has 3 + 2 = 5 weighted occurrences; the mean
// weight is 1.2, so they saturate to 5 ÷ (5 + 2 × 1.2).
//
// Most documents hold a word in one field only, and their scores are read from a table. So the
// postings of every field are scored block by block as if there were no other field.
// Intersecting the blocks finds the documents that several fields hold: their occurrences are
// added up and saturated again.
type sumStep struct {
	parts  []sumPart // the shortest postings first
	silent orStep    // terms that match without scoring
	found  memo      // matches of silent
	curve  curve
	weight float32 // of the quality

	one  Sums // of a window; zero between runs
	busy bool // in the middle of a run
	tmp  Bits

	blocks     []block    // by part, of the current range
	minor      block      // see addAll
	bounds     [2]float64 // occurrences of the first parts in the last range bounded
	both       heldDocs   // documents of the range that several parts hold
	all, other heldDocs   // see findSeveral
	scratch    scored     // see merge
	docs       []uint32   // see runFew
	readings   []heldWord // see lookUp
	join       join       // see lookUp
	held       []heldAt   // see addLookedUp
}

// scored holds documents with scores.
type scored struct {
	docs []uint32
	sums []float64
}

// sumPart is a term of a sum.
type sumPart struct {
	*termStep               // scores its weighted occurrences
	alone     *score.Table  // quality of a document that holds this term alone
	shares    *[256]float32 // nil when shares do not count
}

// heldWord is what a document holds of a word.
type heldWord struct {
	occurrences float64 // weighted
	score       float64
	apart       float64 // sum of the scores of each part alone
	share       float32
	parts       int32 // number of parts that the document holds
}

// heldDocs holds documents in ascending order, with what they hold of a word.
type heldDocs struct {
	docs     []uint32
	readings []heldWord
}

func (h *heldDocs) reset() { h.docs, h.readings = h.docs[:0], h.readings[:0] }

func (h *heldDocs) add(doc uint32, r heldWord) {
	h.docs, h.readings = append(h.docs, doc), append(h.readings, r)
}

// curve maps the weighted occurrences of a word, and its share in a value, to a score.
type curve struct {
	half  float64 // occurrences at which half of gain is reached
	least float64 // score of every document that holds the word
	gain  float64 // maximum of saturation
	share float64 // score of a value that consists of the word alone
}

// newCurve returns the curve of a word in a text with n distinct words.
func newCurve(weight, mean float64, n int) curve {
	whole := 1 + score.Presence(n) + score.Share(n)
	return curve{
		half:  score.K1 * mean,
		gain:  weight / whole,
		least: weight * score.Presence(n) / whole,
		share: weight * score.Share(n) / whole,
	}
}

// within returns the curve of a reading whose scores lie in a range.
func (c curve) within(weight float64, r score.Range) curve {
	c.gain *= r.Span
	c.share *= r.Span
	c.least = weight*r.Least + c.least*r.Span
	return c
}

// at returns the score of occurrences above zero.
func (c *curve) at(occurrences, share float64) float64 {
	return float64(c.gain*(occurrences/(occurrences+c.half))) + c.least + float64(c.share*share)
}

// top returns a score that no document exceeds.
func (c *curve) top() float64 { return c.gain + c.least + c.share }

// occurrencesAbove returns a lower bound of the occurrences that score above least.
func (c *curve) occurrencesAbove(least float64) float64 {
	part := (least/score.BoundSlack - c.least - c.share) / c.gain
	switch {
	case part <= 0:
		return 0
	case part >= 1:
		return math.Inf(1)
	}
	return c.half * part / (1 - part) / score.BoundSlack
}

// scoreBy makes the step score by a curve, and orders the parts.
func (s *sumStep) scoreBy(c curve, weight float64) {
	s.curve, s.weight = c, float32(weight)
	if !slices.ContainsFunc(s.parts, func(p sumPart) bool { return p.shares != nil }) {
		s.curve.share = 0
	}
	slices.SortStableFunc(s.parts, func(a, b sumPart) int { return cmp.Compare(a.cost(), b.cost()) })
}

func (s *sumStep) cost() int {
	total := s.silent.cost()
	for _, p := range s.parts {
		total += p.cost()
	}
	return total
}

func (s *sumStep) next(from uint32) uint32 {
	at := s.silent.next(from)
	for _, p := range s.parts {
		if at == from {
			break
		}
		at = min(at, p.next(from))
	}
	return at
}

func (s *sumStep) bound(from, to uint32) float64 {
	occurrences, share := 0.0, 0.0
	for i := range s.parts {
		p := &s.parts[i]
		b := p.bound(from, to)
		if i < len(s.bounds) {
			s.bounds[i] = b
		}
		if occurrences += b; b > 0 && p.shares != nil {
			share = 1
		}
	}
	if occurrences == 0 {
		return 0
	}
	return s.curve.at(occurrences, share) * score.BoundSlack
}

// maxScore returns a score that no document exceeds.
func (s *sumStep) maxScore() float64 {
	occurrences := 0.0
	for _, p := range s.parts {
		occurrences += p.maxScore
	}
	return s.curve.at(occurrences, 1) * score.BoundSlack
}

// density is the average number of documents per window that hold the word.
func (s *sumStep) density() int {
	total := 0
	for _, p := range s.parts {
		total += p.density
	}
	return total
}

// isPlain reports whether all parts score and have lengths, so that documents can be scored
// block by block.
func (s *sumStep) isPlain() bool {
	for _, p := range s.parts {
		if len(p.lengths) == 0 || !p.opened[1] {
			return false
		}
	}
	return len(s.parts) > 0 && len(s.silent.steps) == 0
}

func (s *sumStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	if len(s.silent.steps) > 0 {
		if sums == nil || !s.found.recall(base, in, out) {
			s.silent.run(base, in, out, nil)
			s.found.keep(base, out)
		}
	}
	switch {
	case sums == nil:
		for _, p := range s.parts { // next cannot tell: the postings of scorer may have passed the window
			p.run(base, in, &s.tmp, nil)
			out.Or(&s.tmp)
		}
	case in.Count()*seekShare < s.density() || len(s.silent.steps) > 0 || !s.isPlain():
		s.runFew(base, in, out, sums)
	default:
		s.runAll(base, in, out, sums)
	}
}

// runFew scores the documents of in by looking up each one.
func (s *sumStep) runFew(base uint32, in, out *Bits, sums *Sums) {
	s.docs = in.AppendDocs(s.docs[:0], base)
	for i, r := range s.lookUp(s.docs) {
		if r.parts > 0 {
			at := s.docs[i] - base
			out.Set(at)
			sums[at] += r.score
		}
	}
}

// runAll scores all documents of a window and keeps those in in.
func (s *sumStep) runAll(base uint32, in, out *Bits, sums *Sums) {
	s.busy = true
	s.tmp = Bits{}
	s.addAll(base, base+Span, s.one[:], s.tmp[:])
	for i, w := range s.tmp {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			if in[i]&(w&-w) != 0 {
				sums[at] += s.one[at]
			}
			s.one[at] = 0
		}
		out[i] |= s.tmp[i] & in[i]
	}
	s.busy = false
}

// hold adds the occurrences in one more part to what a document holds.
func (s *sumStep) hold(r *heldWord, p *sumPart, doc, frequency uint32) {
	length := lengthOf(p.lengths, doc)
	r.parts++
	r.occurrences += float64(p.weight * p.table.Part(frequency, length))
	if p.shares != nil {
		r.share = max(r.share, p.shares[length])
	}
	alone := float64(s.weight * p.alone.Part(frequency, length))
	if r.apart += alone; r.parts == 1 {
		r.score = alone
	} else {
		r.score = s.saturated(r)
	}
}

// saturated returns the score of what a document holds in several parts. It is rounded like all
// scores of words, so that the order of adding does not matter.
func (s *sumStep) saturated(r *heldWord) float64 {
	return float64(float32(s.curve.at(r.occurrences, float64(r.share))))
}

// lookUp returns what the given documents, in ascending order, hold of the word. The result is
// valid until the next call.
func (s *sumStep) lookUp(docs []uint32) []heldWord {
	s.readings = append(s.readings[:0], make([]heldWord, len(docs))...)
	j := &s.join
	for i := range s.parts {
		p := &s.parts[i]
		if !p.opened[1] {
			continue
		}
		j.start(&p.scorer, docs)
		for n := j.next(); n > 0; n = j.next() {
			for i := range n {
				at, place := j.match(i)
				s.hold(&s.readings[at], p, docs[at], p.scorer.FreqAt(place))
			}
		}
	}
	return s.readings
}

// addHeld adds the scores of the word to the documents of a batch. It drops those that, with
// rest, do not exceed the threshold, and reports whether there were any. If the word is
// required, it also drops documents that do not hold it.
func (s *sumStep) addHeld(out *batch, rest, threshold float64, required bool) (dropped bool) {
	if !required && len(s.parts) <= 2 {
		return s.addLookedUp(out, rest, threshold)
	}
	kept := 0
	docs, sums := out.Docs, out.Sums
	readings := s.lookUp(docs)
	for i := range readings {
		r := &readings[i]
		if required && r.parts == 0 {
			continue
		}
		sum := sums[i] + r.score
		if sum+rest <= threshold {
			dropped = true
			continue
		}
		docs[kept], sums[kept] = docs[i], sum
		kept++
	}
	out.Docs, out.Sums = docs[:kept], sums[:kept]
	return dropped
}

// heldAt is what the document at an index of a batch holds of a word in one part.
type heldAt struct {
	heldWord
	at int
}

// addLookedUp is addHeld for at most two parts of a word that is not required, in the last
// range bounded. It first adds the score of the first part alone, and corrects it if the
// second part also holds the document.
func (s *sumStep) addLookedUp(out *batch, rest, threshold float64) (dropped bool) {
	docs, sums := out.Docs, out.Sums
	j := &s.join
	first, before := s.held[:0], 0 // documents of the first part; how many are passed
	for i := range s.parts {
		p := &s.parts[i]
		if s.bounds[i] == 0 {
			continue // no document in the range
		}
		j.start(&p.scorer, docs)
		for n := j.next(); n > 0; n = j.next() {
			freqs := p.scorer.Freqs()
			for k := range n {
				at, place := j.match(k)
				r := heldAt{at: at}
				if i > 0 {
					for before < len(first) && first[before].at < at {
						before++
					}
					if before < len(first) && first[before].at == at {
						r = first[before]
					}
				}
				alone := r.score
				s.hold(&r.heldWord, p, docs[at], freqs[place])
				sums[at] += r.score - alone
				if i == 0 && len(s.parts) > 1 {
					first = append(first, r)
				}
			}
		}
	}
	s.held = first
	out.KeepAbove(rest, threshold)
	return len(out.Docs) < len(docs)
}

// lengthOf returns the length byte of a document.
func lengthOf(lengths []byte, doc uint32) byte {
	if int(doc) < len(lengths) {
		return lengths[doc]
	}
	return 0
}
