package postings

// LowerBound returns the first index in docs, which must be ascending, of a
// document not below target, or len(docs) when there is none. No branch in its loop
// depends on the documents.
func LowerBound(docs []uint32, target uint32) int {
	if len(docs) == 0 {
		return 0
	}
	at, n := 0, len(docs)
	for n > 1 {
		half := n >> 1
		below := (int64(docs[at+half-1]) - int64(target)) >> 63 // all ones when it is
		at += half & int(below)
		n -= half
	}
	if docs[at] < target {
		at++
	}
	return at
}
