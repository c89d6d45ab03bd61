package match

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/docset"
)

// Filtered: a conjunction that is led by a sparse set, as a narrow filter is. Its
// documents are taken a block's worth at a time and looked up in the terms; what the
// terms may add in the range of those documents bounds them.
//
// Example: brand = acme leaves the documents 4, 90, 700 and 8,000, and the text
// asks for "shoe". The postings of "shoe" are sought for these four alone: of its
// 40,000 documents at most four blocks are decoded. With the threshold at 3 and
// "shoe" bounded by 2.8 between 4 and 8,000, none is.

// walkFiltered is walkConjunction for a set that leads.
func (s *Scanner) walkFiltered(ctx context.Context, c conjunction, from, to uint32, sink Sink) error {
	_, err := s.walkList(ctx, c, from, to, sink)
	return err
}

// walkList walks the documents that are listed. It reports whether the sink wants more.
func (s *Scanner) walkList(ctx context.Context, c conjunction, from, to uint32, sink Sink) (goesOn bool, err error) {
	done := ctx.Done()
	var boundsBuffer [fewBounds]float64
	bounds := boundsOf(boundsBuffer[:], len(c.others))
	first, _ := slices.BinarySearch(c.listed, from)
	for ; first < len(c.listed) && c.listed[first] < to; first += chunk {
		if err := canceled(ctx, done); err != nil {
			return false, err
		}
		docs := c.listed[first:min(first+chunk, len(c.listed))]
		threshold, rest := thresholdNow(sink), 0.0
		if threshold > 0 {
			if rest = c.boundRest(bounds, docs[0], docs[len(docs)-1]+1); rest <= threshold {
				s.passOver()
				continue
			}
		}
		s.scoreAll(c, docs, bounds, rest, threshold)
		out := &s.scratch.batch
		if len(out.Docs) > 0 && !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return false, nil
		}
	}
	return true, nil
}

// keepIn drops the documents that are not in a set.
func (b *batch) keepIn(set *docset.Set) {
	kept := 0
	for i, doc := range b.Docs {
		if set.Has(doc) {
			b.Docs[kept], b.Sums[kept] = doc, b.Sums[i]
			kept++
		}
	}
	b.Docs, b.Sums = b.Docs[:kept], b.Sums[:kept]
}
