package window

// Gallop returns the first index from at on whose document is not below target, len(docs) when
// there is none. It doubles its steps until it is past the target, then halves them (Bentley,
// Yao: An almost optimal algorithm for unbounded searching, 1976): near targets cost little.
func Gallop(docs []uint32, at int, target uint32) int {
	step := 1
	for at+step < len(docs) && docs[at+step] < target {
		at += step
		step <<= 1
	}
	end := min(at+step+1, len(docs))
	for at < end {
		middle := int(uint(at+end) >> 1)
		if docs[middle] < target {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at
}
