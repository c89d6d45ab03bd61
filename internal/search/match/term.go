package match

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// seekShare: when a window has more than seekShare times as many documents of the term as
// candidates, looking up each candidate is cheaper than decoding all documents.
const seekShare = 6

// termStep matches the documents that hold a term and scores them by BM25. Finding and scoring
// walk the postings separately, so that a window can be searched first and its survivors scored
// afterwards.
type termStep struct {
	field    *terms.Field
	entry    terms.Entry
	found    postings.Iterator // use finder
	scorer   postings.Iterator
	opened   [2]bool // whether found and scorer have a block
	started  bool    // found points at the term
	lengths  []byte
	table    *score.Table // nil when the term does not score
	weight   float32
	once     bool // further occurrences add nothing
	density  int  // average number of documents of the term per window
	maxScore float64
	cursor   cursor // in the postings of scorer
}

// cursor is the index in a block of the first document not before from. Windows ascend, so most
// begin where the previous one ended.
type cursor struct {
	block, place int
	from         uint32
}

// nearPlaces is how many documents from the cursor on are searched before the rest of the block
// is.
const nearPlaces = 16

// placeOf returns the index of the first document not before from in docs, the decoded block of
// scorer.
func (s *termStep) placeOf(docs []uint32, from uint32) int {
	c := &s.cursor
	if block := s.scorer.Block(); block != c.block || from < c.from || c.place > len(docs) {
		*c = cursor{block: block} // a damaged block may decode to fewer documents than before
	}
	if from == c.from {
		return c.place
	}
	near := docs[c.place:]
	if len(near) > nearPlaces && near[nearPlaces-1] >= from {
		near = near[:nearPlaces]
	}
	c.place += postings.LowerBound(near, from)
	c.from = from
	return c.place
}

// finder returns the postings for finding documents, initially at their first block.
func (s *termStep) finder() *postings.Iterator {
	if !s.started {
		s.started = true
		s.field.Iterator(&s.found, s.entry)
		s.opened[0] = s.found.NextBlock()
	}
	return &s.found
}

// scoreBy makes the step score, unless weight is not positive.
func (s *termStep) scoreBy(table *score.Table, weight float64, once bool) {
	if weight <= 0 {
		return
	}
	s.table, s.weight, s.once = table, float32(weight), once
	s.lengths = s.field.Lengths()
	s.field.Iterator(&s.scorer, s.entry)
	s.cursor = cursor{}
	s.opened[1] = s.scorer.NextBlock()
	s.maxScore = float64(score.MaxScore(s.weight))
	if !once {
		s.maxScore = float64(score.Raise(s.weight * s.scorer.TermImpacts().Max(table)))
	}
}

func (s *termStep) cost() int { return int(s.entry.DocFreq) }

// next uses the postings of scorer if the term scores: those of found may already have moved to
// the end of the window.
func (s *termStep) next(from uint32) uint32 {
	if s.table != nil {
		if !s.opened[1] || !s.scorer.SeekBlock(from) {
			return NoMore
		}
		return max(from, s.scorer.FirstDoc())
	}
	it := s.finder()
	if !it.SeekBlock(from) {
		return NoMore
	}
	return max(from, it.FirstDoc())
}

// sparseBound is the largest density for which bound checks whether a range has any document:
// blocks of sparser terms span many windows.
const sparseBound = 8

// passes reports whether the current block starts before the range and ends after it without a
// document in it.
func (s *termStep) passes(from, to uint32) bool {
	it := &s.scorer
	if it.FirstDoc() >= from || it.LastDoc() < to {
		return false
	}
	docs := it.Docs()
	return docs[s.placeOf(docs, from)] >= to
}

func (s *termStep) bound(from, to uint32) float64 {
	switch {
	case s.table == nil:
		return 0
	case s.once || !s.opened[1]:
		return s.maxScore
	}
	if s.scorer.SeekBlock(from) && s.density <= sparseBound && s.passes(from, to) {
		return 0
	}
	return float64(score.Raise(s.weight * s.scorer.MaxIn(from, to, s.table)))
}

func (s *termStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	sparse := in.Count()*seekShare < s.density
	switch {
	case sums != nil && s.table != nil && sparse:
		s.scoreEach(base, in, out, sums)
	case sums != nil && s.table != nil:
		s.scoreAll(base, in, out, sums)
	case sparse:
		s.findEach(base, in, out)
	default:
		if it := s.finder(); it.SeekBlock(base) && it.FirstDoc() < base+Span {
			it.IntoBitset(out[:], base)
			out.And(in)
		}
	}
}

// findEach looks up every candidate.
func (s *termStep) findEach(base uint32, in, out *Bits) {
	it := s.finder()
	for i, w := range in {
		for w != 0 {
			at := uint32(i<<6 + bits.TrailingZeros64(w))
			doc, _ := it.Seek(base + at)
			if doc == base+at {
				out.Set(at)
				w &= w - 1
				continue
			}
			if doc >= base+Span {
				return
			}
			// Candidates before the document found do not match.
			if next := doc - base; int(next>>6) == i {
				w &= ^uint64(0) << (next & 63)
			} else {
				w = 0
			}
		}
	}
}

// prefetch loads the lengths of the next documents of a block that is scored in ranges of span
// documents, about as many as one range holds.
func (s *termStep) prefetch(next []uint32, span uint32) {
	n := s.density * int(span/Span)
	score.Prefetch(next[:min(len(next), n+n/2)], s.lengths)
}

// scoreEach looks up every candidate and scores it.
func (s *termStep) scoreEach(base uint32, in, out *Bits, sums *Sums) {
	if !s.opened[1] {
		return
	}
	for i, w := range in {
		for w != 0 {
			at := uint32(i<<6 + bits.TrailingZeros64(w))
			w &= w - 1
			doc, index := s.scorer.Seek(base + at)
			if doc == postings.NoMoreDocs {
				return
			}
			if doc == base+at {
				out.Set(at)
				sums[at] += float64(s.scoreAt(doc, s.scorer.FreqAt(index)))
			}
		}
	}
}

func (s *termStep) scoreAt(doc, frequency uint32) float32 {
	if s.once {
		frequency = 1
	}
	length := byte(0)
	if int(doc) < len(s.lengths) {
		length = s.lengths[doc]
	}
	return s.weight * s.table.Part(frequency, length)
}

// scoreAll decodes the blocks of the window and scores the documents of in.
func (s *termStep) scoreAll(base uint32, in, out *Bits, sums *Sums) {
	end := base + Span
	for s.opened[1] = s.opened[1] && s.scorer.SeekBlock(base); s.opened[1]; s.opened[1] = s.scorer.NextBlock() {
		if s.scorer.FirstDoc() >= end {
			return
		}
		docs, freqs := s.scorer.Docs(), s.scorer.Freqs()
		for i, doc := range docs {
			at := doc - base
			if at >= Span {
				if doc >= end {
					break
				}
				continue // before the window
			}
			if !in.Has(at) {
				continue
			}
			out.Set(at)
			sums[at] += float64(s.scoreAt(doc, freqs[i]))
		}
		if s.scorer.LastDoc() >= end {
			return
		}
	}
}
