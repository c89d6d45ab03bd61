package match

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
