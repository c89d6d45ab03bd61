//go:build !amd64

package window

// Intersect finds the candidates that are among docs, at least one; both rise,
// and no candidate is above the last of docs. It writes the places of those
// found, in the candidates and in docs, and returns their number. found and
// places are as long as candidates at least.
func Intersect(candidates, docs []uint32, found, places []uint16) int {
	return intersectGeneric(candidates, docs, found, places)
}

// Above leaves the places in out whose sums are above least.
func Above(sums *Sums, least float64, out *Bits) { aboveGeneric(sums, least, out) }

func FewToMark() int { return fewGeneric }

func merge(l *lists, least float64, docs []uint32, sums []float64) (i, j, n int) {
	return mergeGeneric(l, least, docs, sums)
}

// KeepAbove writes the documents whose sum and rest exceed least, with their sums, and
// returns their number. to and toSums are as long as docs at least and may be docs and sums.
func KeepAbove(docs []uint32, sums []float64, rest, least float64, to []uint32, toSums []float64) int {
	return keepAboveGeneric(docs, sums, rest, least, to, toSums)
}
