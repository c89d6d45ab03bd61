//go:build !amd64

package match

// intersect finds the candidates that are among docs; see intersectGeneric.
func intersect(candidates, docs []uint32, found, places []uint16) int {
	return intersectGeneric(candidates, docs, found, places)
}
