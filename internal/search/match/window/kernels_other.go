//go:build !amd64

package window

// Intersect finds the candidates that are in docs. Both are in ascending order, docs is not
// empty, and no candidate is above the last of docs. It writes the indexes of those found, in
// candidates and in docs, and returns their number. found and places must be at least as long
// as candidates.
func Intersect(candidates, docs []uint32, found, places []uint16) int {
	return intersectGeneric(candidates, docs, found, places)
}

// Above sets out to the indexes whose sums are above least.
func Above(sums *Sums, least float64, out *Bits) { aboveGeneric(sums, least, out) }

// FewToMark is the largest number of documents of the terms of a union in a window, on average,
// for which marking each is cheaper than reading all sums.
func FewToMark() int { return fewGeneric }

func merge(l *lists, least float64, docs []uint32, sums []float64) (i, j, n int) {
	return mergeGeneric(l, least, docs, sums)
}

// KeepAbove writes the documents whose sum plus rest exceeds least, with their sums, and
// returns their number. to and toSums must be at least as long as docs and may be docs and
// sums.
func KeepAbove(docs []uint32, sums []float64, rest, least float64, to []uint32, toSums []float64) int {
	return keepAboveGeneric(docs, sums, rest, least, to, toSums)
}
