package match

import (
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Block join: intersects a sorted list of documents with a term, one block of postings at a
// time (Demaine, López-Ortiz, Munro: Adaptive set intersections, unions, and differences, SODA
// 2000). The list decides which blocks are read: the postings seek the block of the next
// document, a galloping search finds the run of documents that do not lie past that block, and
// a kernel intersects the run with the block. The caller gets the indexes of each match in the
// list and in the block.
//
// Example: the list is 3, 8, 40, 41, 90, and blocks of the term end at 7, 45 and 99. The block
// up to 7 is compared with 3, the block up to 45 with 8, 40 and 41, the last one with 90. If
// the term holds 5, 8, 41 and 90, the first block yields nothing, the second the pairs (1, 0)
// and (3, 1) if it starts with 8, and the third the pair (4, 0).

// chunk is how many documents are looked up at once: as many as a block holds.
const chunk = postings.BlockSize

// join walks the matches of a list of documents, in ascending order, and the blocks of a term.
// The list may be changed before the current run.
type join struct {
	it       *postings.Iterator
	docs     []uint32
	from, to int // current run

	found  [chunk]uint16 // indexes of matches in the run
	places [chunk]uint16 // indexes of matches in the block
}

// start begins a join. The postings must not go back.
func (j *join) start(it *postings.Iterator, docs []uint32) {
	j.it, j.docs, j.from, j.to = it, docs, 0, 0
}

// next moves to the next block with a match and returns its number of matches, or 0 at the end.
func (j *join) next() int {
	for j.to < len(j.docs) {
		from := j.to
		if !j.it.SeekBlock(j.docs[from]) {
			break
		}
		to, last := min(from+chunk, len(j.docs)), j.it.LastDoc()
		if j.docs[to-1] > last {
			to = from + postings.LowerBound(j.docs[from:to], last+1)
		}
		j.from, j.to = from, to
		if j.docs[to-1] < j.it.FirstDoc() {
			continue
		}
		if n := lookUp(j.docs[from:to], j.it, j.found[:], j.places[:]); n > 0 {
			return n
		}
	}
	j.to = len(j.docs)
	return 0
}

// match returns the index of the i-th match in the list and in the block.
func (j *join) match(i int) (at, place int) { return j.from + int(j.found[i]), int(j.places[i]) }

// fewLookUps is the largest number of documents that are looked up one by one in the bits of a
// block; for more, the block is decoded.
const fewLookUps = 48

// lookUp finds the documents in the current block of a term; none may lie past the block. It
// stores their indexes in docs and in the block, and returns their number.
func lookUp(docs []uint32, it *postings.Iterator, found, places []uint16) int {
	if len(docs) <= fewLookUps {
		if n, ok := it.FindBits(docs, found, places); ok {
			return n
		}
	}
	return window.Intersect(docs, it.Docs(), found, places)
}
