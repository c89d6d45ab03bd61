package match

import (
	"context"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Matches that are only counted need no windows of their own: they are counted
// in wide ones, or told from the counts of their terms.

const (
	// wideSpan is the documents of a wide window: few enough that its bits stay
	// in the nearest cache.
	wideSpan  = 1 << 16
	wideWords = wideSpan / 64
	// denseLead is how many documents of a window of Span the rarer of two terms
	// holds, on average, for combining bits to be cheaper than looking each up.
	denseLead = 192
)

// wide is the bits of a wide window.
type wide [wideWords]uint64

// Count returns the number of matches where they can be told without handing
// any over, and false otherwise. It ends early with the context's error.
func (s *Scanner) Count(ctx context.Context) (n int, ok bool, err error) {
	if s.mask.domain != nil {
		return 0, false, nil
	}
	switch root := s.root.(type) {
	case *termStep:
		n, err = s.countAny(ctx, []*termStep{root})
		return n, true, err
	case *orStep:
		terms, ok := plainTerms(root.steps)
		if !ok {
			return 0, false, nil
		}
		if len(terms) == 2 && s.mask.isFull() {
			both, err := s.countPair(ctx, terms[0], terms[1])
			return terms[0].cost() + terms[1].cost() - both, true, err
		}
		n, err = s.countAny(ctx, terms)
		return n, true, err
	case *andStep:
		terms, ok := plainTerms(root.steps)
		if !ok || len(root.optional) > 0 || len(terms) != 2 || !s.mask.isFull() {
			return 0, false, nil
		}
		n, err = s.countPair(ctx, terms[0], terms[1])
		return n, true, err
	}
	return 0, false, nil
}

// plainTerms returns steps as terms; false when some are not.
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

// countAny counts the documents that hold any of the terms and that the mask
// lets through.
func (s *Scanner) countAny(ctx context.Context, terms []*termStep) (int, error) {
	done := ctx.Done()
	words := &s.room.wide[0]
	total := 0
	for base := uint64(0); base < uint64(s.mask.documents); base += wideSpan {
		select {
		case <-done:
			return 0, context.Cause(ctx)
		default:
		}
		clear(words[:])
		for _, t := range terms {
			t.finder().IntoBitset(words[:], uint32(base))
		}
		for _, let := range [][]uint64{s.mask.live, s.mask.parents} {
			if let != nil {
				bitset.AndWords(words[:], let[base/64:])
			}
		}
		total += bitset.CountWords(words[:])
	}
	return total, nil
}

// countPair counts the documents that hold both terms, deleted ones and list
// values included.
func (s *Scanner) countPair(ctx context.Context, a, b *termStep) (int, error) {
	if a.cost() > b.cost() {
		a, b = b, a
	}
	if a.density >= denseLead {
		return s.countBits(ctx, a, b)
	}
	done := ctx.Done()
	lead, other := a.finder(), b.finder()
	total := 0
	var found, places [postings.BlockSize]uint16
	for open := a.opened[0]; open; open = lead.NextBlock() {
		select {
		case <-done:
			return 0, context.Cause(ctx)
		default:
		}
		docs := lead.Docs()
		for from := 0; from < len(docs); {
			if !other.SeekBlock(docs[from]) {
				return total, nil
			}
			to, last := len(docs), other.LastDoc()
			if docs[to-1] > last {
				to = gallop(docs, from, last+1)
			}
			if docs[to-1] >= other.FirstDoc() {
				total += intersect(docs[from:to], other.Docs(), found[:], places[:])
			}
			from = to
		}
	}
	return total, nil
}

// countBits is countPair for terms that are frequent.
func (s *Scanner) countBits(ctx context.Context, a, b *termStep) (int, error) {
	done := ctx.Done()
	one, other := &s.room.wide[0], &s.room.wide[1]
	total := 0
	for base := uint64(0); base < uint64(s.mask.documents); base += wideSpan {
		select {
		case <-done:
			return 0, context.Cause(ctx)
		default:
		}
		clear(one[:])
		clear(other[:])
		a.finder().IntoBitset(one[:], uint32(base))
		b.finder().IntoBitset(other[:], uint32(base))
		total += bitset.CountBoth(one[:], other[:])
	}
	return total, nil
}
