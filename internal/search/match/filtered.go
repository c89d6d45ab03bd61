package match

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/match/window"
)

// Filtered: a conjunction led by a sparse set, such as a narrow filter. Its documents are
// looked up in the terms a block's worth at a time; the bounds of the terms in the range of
// those documents bound their scores.
//
// Example: brand = acme leaves the documents 4, 90, 700 and 8,000, and the text asks for
// "shoe". The postings of "shoe" are sought for these four alone: of its 40,000 documents at
// most four blocks are decoded. With the threshold at 3 and "shoe" bounded by 2.8 between 4 and
// 8,000, none are.

// walkFiltered is walkConjunction for a leading set.
func (s *Scanner) walkFiltered(ctx context.Context, c conjunction, from, to uint32, sink Sink) error {
	_, err := s.walkList(ctx, c, from, to, sink)
	return err
}

// walkList walks the listed documents. It reports whether the sink wants more.
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

// keepIn drops the documents that are not in a set. It avoids a branch per document, which the
// processor could not predict.
func (b *batch) keepIn(set *docset.Set) {
	docs, sums := b.Docs, b.Sums[:len(b.Docs)]
	kept := 0
	if words := set.Words(); words != nil {
		for i, doc := range docs {
			held := uint64(0)
			if w := int(doc >> 6); w < len(words) {
				held = words[w] >> (doc & 63) & 1
			}
			docs[kept], sums[kept] = doc, sums[i]
			kept += int(held)
		}
		b.Docs, b.Sums = docs[:kept], sums[:kept]
		return
	}
	list := set.Sparse()
	for i, doc := range docs {
		list = list[window.Gallop(list, 0, doc):]
		if len(list) == 0 {
			break
		}
		docs[kept], sums[kept] = doc, sums[i]
		if list[0] == doc {
			kept++
		}
	}
	b.Docs, b.Sums = docs[:kept], sums[:kept]
}
