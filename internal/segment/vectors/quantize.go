package vectors

import (
	"math"

	"github.com/quiresearch/quire/internal/simd"
)

// A quantized row holds whole numbers around a middle: value ≈ scale × (code −
// middle). Each row has a scale of its own, so that one long vector does not
// coarsen the others; norm is the squared length of what the codes stand for.
type quantized struct {
	bits   int // 8 or 4
	values int // padded
	codes  []byte
	scale  []float32
	norm   []float32
}

func (z *quantized) middle() int32 {
	if z.bits == 8 {
		return 128
	}
	return 8
}

func (z *quantized) stride() int { return z.values * z.bits / 8 }

// set encodes v as row i.
func (z *quantized) set(i int, v []float32) {
	top := float32(127)
	if z.bits == 4 {
		top = 7
	}
	var highest float32
	for _, x := range v {
		highest = max(highest, float32(math.Abs(float64(x))))
	}
	scale := highest / top
	inverse := float32(0)
	if scale > 0 {
		inverse = 1 / scale
	}
	row := z.codes[i*z.stride():][:z.stride()]
	clear(row)
	var norm float64
	for j, x := range v {
		code := int32(math.RoundToEven(float64(x * inverse)))
		norm += float64(code) * float64(code)
		u := byte(code + z.middle())
		if z.bits == 8 {
			row[j] = u
			continue
		}
		block, at := j/simd.Lanes, j%simd.Lanes
		if at < simd.Lanes/2 {
			row[block*simd.Lanes/2+at] |= u
		} else {
			row[block*simd.Lanes/2+at-simd.Lanes/2] |= u << 4
		}
	}
	z.scale[i] = scale
	z.norm[i] = float32(norm) * scale * scale
}

// side is a query quantized for products with codes.
type side struct {
	values []int8
	scale  float32
	sum    int32 // of the values, for taking the middle out
}

func (z *quantized) query(v []float32, into *side) {
	if cap(into.values) < z.values {
		into.values = make([]int8, z.values)
	}
	into.values = into.values[:z.values]
	clear(into.values)
	var highest float32
	for _, x := range v {
		highest = max(highest, float32(math.Abs(float64(x))))
	}
	into.scale, into.sum = highest/127, 0
	if highest == 0 {
		return
	}
	inverse := 127 / highest
	for j, x := range v {
		code := int8(math.RoundToEven(float64(x * inverse)))
		into.values[j] = code
		into.sum += int32(code)
	}
}

// nearness sets out[i] to the raw nearness of the query and row ids[i]. Under
// euclidean similarity the query's own length is left out: it moves all alike.
func (z *quantized) nearness(s Similarity, q *side, ids []uint32, products []int32, out []float32) {
	if z.bits == 8 {
		simd.DotU8Rows(z.codes, ids, q.values, products)
	} else {
		simd.DotU4Rows(z.codes, ids, q.values, products)
	}
	shift := z.middle() * q.sum
	if s == Euclidean {
		for i, id := range ids {
			out[i] = 2*q.scale*z.scale[id]*float32(products[i]-shift) - z.norm[id]
		}
		return
	}
	for i, id := range ids {
		out[i] = q.scale * z.scale[id] * float32(products[i]-shift)
	}
}
