package vectors

import (
	"math"
	"unsafe"

	"github.com/quiresearch/quire/internal/simd"
)

// rows are the vectors of a column being built, in place: concatenated for Write,
// and in the merged columns for a merge.
type rows struct {
	dimensions int
	at         []*float32 // the first value of each
	lift       []float32  // see raise; nil when all are 0
}

func newRows(dimensions, capacity int) *rows {
	return &rows{dimensions: dimensions, at: make([]*float32, 0, capacity)}
}

func (r *rows) add(row []float32) { r.at = append(r.at, &row[:r.dimensions][0]) }

func (r *rows) len() int { return len(r.at) }

func (r *rows) row(node uint32) []float32 { return unsafe.Slice(r.at[node], r.dimensions) }

// raise gives every vector one more dimension, chosen so that all vectors get the
// same length. Then the nearest vectors of a query, which is 0 in that dimension,
// are the same by dot product and by distance, so the graph of distances serves
// both. If the lengths hardly differ, or the similarity is a distance anyway, it
// does nothing.
func (r *rows) raise(s Similarity) {
	if s == Euclidean {
		return
	}
	squares := make([]float32, r.len())
	least, most := float32(math.Inf(1)), float32(0)
	for i := range squares {
		v := r.row(uint32(i))
		squares[i] = simd.DotF32(v, v)
		least, most = min(least, squares[i]), max(most, squares[i])
	}
	if most-least <= most*1e-3 {
		return
	}
	for i, square := range squares {
		squares[i] = float32(math.Sqrt(float64(most - square)))
	}
	r.lift = squares
}

// nearness returns the nearness of two nodes while the graph is built, for any
// similarity: the negative squared distance. It distinguishes nearly equal vectors,
// for which products all round to the same number.
func (r *rows) nearness(a, b uint32) float32 {
	near := -simd.SquaredDistanceF32(r.row(a), r.row(b))
	if r.lift != nil {
		near -= (r.lift[a] - r.lift[b]) * (r.lift[a] - r.lift[b])
	}
	return near
}

// nearnesses sets out[i] to the nearness of a node and ids[i].
func (r *rows) nearnesses(node uint32, ids []uint32, out []float32) {
	out = out[:len(ids)]
	simd.SquaredDistanceF32Of(r.at, ids, r.row(node), out)
	for i := range out {
		out[i] = -out[i]
	}
	if r.lift != nil {
		for i, id := range ids {
			out[i] -= (r.lift[node] - r.lift[id]) * (r.lift[node] - r.lift[id])
		}
	}
}
