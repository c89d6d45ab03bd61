package window

// intersectGeneric is Intersect one candidate at a time.
func intersectGeneric(candidates, docs []uint32, found, places []uint16) int {
	n, at := 0, 0
	for i, c := range candidates {
		at = Gallop(docs, at, c)
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
