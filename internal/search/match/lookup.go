package match

import (
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/segment/postings"
)

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
