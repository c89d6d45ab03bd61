package window

import "golang.org/x/sys/cpu"

var hasWideCompare = cpu.X86.HasAVX512F

// intersectWide is intersectGeneric for at least 16 docs.
//
//go:noescape
func intersectWide(candidates *uint32, count int, docs *uint32, documents int, found, places *uint16) int

// Intersect finds the candidates that are among docs, at least one; both rise,
// and no candidate is above the last of docs. It writes the places of those
// found, in the candidates and in docs, and returns their number. found and
// places have room for one more than there are candidates.
func Intersect(candidates, docs []uint32, found, places []uint16) int {
	if !hasWideCompare || len(docs) < 16 || len(candidates) == 0 {
		return intersectGeneric(candidates, docs, found, places)
	}
	_, _ = found[len(candidates)-1], places[len(candidates)-1]
	return intersectWide(&candidates[0], len(candidates), &docs[0], len(docs), &found[0], &places[0])
}

// aboveWide is aboveGeneric.
//
//go:noescape
func aboveWide(sums *Sums, least float64, out *Bits)

// Above leaves the places in out whose sums are above least.
func Above(sums *Sums, least float64, out *Bits) {
	if !hasWideCompare {
		aboveGeneric(sums, least, out)
		return
	}
	aboveWide(sums, least, out)
}

// FewToMark is how many documents the terms of a union may hold in a window,
// on average, for marking each to be cheaper than looking at all sums.
func FewToMark() int {
	if hasWideCompare {
		return 128
	}
	return fewGeneric
}
