package match

import "github.com/quiresearch/quire/internal/search/match/window"

// Unions of terms with few documents in a window are merged instead of summed: every term
// becomes a list of documents with scores, and lists are merged pairwise.
//
// Example: a window has 40 documents of "canon" and 25 of "camera", 4 of them the same. Merging
// reads 65 entries of two lists and writes 61 of a third. Summing touches 61 scattered cache
// lines of the sums, sets a bit for each document, and walks the bits to find the documents
// again.

// fewToMerge is the number of documents of a union in a window, on average, below which merging
// is cheaper than summing, which reads and clears all sums of a window. Values from 250 to 800
// make no difference.
const fewToMerge = 400

// merged holds the lists of a union that is merged: of the terms so far, of the next term, and
// of both.
type merged [3]window.Batch

// mergeTerms sets the batch to the documents of at least two terms whose scores add up to more
// than least.
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

// listAll sets out to all documents of the term in one or more windows.
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
			return // a damaged block: a window cannot hold as many
		}
		if first < last { // false in a damaged block
			out.Reserve(len(out.Docs) + last - first + window.Padding)
			s.appendAbove(out, docs[first:last], freqs[first:last], -1)
		}
		if isLast {
			return
		}
	}
}
