package match

import (
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Block join: the documents of a sorted list that a term holds too, one block of
// its postings at a time (Demaine, López-Ortiz, Munro: Adaptive set
// intersections, unions, and differences, SODA 2000). The list decides which
// blocks are looked at: the postings seek the block of the next document, a
// galloping search finds the run of documents that are not behind that block, and a
// kernel compares run and block. What becomes of the matches is the caller's:
// it gets their places in the list and in the block.
//
// Example: the list is 3, 8, 40, 41, 90, and blocks of the term end at 7, 45
// and 99. The block up to 7 is compared with 3, that up to 45 with 8, 40 and 41,
// the last one with 90. If the term holds 5, 8, 41 and 90, the first block
// leaves nothing, the second the pairs (1, 0) and (3, 1), when it starts with 8,
// and the third the pair (4, 0).

// chunk is how many documents are looked up at once: a whole block.
const chunk = postings.BlockSize

// join walks the matches of a list of documents, which rise, and the blocks of a
// term. The list may be changed behind the run that is looked at.
type join struct {
	it       *postings.Iterator
	docs     []uint32
	from, to int // the run that is looked at

	found  [chunk]uint16 // places of matches in the run
	places [chunk]uint16 // and in the block
}

// start begins a join; the postings do not go back.
func (j *join) start(it *postings.Iterator, docs []uint32) {
	j.it, j.docs, j.from, j.to = it, docs, 0, 0
}

// next moves to the next block that has a match and returns how many it has, 0
// at the end.
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

// match returns the place of the i-th match in the list, and in the block.
func (j *join) match(i int) (at, place int) { return j.from + int(j.found[i]), int(j.places[i]) }

// fewLookUps is how many documents are looked up one by one in the bits of a
// block; for more the block is decoded.
const fewLookUps = 48

// lookUp finds the documents that the current block of a term has, none of
// which are behind it: their places in docs, and in the block.
func lookUp(docs []uint32, it *postings.Iterator, found, places []uint16) int {
	if len(docs) <= fewLookUps {
		if n, ok := it.FindBits(docs, found, places); ok {
			return n
		}
	}
	return window.Intersect(docs, it.Docs(), found, places)
}
