//go:build !amd64

package match

// intersect finds the candidates that are among docs; see intersectGeneric.
func intersect(candidates, docs []uint32, found, places []uint16) int {
	return intersectGeneric(candidates, docs, found, places)
}

// above leaves the places in out whose sums are above least.
func above(sums *Sums, least float64, out *Bits) { aboveGeneric(sums, least, out) }

func fewInWindow() int { return fewGeneric }
