package postings

// LowerBound returns the first place of docs, which rise, whose document is
// not below target, len(docs) when there is none. It branches on nothing that
// the documents decide.
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
