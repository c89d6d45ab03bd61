package match

import "github.com/quiresearch/quire/internal/segment/postings"

// intersectGeneric finds the candidates that are among docs; both rise and no
// candidate is above the last of docs. It writes the places of those found, in
// the candidates and in docs, and returns their number.
func intersectGeneric(candidates, docs []uint32, found, places []uint16) int {
	n, at := 0, 0
	for i, c := range candidates {
		at = gallop(docs, at, c)
		if at == len(docs) {
			return n
		}
		found[n], places[n] = uint16(i), uint16(at)
		if docs[at] == c {
			n++
		}
	}
	return n
}

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
	return intersect(docs, it.Docs(), found, places)
}
