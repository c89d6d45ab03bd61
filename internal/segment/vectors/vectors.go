// Package vectors stores one vector per document and finds the vectors nearest to a
// given one.
//
// Write takes documents in order with their vectors, builds a hierarchical
// navigable small-world graph (HNSW) on all cores and writes the column. If memory
// allows, new nodes search for their neighbours on 8-bit codes. A Reader opens the
// bytes; any number of searches may run at once. Merge reads the rows of its inputs
// and starts from the graph of the largest one.
//
// If the field asks for it, distances are computed on rows quantized to 8 or 4
// bits, and the best candidates are rescored with the full vectors. Vectors under
// cosine similarity are stored with unit length.
//
// Invariants:
//
//	V1  Documents strictly increase.
//	V2  Every neighbour is a node of the graph on that level.
//	V3  A node has at most 2M neighbours on level 0, and at most M on each level
//	    above.
//	V4  A twin, equal to another node, has that node as its first neighbour, and
//	    that node is not a twin.
//
// The bytes are described in FORMAT.md.
package vectors

import (
	"math"

	"github.com/quiresearch/quire/internal/simd"
)

// Similarity is the measure of how near two vectors are.
type Similarity uint8

// The similarities of the interface.
const (
	Cosine Similarity = iota
	DotProduct
	Euclidean
)

// Quantization selects the rows that searches of the graph compare.
type Quantization uint8

// The quantizations of the interface.
const (
	None Quantization = iota
	Int8
	Int4
)

// Options describe a vector field.
type Options struct {
	Dimensions     int
	Similarity     Similarity
	Quantization   Quantization
	M              int // links per node; 0 means 16
	EfConstruction int // candidates while building; 0 means 100
}

func (o Options) links() int {
	if o.M <= 0 {
		return 16
	}
	return o.M
}

// written returns the options as a column stores them, with defaults filled in.
func (o Options) written() Options {
	o.M, o.EfConstruction = o.links(), o.breadth()
	return o
}

func (o Options) breadth() int {
	if o.EfConstruction <= 0 {
		return 100
	}
	return o.EfConstruction
}

// padded returns the number of values of a quantized row.
func (o Options) padded() int {
	return (o.Dimensions + simd.Lanes - 1) / simd.Lanes * simd.Lanes
}

// Hit is a document and its score: higher is nearer, on the scale that searches
// report.
type Hit struct {
	Doc   uint32
	Score float32
}

// Score converts a raw nearness to the score of the interface.
//
//	cosine       (1 + cos) / 2
//	dot product  (1 + dot) / 2
//	euclidean    1 / (1 + d²), where the raw nearness is -d²
func (s Similarity) Score(raw float32) float32 {
	if s == Euclidean {
		return 1 / (1 - raw)
	}
	return (1 + raw) / 2
}

// Normalize scales a vector to unit length in place. A zero vector stays unchanged.
func Normalize(v []float32) {
	square := simd.DotF32(v, v)
	if square < leastSquare || square > mostSquare {
		normalizeExtreme(v)
		return
	}
	scale := float32(1 / math.Sqrt(float64(square)))
	for i := range v {
		v[i] *= scale
	}
}

// Outside this range, squares of values overflow or vanish in float32.
const leastSquare, mostSquare = 1e-24, 1e30

func normalizeExtreme(v []float32) {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return
	}
	scale := 1 / math.Sqrt(square)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
}

// nearness returns the raw nearness of two full vectors.
func (s Similarity) nearness(a, b []float32) float32 {
	if s == Euclidean {
		return -simd.SquaredDistanceF32(a, b)
	}
	return simd.DotF32(a, b)
}
