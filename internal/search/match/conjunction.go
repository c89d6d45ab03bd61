package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Block-max conjunction: the rarest term leads and the others follow (leapfrog join over
// blocks, see join.go; bounds as in Ding, Suel: Faster top-k document retrieval using block-max
// indexes, SIGIR 2011). A block of the lead is skipped when its bound and those of the other
// terms in its range together do not exceed the threshold. In other blocks, documents are
// scored by the lead first and dropped before they are looked up if they cannot exceed the
// threshold. If most documents of the lead lack the next term, that term is looked up before
// scoring. Sets, numbers and list values only narrow; numbers are read last.
//
// Example: "canon" (300 documents) and "camera" (9,000), threshold 7.
//
//	block 1 of canon   bound 4, camera in its range 2.5: 6.5 ≤ 7, skipped
//	block 2 of canon   bound 5, camera 2.5: decoded; document 900 scores 4.4 and
//	                   is dropped (4.4 + 2.5 ≤ 7), document 950 scores 4.9 and is
//	                   looked up in camera, which adds 2.3: a hit with 7.2

// sparseLead is the largest density of the rarest part of a conjunction for which looking up
// each of its documents is cheaper than combining sets.
const sparseLead = 64

// conjunction is an And of terms and sets. Its rarest part leads: a term, a set of few
// documents, or list values. If the rarest part is a set of many documents, the rarest term
// leads instead.
type conjunction struct {
	lead   *termStep
	listed []uint32 // documents of the leading set
	others []*termStep
	sets   []*docset.Set
	ranges []*rangeStep
	values []*valuesStep
	fold   *foldStep // leading list values
	folds  []*foldStep
}

func conjunctionOf(root step) (conjunction, bool) {
	var c conjunction
	if fold, ok := root.(*foldStep); ok {
		return conjunction{fold: fold}, true
	}
	and, ok := root.(*andStep)
	if !ok || len(and.optional) > 0 {
		return c, false
	}
	and.others = and.others[:0]
	for i, member := range and.steps {
		switch member := member.(type) {
		case *termStep:
			if i == 0 {
				c.lead = member
			} else {
				and.others = append(and.others, member)
			}
		case setStep:
			if i == 0 && member.set.IsSparse() {
				c.listed = member.set.Sparse()
			} else {
				c.sets = append(c.sets, member.set)
			}
		case *rangeStep:
			c.ranges = append(c.ranges, member)
		case *valuesStep:
			c.values = append(c.values, member)
		case *foldStep:
			if i == 0 {
				c.fold = member
			} else {
				c.folds = append(c.folds, member)
			}
		default:
			return c, false
		}
	}
	c.others = and.others
	if c.lead == nil && c.listed == nil && c.fold == nil && len(c.folds) == 0 && len(c.sets) > 0 && len(c.others) > 0 {
		// Documents are looked up in a set of many; it does not lead.
		c.lead, c.others = c.others[0], c.others[1:]
	}
	if c.lead == nil && c.listed == nil && c.fold == nil && len(c.folds) > 0 {
		c.fold, c.folds = c.folds[0], c.folds[1:] // the others are sets of many documents
	}
	return c, c.lead != nil || c.listed != nil || c.fold != nil
}

// isSparse reports whether looking up documents is cheaper than combining sets even while every
// match is wanted.
func (c *conjunction) isSparse() bool {
	if c.lead == nil || len(c.ranges)+len(c.values)+len(c.folds) > 0 || len(c.others) >= maxDense {
		return true
	}
	limit := sparseLead
	if len(c.others) == 1 && c.others[0].table == nil && c.looksUpFirst() {
		limit = 4 * sparseLead // little is left to score
	}
	return c.lead.density <= limit
}

// looksUpFirst reports whether so few documents of the lead hold the next term that scoring
// them all first does not pay.
func (c *conjunction) looksUpFirst() bool {
	if c.lead == nil || c.lead.table == nil || len(c.sets) > 0 || len(c.others) == 0 {
		return false
	}
	next := c.others[0]
	return next.density < Span/16 || next.table == nil && next.density < Span/8
}

// walk returns the postings to read: those of scorer if the term scores.
func (s *termStep) walk() *postings.Iterator {
	if s.table != nil {
		return &s.scorer
	}
	return s.finder()
}

// walkConjunction walks the blocks of the rarest term of a conjunction. Its documents are
// scored first. Those that cannot exceed the threshold with the bounds of the others are
// dropped before they are looked up.
func (s *Scanner) walkConjunction(ctx context.Context, c conjunction, from, to uint32, sink Sink) error {
	done := ctx.Done()
	lead := c.lead.walk()
	var boundsBuffer [fewBounds]float64
	bounds := boundsOf(boundsBuffer[:], len(c.others))
	for open := lead.SeekBlock(from); open && lead.FirstDoc() < to; open = lead.NextBlock() {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		if at := c.nextInSets(max(from, lead.FirstDoc())); at > lead.LastDoc() {
			if at >= to || !lead.SeekBlock(at) || lead.FirstDoc() >= to {
				return nil
			}
		}
		threshold, rest := thresholdNow(sink), 0.0
		if threshold > 0 {
			rest = c.boundRest(bounds, lead.FirstDoc(), lead.LastDoc()+1)
			if c.lead.blockBound()+rest <= threshold {
				s.passOver()
				continue
			}
		}
		s.scoreAll(c, lead.Docs(), bounds, rest, threshold)
		out := &s.scratch.batch
		if len(out.Docs) > 0 && !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// boundRest bounds what the parts that do not lead add in a range, and sets bounds to the part
// of each term.
func (c *conjunction) boundRest(bounds []float64, from, to uint32) float64 {
	total := boundAll(c.others, bounds, from, to)
	for _, f := range c.folds {
		total += f.bound(from, to)
	}
	return total
}

// blockBound returns a score that no document of the current block exceeds.
func (s *termStep) blockBound() float64 {
	if s.table == nil {
		return 0
	}
	return float64(score.Raise(s.weight * s.scorer.BlockMax(s.table)))
}

// scoreAll sets the batch to those documents that match all parts of the conjunction and exceed
// the threshold. docs are those of the lead's current block, or at most a block's worth of the
// leading set. Numbers and list values are read last.
func (s *Scanner) scoreAll(c conjunction, docs []uint32, bounds []float64, rest, threshold float64) {
	s.scoreTerms(c, docs, bounds, rest, threshold)
	s.scoreRest(c, threshold)
}

// scoreRest keeps those documents of the batch that have the numbers and list values.
func (s *Scanner) scoreRest(c conjunction, threshold float64) {
	out := &s.scratch.batch
	for _, r := range c.ranges {
		out.keepInRange(r)
	}
	for _, v := range c.values {
		out.keepWithValues(v)
	}
	for i, f := range c.folds {
		if len(out.Docs) == 0 {
			return
		}
		rest := 0.0
		if threshold > 0 {
			for _, later := range c.folds[i+1:] {
				rest += later.bound(out.Docs[0], out.Docs[len(out.Docs)-1]+1)
			}
		}
		if out.addFolded(f, rest, threshold) {
			s.skipped = true
		}
	}
}

func (s *Scanner) scoreTerms(c conjunction, docs []uint32, bounds []float64, rest, threshold float64) {
	out := &s.scratch.batch
	out.Reset()
	if c.looksUpFirst() {
		rest = max(0, rest-bounds[0])
		if c.lead.keepBoth(c.others[0], out, docs, rest, threshold) {
			s.skipped = true
		}
		for i, t := range c.others[1:] {
			if len(out.Docs) == 0 {
				return
			}
			rest = max(0, rest-bounds[i+1])
			if t.keepHeld(out, rest, threshold) {
				s.skipped = true
			}
		}
		return
	}
	if c.lead != nil && c.lead.table != nil {
		least := roundDown(threshold - rest)
		c.lead.scoreInto(out, docs, c.lead.scorer.Freqs(), least)
		s.skipped = s.skipped || len(out.Docs) < len(docs)
	} else {
		out.Fill(docs)
	}
	for _, set := range c.sets {
		out.keepIn(set)
	}
	for i, t := range c.others {
		if len(out.Docs) == 0 {
			return
		}
		rest = max(0, rest-bounds[i])
		if t.keepHeld(out, rest, threshold) {
			s.skipped = true
		}
	}
}

// keepBoth sets the batch to those documents of the lead's current block that also hold the
// other term, with the scores of both.
func (s *termStep) keepBoth(other *termStep, out *batch, docs []uint32, rest, threshold float64) (dropped bool) {
	it := other.walk()
	j := &out.join
	j.start(it, docs)
	into, sums := out.Memory()
	kept := 0
	for n := j.next(); n > 0; n = j.next() {
		mine := s.scorer.Freqs()
		var freqs []uint32
		if other.table != nil {
			freqs = it.Freqs()
		}
		for i := range n {
			at, _ := j.match(i)
			into[kept+i] = docs[at]
		}
		score.Prefetch(into[kept:kept+n], s.lengths)
		for i := range n {
			at, place := j.match(i)
			doc := docs[at]
			sum := float64(s.scoreAt(doc, mine[at]))
			if freqs != nil {
				sum += float64(other.scoreAt(doc, freqs[place]))
			}
			into[kept], sums[kept] = doc, sum
			if sum+rest > threshold {
				kept++
			} else {
				dropped = true
			}
		}
	}
	out.Truncate(kept)
	return dropped
}

// keepHeld drops the documents that do not hold the term and adds its score to the others. It
// also drops those that, with rest, do not exceed the threshold, and reports whether there were
// any.
func (s *termStep) keepHeld(out *batch, rest, threshold float64) (dropped bool) {
	if s.table == nil {
		out.keepFound(s)
		return false
	}
	it := &s.scorer
	j := &out.join
	j.start(it, out.Docs)
	kept := 0
	for n := j.next(); n > 0; n = j.next() {
		freqs := it.Freqs()
		for i := range n {
			at, place := j.match(i)
			doc := out.Docs[at]
			sum := out.Sums[at] + float64(s.scoreAt(doc, freqs[place]))
			if sum+rest <= threshold {
				dropped = true
				continue
			}
			out.Docs[kept], out.Sums[kept] = doc, sum
			kept++
		}
	}
	out.Docs, out.Sums = out.Docs[:kept], out.Sums[:kept]
	return dropped
}

// nextInSets returns a document at or after from such that no document between the two is in
// all sets.
func (c *conjunction) nextInSets(from uint32) uint32 {
	for _, set := range c.sets {
		if from == NoMore {
			break
		}
		from = set.Next(from)
	}
	return from
}
