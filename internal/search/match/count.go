package match

import (
	"context"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Matches that are only counted need no windows of Span documents: they are counted in wide
// windows, or derived from the counts of their terms.

const (
	// wideSpan is the number of documents in a wide window: its bits stay in the first-level
	// cache.
	wideSpan  = 1 << 16
	wideWords = wideSpan / 64
	// denseLead is the density of the rarer of two terms from which combining bits is cheaper
	// than looking up each document.
	denseLead = 192
	// fewLead is the same for the rarest of several terms and sets; the first lookups drop most
	// of its documents.
	fewLead = 32
)

// wide holds the bits of a wide window.
type wide [wideWords]uint64

// Count returns the number of matches if they can be counted without handing any over;
// otherwise ok is false. It may stop once it has counted enough, which then are the first ones.
// The scanner may be run afterwards as if nothing had been counted. Count stops early with the
// context's error.
func (s *Scanner) Count(ctx context.Context, enough int) (n int, ok bool, err error) {
	return s.CountRange(ctx, 0, s.mask.documents, enough)
}

// CountRange is Count for the documents in [from, to); to is a multiple of Span or the end
// of the segment. It requires CountsRanges.
func (s *Scanner) CountRange(ctx context.Context, from, to uint32, enough int) (n int, ok bool, err error) {
	if s.mask.domain != nil {
		return 0, false, nil
	}
	var terms []*termStep
	switch root := s.root.(type) {
	case *termStep:
		terms = []*termStep{root}
		n, err = s.countAny(ctx, terms, from, to)
	case *orStep:
		if terms, ok = plainTerms(root.steps); !ok {
			return 0, false, nil
		}
		if len(terms) == 2 && s.mask.isFull() && from == 0 && to == s.mask.documents {
			n, err = s.countPair(ctx, terms[0], terms[1], from, to, math.MaxInt, nil)
			n = terms[0].cost() + terms[1].cost() - n
		} else {
			n, err = s.countAny(ctx, terms, from, to)
		}
	case *andStep:
		c, ok := conjunctionOf(root)
		if !ok || !c.hasBits() {
			return 0, false, nil
		}
		terms = append(terms, c.lead)
		terms = append(terms, c.others...)
		kept := &s.scratch.counted
		kept.start()
		switch {
		case len(terms) == 2 && len(c.sets) == 0 && s.mask.isFull() && c.lead.density < denseLead:
			n, err = s.countPair(ctx, terms[0], terms[1], from, to, enough, kept)
		case len(c.others)+len(c.sets) > 0 && c.lead.density < fewLead:
			n, err = s.countLed(ctx, &c, from, to, enough, kept)
		default:
			n, err = s.countAll(ctx, terms, c.sets, from, to, enough)
		}
		if kept.finish(s.mask.documents); from > 0 || err != nil || c.lead.table == nil {
			kept.start()
		}
	case *wordStep:
		if !root.isCounted() {
			return 0, false, nil
		}
		n, err = s.countReadings(ctx, root.expansion)
	default:
		return 0, false, nil
	}
	for _, t := range terms {
		t.started = false
	}
	return n, true, err
}

// CountsRanges reports whether ranges of documents can be counted separately.
func (s *Scanner) CountsRanges() bool {
	if s.mask.domain != nil {
		return false
	}
	switch root := s.root.(type) {
	case *orStep:
		return root.isOfTerms()
	case *andStep:
		c, ok := conjunctionOf(root)
		return ok && c.hasBits()
	}
	return false
}

// CountsFirst reports whether it pays to count up to enough matches before searching for the
// best: matches that are counted need not be scored. If the first windows already have enough
// matches, scoring those raises the threshold for the others.
func (s *Scanner) CountsFirst(enough int) bool {
	switch root := s.root.(type) {
	case *termStep: // without deletes its count is known
		return s.mask.live != nil && root.table != nil && root.cost() < 4*enough
	case *wordStep: // the same holds for its readings
		return s.mask.live != nil && root.isCounted()
	case *orStep:
		return enough > int(s.mask.documents) || root.cost() < 4*enough && termsOf(root) != nil
	case *andStep:
		c, ok := conjunctionOf(root)
		if !ok || !c.hasBits() || c.lead.table == nil || c.isSparse() {
			return false
		}
		return enough > int(s.mask.documents) || len(c.sets) == 0 && c.expected() < 2*enough
	}
	return false
}

// expected estimates how many documents hold all terms, assuming independence.
func (c *conjunction) expected() int {
	n := c.lead.cost()
	for _, t := range c.others {
		n = n * t.density / Span
	}
	return n
}

// hasBits reports whether all parts of the conjunction are terms and dense sets.
func (c *conjunction) hasBits() bool {
	return c.lead != nil && c.fold == nil && len(c.folds)+len(c.ranges)+len(c.values) == 0 &&
		!slices.ContainsFunc(c.sets, func(set *docset.Set) bool { return set.IsSparse() })
}

// plainTerms returns steps as terms; ok is false when some are not terms.
func plainTerms(steps []step) ([]*termStep, bool) {
	terms := make([]*termStep, 0, len(steps))
	for _, c := range steps {
		t, ok := c.(*termStep)
		if !ok {
			return nil, false
		}
		terms = append(terms, t)
	}
	return terms, true
}

// countAny counts the documents that hold any of the terms and pass the mask.
func (s *Scanner) countAny(ctx context.Context, terms []*termStep, from, to uint32) (int, error) {
	return s.countWide(ctx, from, to, func(base uint64, words *wide) {
		for _, t := range terms {
			t.finder().IntoBitset(words[:], uint32(base))
		}
	})
}

// countReadings counts the documents of the sets of a word that pass the mask.
func (s *Scanner) countReadings(ctx context.Context, e *expansion) (n int, err error) {
	if s.mask.live == nil || s.mask.parents != nil {
		return s.countSets(ctx, e.sets)
	}
	n, _, err = e.countLive(s.binder.segment.Live, func() (int, bool, error) {
		n, err := s.countSets(ctx, e.sets)
		return n, true, err
	})
	return n, err
}

// countSets counts the documents that are in any of the sets and pass the mask.
func (s *Scanner) countSets(ctx context.Context, sets []*docset.Set) (int, error) {
	return s.countWide(ctx, 0, s.mask.documents, func(base uint64, words *wide) {
		for _, set := range sets {
			if !set.IsSparse() {
				bitset.OrWords(words[:], set.Words()[base/64:])
				continue
			}
			for _, doc := range set.SparseFrom(uint32(base)) {
				if uint64(doc) >= base+wideSpan {
					break
				}
				at := uint64(doc) - base
				words[at/64] |= 1 << (at % 64)
			}
		}
	})
}

// countWide counts the documents that fill marks in wide windows, which start empty, and that
// pass the mask.
func (s *Scanner) countWide(ctx context.Context, from, to uint32, fill func(base uint64, words *wide)) (int, error) {
	done := ctx.Done()
	words := &s.scratch.wide[0]
	total := 0
	for base := uint64(from); base < uint64(to); base += wideSpan {
		if err := canceled(ctx, done); err != nil {
			return 0, err
		}
		clear(words[:])
		fill(base, words)
		s.mask.narrowWide(base, words)
		total += bitset.CountWords(words[:wideEnd(base, to)])
	}
	return total, nil
}

// wideEnd returns how many words of a wide window lie before a document.
func wideEnd(base uint64, to uint32) int { return int(min(wideWords, (uint64(to)-base+63)/64)) }

// isCounted reports whether sets hold all documents that match.
func (s *wordStep) isCounted() bool {
	return s.expansion != nil && s.expansion.sets != nil
}

// countAll counts the documents that hold all terms, are in all sets and pass the mask, window
// by window until there are enough.
func (s *Scanner) countAll(ctx context.Context, terms []*termStep, sets []*docset.Set, from, to uint32, enough int) (int, error) {
	done := ctx.Done()
	words, other := &s.scratch.wide[0], &s.scratch.wide[1]
	total := 0
	for base := uint64(from); base < uint64(to) && total < enough; base += wideSpan {
		if err := canceled(ctx, done); err != nil {
			return 0, err
		}
		if slices.ContainsFunc(sets, func(set *docset.Set) bool { return uint64(set.Next(uint32(base))) >= base+wideSpan }) {
			continue
		}
		clear(words[:])
		terms[0].finder().IntoBitset(words[:], uint32(base))
		for i, t := range terms[1:] {
			if i > 0 {
				bitset.AndWords(words[:], other[:])
			}
			clear(other[:])
			t.finder().IntoBitset(other[:], uint32(base))
		}
		for _, set := range sets {
			bitset.AndWords(words[:], set.Words()[base/64:])
		}
		s.mask.narrowWide(base, words)
		if end := wideEnd(base, to); len(terms) == 1 {
			total += bitset.CountWords(words[:end])
		} else {
			total += bitset.CountBoth(words[:end], other[:end])
		}
	}
	return total, nil
}

// countPair counts the documents that hold both terms, including deleted ones and list values,
// block by block until there are enough. It stores them in kept unless that is nil.
func (s *Scanner) countPair(ctx context.Context, a, b *termStep, from, to uint32, enough int, kept *counted) (int, error) {
	if a.cost() > b.cost() {
		a, b = b, a
	}
	if a.density >= denseLead {
		return s.countAll(ctx, []*termStep{a, b}, nil, from, to, enough)
	}
	done := ctx.Done()
	lead, other := a.finder(), b.finder()
	total := 0
	j := &s.scratch.batch.join
	for open := lead.SeekBlock(from); open && total < enough && lead.FirstDoc() < to; open = lead.NextBlock() {
		if err := canceled(ctx, done); err != nil {
			return 0, err
		}
		docs := between(lead.Docs(), from, to)
		j.start(other, docs)
		for n := j.next(); n > 0; n = j.next() {
			total += n
			if kept != nil {
				kept.add(docs[j.from:], j, n)
			}
		}
		if kept != nil {
			kept.reach(min(lead.LastDoc(), to-1) + 1)
		}
		if other.LastDoc() == postings.NoMoreDocs {
			break // no matches are left
		}
	}
	if kept != nil && total < enough {
		kept.reach(to)
	}
	return total, nil
}

// countLed counts the documents of the rarest term that all other terms hold, that are in all
// sets and pass the mask, block by block until there are enough, and stores them in kept.
func (s *Scanner) countLed(ctx context.Context, c *conjunction, from, to uint32, enough int, kept *counted) (total int, err error) {
	done := ctx.Done()
	out, lead := &s.scratch.batch, c.lead.finder()
	for open := lead.SeekBlock(from); open && total < enough && lead.FirstDoc() < to; open = lead.NextBlock() {
		if err := canceled(ctx, done); err != nil {
			return 0, err
		}
		out.Fill(between(lead.Docs(), from, to))
		for _, set := range c.sets {
			out.keepIn(set)
		}
		for _, t := range c.others {
			out.keepFound(t)
		}
		kept.addAll(out.Docs)
		kept.reach(min(lead.LastDoc(), to-1) + 1)
		if s.mask.isFull() {
			total += len(out.Docs)
			continue
		}
		for _, doc := range out.Docs {
			if s.mask.has(doc) {
				total++
			}
		}
	}
	if total < enough {
		kept.reach(to)
	}
	return total, nil
}

// keepFound drops the documents that do not hold a term.
func (b *batch) keepFound(t *termStep) {
	j := &b.join
	j.start(t.finder(), b.Docs)
	kept := 0
	for n := j.next(); n > 0; n = j.next() {
		for i := range n {
			at, _ := j.match(i)
			b.Docs[kept], b.Sums[kept] = b.Docs[at], b.Sums[at]
			kept++
		}
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
}

// between returns the documents of a block that lie in a range.
func between(docs []uint32, from, to uint32) []uint32 {
	if len(docs) > 0 && docs[0] < from {
		docs = docs[postings.LowerBound(docs, from):]
	}
	if len(docs) > 0 && docs[len(docs)-1] >= to {
		docs = docs[:postings.LowerBound(docs, to)]
	}
	return docs
}
