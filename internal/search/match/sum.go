package match

import (
	"math"
	"math/bits"

	"github.com/quiresearch/quire/internal/search/score"
)

// sumStep scores the terms of a word over several fields as one (BM25F): their
// weighted occurrences add up before they saturate.
//
// Robertson, Zaragoza, Taylor: Simple BM25 extension to multiple weighted
// fields, CIKM 2004. Example: title with weight 3, body with weight 1, a
// document that holds the word once in a title and twice in a body of average
// lengths has 3 + 2 = 5 weighted occurrences; the mean weight is 1.2, so they
// saturate to 5 ÷ (5 + 2 × 1.2).
type sumStep struct {
	parts  []*termStep // of which each scores its weighted occurrences
	shares []*[256]float32
	silent orStep // terms that only match
	found  memo   // of silent
	curve  curve

	occurrences Sums          // in the window; zero between runs
	share       [Span]float32 // as well
	busy        bool          // in the middle of a run
	tmp         Bits
}

// curve turns the weighted occurrences of a word, and its share in a value,
// into a score.
type curve struct {
	half  float64 // occurrences at which half is reached
	least float64 // of every document that holds the word
	gain  float64 // of saturation
	share float64 // of a value that is nothing but the word
}

// newCurve returns the curve of a word of a text with n distinct words.
func newCurve(weight, mean float64, n int) curve {
	whole := 1 + score.Presence(n) + score.Share(n)
	return curve{
		half:  score.K1 * mean,
		gain:  weight / whole,
		least: weight * score.Presence(n) / whole,
		share: weight * score.Share(n) / whole,
	}
}

// within is the curve of a reading that lies in a range.
func (c curve) within(weight float64, r score.Reading) curve {
	c.gain *= r.Span
	c.share *= r.Span
	c.least = weight*r.Least + c.least*r.Span
	return c
}

// at is the score of occurrences above zero.
func (c *curve) at(occurrences, share float64) float64 {
	return float64(c.gain*(occurrences/(occurrences+c.half))) + c.least + float64(c.share*share)
}

// top is the score that no document exceeds.
func (c *curve) top() float64 { return c.gain + c.least + c.share }

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
		at = min(at, p.next(from))
	}
	return at
}

func (s *sumStep) bound(from, to uint32) float64 {
	occurrences, share := 0.0, 0.0
	for i, p := range s.parts {
		b := p.bound(from, to)
		if occurrences += b; b > 0 && s.shares[i] != nil {
			share = 1
		}
	}
	if occurrences == 0 {
		return 0
	}
	return s.curve.at(occurrences, share) * (1 + 1e-6)
}

func (s *sumStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	if len(s.silent.steps) > 0 {
		if sums == nil || !s.found.recall(base, in, out) {
			s.silent.run(base, in, out, nil)
			s.found.keep(base, out)
		}
	}
	if sums == nil {
		for _, p := range s.parts {
			if n := p.next(base); n == NoMore || n-base >= Span {
				continue
			}
			p.run(base, in, &s.tmp, nil)
			out.Or(&s.tmp)
		}
		return
	}
	if s.isDense(in) {
		var found Bits
		s.lead(base, in, &found, sums, 0)
		out.Or(&found)
		return
	}
	s.busy = true
	for i, p := range s.parts {
		p.run(base, in, &s.tmp, &s.occurrences)
		out.Or(&s.tmp)
		if s.shares[i] != nil {
			s.addShares(base, p.lengths, s.shares[i])
		}
	}
	s.score(out, sums)
	s.busy = false
}

// score adds the scores of documents and sets their occurrences to zero.
func (s *sumStep) score(found *Bits, sums *Sums) {
	for i, w := range found {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			if t := s.occurrences[at]; t > 0 {
				sums[at] += s.curve.at(t, float64(s.share[at]))
				s.occurrences[at], s.share[at] = 0, 0
			}
		}
	}
}

// isDense reports whether so many documents of a window are asked about that
// adding up all occurrences in it is cheaper than looking each up.
func (s *sumStep) isDense(in *Bits) bool {
	density := 0
	for _, p := range s.parts {
		if density += p.density; len(p.lengths) == 0 {
			return false
		}
	}
	return len(s.parts) > 0 && in.Count()*seekShare >= density
}

// lead scores the documents of a window that may exceed least, which are left
// in found. It adds up the occurrences of all documents, and turns those into
// scores that are enough.
func (s *sumStep) lead(base uint32, in, found *Bits, sums *Sums, least float64) {
	s.busy = true
	for i, p := range s.parts {
		if s.shares[i] == nil {
			p.addAll(base, &s.occurrences, nil)
			continue
		}
		s.tmp = Bits{}
		p.addAll(base, &s.occurrences, &s.tmp)
		s.addShares(base, p.lengths, s.shares[i])
	}
	above(&s.occurrences, s.curve.occurrencesAbove(least), found)
	found.And(in)
	s.score(found, sums)
	s.occurrences, s.share = Sums{}, [Span]float32{}
	s.busy = false
}

// occurrencesAbove returns occurrences that a score above least exceeds.
func (c *curve) occurrencesAbove(least float64) float64 {
	part := (least - c.least - c.share) / c.gain * (1 - 1e-9)
	switch {
	case part <= 0:
		return 0
	case part >= 1:
		return math.Inf(1)
	}
	return c.half * part / (1 - part) * (1 - 1e-9)
}

// addShares notes the share of the word in the values it was found in last.
func (s *sumStep) addShares(base uint32, lengths []byte, shares *[256]float32) {
	for i, w := range s.tmp {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			s.share[at] = max(s.share[at], shares[lengthOf(lengths, base+uint32(at))])
		}
	}
}

// lengthOf is the length byte of a document.
func lengthOf(lengths []byte, doc uint32) byte {
	if int(doc) < len(lengths) {
		return lengths[doc]
	}
	return 0
}
