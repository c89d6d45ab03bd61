package window

import (
	"golang.org/x/sys/cpu"

	"github.com/quiresearch/quire/internal/segment/postings"
)

var (
	hasWideCompare = cpu.X86.HasAVX512F && cpu.X86.HasPOPCNT
	hasWideSearch  = cpu.X86.HasAVX512F && cpu.X86.HasAVX512CD && cpu.X86.HasPOPCNT
)

// intersectWide is intersectGeneric for at least 16 and at most a block of docs.
//
//go:noescape
func intersectWide(candidates *uint32, count int, docs *uint32, documents int, found, places *uint16) int

// Intersect finds the candidates that are in docs. Both are in ascending order, docs is not
// empty, and no candidate is above the last of docs. It writes the indexes of those found, in
// candidates and in docs, and returns their number. found and places must be at least as long
// as candidates.
func Intersect(candidates, docs []uint32, found, places []uint16) int {
	if !hasWideSearch || len(docs) < 16 || len(docs) > postings.BlockSize || len(candidates) == 0 {
		return intersectGeneric(candidates, docs, found, places)
	}
	_, _ = found[len(candidates)-1], places[len(candidates)-1]
	return intersectWide(&candidates[0], len(candidates), &docs[0], len(docs), &found[0], &places[0])
}

// aboveWide is aboveGeneric.
//
//go:noescape
func aboveWide(sums *Sums, least float64, out *Bits)

// Above sets out to the indexes whose sums are above least.
func Above(sums *Sums, least float64, out *Bits) {
	if !hasWideCompare {
		aboveGeneric(sums, least, out)
		return
	}
	aboveWide(sums, least, out)
}

// FewToMark is the largest number of documents of the terms of a union in a window, on average,
// for which marking each is cheaper than reading all sums.
func FewToMark() int {
	if hasWideCompare {
		return 128
	}
	return fewGeneric
}

// mergeWide is mergeGeneric.
//
//go:noescape
func mergeWide(l *lists, least float64, docs *uint32, sums *float64) (i, j, n int)

func merge(l *lists, least float64, docs []uint32, sums []float64) (i, j, n int) {
	if !hasWideCompare {
		return mergeGeneric(l, least, docs, sums)
	}
	_, _ = docs[len(l.x)+len(l.y)-1], sums[len(l.x)+len(l.y)-1]
	_, _ = l.x[:len(l.x)+1], l.y[:len(l.y)+1]
	return mergeWide(l, least, &docs[0], &sums[0])
}

// keepAboveWide is keepAboveGeneric for at least one document.
//
//go:noescape
func keepAboveWide(docs *uint32, sums *float64, count int, rest, least float64, to *uint32, toSums *float64) int

// KeepAbove writes the documents whose sum plus rest exceeds least, with their sums, and
// returns their number. to and toSums must be at least as long as docs and may be docs and
// sums.
func KeepAbove(docs []uint32, sums []float64, rest, least float64, to []uint32, toSums []float64) int {
	if !hasWideCompare || len(docs) == 0 {
		return keepAboveGeneric(docs, sums, rest, least, to, toSums)
	}
	_, _, _ = sums[len(docs)-1], to[len(docs)-1], toSums[len(docs)-1]
	return keepAboveWide(&docs[0], &sums[0], len(docs), rest, least, &to[0], &toSums[0])
}
