package match

import "github.com/quiresearch/quire/internal/search/match/window"

// Unions of terms with few documents in a window are merged instead of added to its sums:
// every term becomes a list of documents with scores, and two lists at a time become one.
//
// Example: a window has 40 documents of "canon" and 25 of "camera", 4 of them the same. Merged,
// these are 65 places of two lists and as many of the third. Added up, they are 61 lines of the
// cache for the sums, far apart, a bit for each, and a walk over the bits that finds them
// again.

// fewToMerge is how many documents the terms of a union may hold in a window, on average, for
// merging to be cheaper than summing, which looks at all sums of a window and clears them.
// From 250 to 800 makes no difference.
const fewToMerge = 400

// merged is the lists of a union that is merged: of the terms before one, of that term, and of
// both.
type merged [3]window.Batch

// mergeTerms leaves the documents of at least two terms in the batch that score above
// least together.
func (s *Scanner) mergeTerms(terms []*termStep, base, end uint32, least float64) {
	out := &s.scratch.batch
	before, list, both := &s.scratch.merged[0], &s.scratch.merged[1], &s.scratch.merged[2]
	terms[0].listAll(before, base, end)
	last := len(terms) - 1
	for _, t := range terms[1:last] {
		t.listAll(list, base, end)
		both.Merge(before, list, -1)
		before, both = both, before
	}
	terms[last].listAll(list, base, end)
	out.reserve(len(before.Docs) + len(list.Docs))
	out.Merge(before, list, least)
}

// listAll makes a batch all documents of the term in a window or more.
func (s *termStep) listAll(out *window.Batch, base, end uint32) {
	out.Reset()
	it := &s.scorer
	for open := it.SeekBlock(base); open && it.FirstDoc() < end; open = it.NextBlock() {
		docs, freqs := it.Docs(), it.Freqs()
		first, last := 0, len(docs)
		if last > 0 && docs[0] < base {
			first = s.placeOf(docs, base)
		}
		isLast := it.LastDoc() >= end
		if isLast {
			last = s.placeOf(docs, end)
			s.prefetch(docs[last:], end-base)
		}
		if len(out.Docs)+last-first > int(end-base) {
			return // a damaged block: a window does not hold as many
		}
		if first < last { // not so in a damaged block
			out.Reserve(len(out.Docs) + last - first + window.Padding)
			s.appendAbove(out, docs[first:last], freqs[first:last], -1)
		}
		if isLast {
			return
		}
	}
}
