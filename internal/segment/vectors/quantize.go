package vectors

import (
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/simd"
)

// A quantized row holds integers around a middle: value ≈ scale × (code − middle).
// Each row has its own scale, so that one long vector does not coarsen the others;
// norm is the squared length of the decoded row.
//
// Codes of 4 bits have no steps to waste on dimensions that hardly vary: there
// value ≈ centre + spread × scale × (code − middle), with a centre and a spread per
// dimension that all rows share.
type quantized struct {
	bits   int // 8 or 4
	values int // padded
	codes  []byte
	scale  []float32
	norm   []float32
	centre []float32 // 4 bits only
	spread []float32

	coarsest float32 // see sample
}

func (z *quantized) middle() int32 {
	if z.bits == 8 {
		return 128
	}
	return 8
}

func (z *quantized) stride() int { return z.values * z.bits / 8 }

// measure sets centre and spread to the mean and the standard deviation of each
// dimension.
func (z *quantized) measure(all *rows) {
	dimensions := all.dimensions
	z.centre, z.spread = make([]float32, dimensions), make([]float32, dimensions)
	sums, squares := make([]float64, dimensions), make([]float64, dimensions)
	n := float64(max(1, all.len()))
	for i := range all.len() {
		for j, x := range all.row(uint32(i)) {
			sums[j] += float64(x)
			squares[j] += float64(x) * float64(x)
		}
	}
	most := 0.0
	for j := range sums {
		sums[j] /= n
		squares[j] = math.Sqrt(max(0, squares[j]/n-sums[j]*sums[j]))
		most = max(most, squares[j])
	}
	for j := range sums {
		z.centre[j] = float32(sums[j])
		z.spread[j] = float32(max(squares[j], most/leastSpread))
		if most == 0 {
			z.spread[j] = 1
		}
	}
}

// leastSpread bounds how much narrower than the widest dimension another one is
// assumed to be: below that are rounding errors.
const leastSpread = 1 << 10

// encode encodes a row, and returns its scale and norm; scratch must have the
// length of v.
func (z *quantized) encode(row []byte, v, scratch []float32) (scale, norm float32) {
	clear(row)
	if z.bits == 4 {
		return z.encodeFour(row, v, scratch)
	}
	scale, inverse := steps(v, 127)
	var square float64
	for j, x := range v {
		code := math.RoundToEven(float64(x * inverse))
		square += code * code
		row[j] = byte(int32(code) + 128)
	}
	return scale, float32(square) * scale * scale
}

func (z *quantized) encodeFour(row []byte, v, scratch []float32) (scale, norm float32) {
	for j, x := range v {
		scratch[j] = (x - z.centre[j]) / z.spread[j]
	}
	scale, inverse := z.fit(scratch)
	var square float64
	for j, x := range scratch {
		code := clamped(x * inverse)
		stands := float64(z.centre[j] + z.spread[j]*scale*code)
		square += stands * stands
		u := byte(int32(code) + 8)
		block, at := j/simd.Lanes, j%simd.Lanes
		if at < simd.Lanes/2 {
			row[block*simd.Lanes/2+at] |= u
		} else {
			row[block*simd.Lanes/2+at-simd.Lanes/2] |= u << 4
		}
	}
	return scale, float32(square)
}

// clamped returns the nearest code of 4 bits.
func clamped(x float32) float32 {
	return max(-8, min(7, float32(math.RoundToEven(float64(x)))))
}

// fit returns the factor inverse that converts values to codes of 4 bits, and the
// scale that converts them back. Clipping the few highest values makes the steps of
// all others finer: fit tries several widths and takes the one with the least
// error.
func (z *quantized) fit(values []float32) (scale, inverse float32) {
	widest, _ := steps(values, 7)
	if widest == 0 {
		return 0, 0
	}
	best := -1.0
	for _, part := range [...]float32{1, 0.9, 0.8, 0.7, 0.6} {
		try := 1 / (part * widest)
		var product, square float64
		for j, x := range values {
			code := clamped(x * try)
			weight := float64(z.spread[j]) * float64(z.spread[j]) * float64(code)
			product += weight * float64(x)
			square += weight * float64(code)
		}
		// With the best scale, the error is the squared length of the values less
		// this.
		if kept := product * product / square; kept > best {
			best, scale, inverse = kept, float32(product/square), try
		}
	}
	return scale, inverse
}

// steps returns the width of a step and its inverse, such that the largest absolute
// value of v is top steps from 0.
func steps(v []float32, top float32) (scale, inverse float32) {
	var highest float32
	for _, x := range v {
		highest = max(highest, x, -x)
	}
	if inverse = top / highest; math.IsInf(float64(inverse), 1) {
		return 0, 0 // zeros, or so near to zero that the inverse overflows float32
	}
	return highest / top, inverse
}

// off returns the expected difference between the nearness of a row by its codes
// and by its vector. Rounding adds to every value an error that is uniform over one
// step. These errors accumulate in proportion to the length of their factor: of the
// query, or under euclidean similarity of twice its difference from the row.
func (z *quantized) off(s Similarity, q *side, row near) float64 {
	length := q.length
	if s == Euclidean {
		length = 2 * math.Sqrt(math.Abs(float64(row.raw()))) * q.wide
	}
	return length * float64(max(z.coarsest, z.scale[row.node()])) / math.Sqrt(12)
}

// sample sets coarsest to the widest step among some rows: rows that a search
// misses may have wider steps than those that it finds.
func (z *quantized) sample() {
	step := max(1, len(z.scale)/64)
	for i := 0; i < len(z.scale); i += step {
		z.coarsest = max(z.coarsest, z.scale[i])
	}
}

// widestStep returns the widest step of all rows.
func (z *quantized) widestStep() (step float32) {
	for _, scale := range z.scale {
		step = max(step, scale)
	}
	return step
}

// side is a query quantized for products with codes.
type side struct {
	values []int8
	spread []float32 // the query times the spread of each dimension
	scale  float32
	sum    int32   // of the values, to correct for the middle
	length float64 // of the vector that the values stand for
	wide   float64 // typical spread of a dimension
}

func (z *quantized) query(v []float32, into *side) {
	if cap(into.values) < z.values {
		into.values = make([]int8, z.values)
	}
	into.values = into.values[:z.values]
	clear(into.values)
	inverse := float32(0)
	if z.bits == 4 {
		into.spread = slices.Grow(into.spread[:0], len(v))[:len(v)]
		for j, x := range v {
			into.spread[j] = x * z.spread[j]
		}
		v = into.spread
	}
	into.scale, inverse = steps(v, 127)
	into.sum = 0
	square := 0.0
	for j, x := range v {
		code := int8(math.RoundToEven(float64(x * inverse)))
		into.values[j] = code
		into.sum += int32(code)
		square += float64(x) * float64(x)
	}
	into.length, into.wide = math.Sqrt(square), 1
	if z.bits == 4 {
		square = 0
		for _, x := range z.spread {
			square += float64(x) * float64(x)
		}
		into.wide = math.Sqrt(square / float64(len(v)))
	}
}

// nearness sets out[i] to the raw nearness of the query and row ids[i]. It leaves
// out terms that are the same for all rows: the product of the query with the
// centre, and under euclidean similarity the query's own length.
func (z *quantized) nearness(s Similarity, q *side, ids []uint32, products []int32, out []float32) {
	z.multiply(q, ids, products, walkAhead)
	z.scaled(s, q, ids, products, out)
}

// walkAhead is how many rows ahead comparisons prefetch outside of scans: the rows of
// the links of a node are few, and most were requested before.
const walkAhead = 4

// multiply sets products[i] to the product of the query and the code of row ids[i]. While
// a row is read, the one ahead places later is prefetched.
func (z *quantized) multiply(q *side, ids []uint32, products []int32, ahead int) {
	if z.bits == 8 {
		simd.DotU8Rows(z.codes, ids, q.values, products, ahead)
	} else {
		simd.DotU4Rows(z.codes, ids, q.values, products, ahead)
	}
}

// scaled is nearness for given products.
func (z *quantized) scaled(s Similarity, q *side, ids []uint32, products []int32, out []float32) {
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

// keepReaching moves to the front, with their products, those rows whose nearness may
// reach a threshold above zero, and returns their number: the others do not reach it with
// the widest step of any row. It is not for euclidean similarity.
func (z *quantized) keepReaching(q *side, ids []uint32, products []int32, widest, threshold float32) (kept int) {
	shift, most := z.middle()*q.sum, q.scale*widest
	for i, product := range products[:len(ids)] {
		if float32(product-shift)*most < threshold { // NaN may reach it
			continue
		}
		ids[kept], products[kept] = ids[i], product
		kept++
	}
	return kept
}
