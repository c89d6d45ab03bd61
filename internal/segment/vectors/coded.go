package vectors

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/quiresearch/quire/internal/simd"
)

// Graph construction on scalar-quantized vectors. An insertion searches for its
// neighbours on 8-bit codes, which take a quarter of the memory of the vectors and are
// prefetched, and then compares the candidates by their vectors. The quantization error
// bounds what codes can decide: within it, vectors decide.
//
// Example: rows of 100 dimensions with values up to 0.3, so one step is 0.3/127 =
// 0.0024. Two rows at distance 1 have a squared distance of 1, which the codes are
// expected to miss by about 0.0024 × 0.82 = 0.002. Codes distinguish candidates at squared
// distances from 0.6 to 0.9, but not near-duplicates at 0.000001.

// coded holds the rows of a column under construction as 8-bit codes.
type coded struct {
	quantized
	dimensions int
	sums       []int32   // sum of the values of each row
	lift       []float32 // as in rows
	root       float32   // square root of dimensions
}

// maxCodeBytes bounds the memory of the codes of one column under construction.
const maxCodeBytes = 160 << 20

// besideCode is the number of bytes kept besides the code of a row: scale, norm and
// sum.
const besideCode = 12

// isWorthCoding reports whether codes pay off when some of a column's nodes are new.
// They do not for a merge that adds few nodes, because every row has to be encoded,
// nor for short rows, whose padded codes are about as large as their vectors.
func (o Options) isWorthCoding(added, nodes int) bool {
	return added > nodes/8 && o.padded() <= 2*o.Dimensions
}

// encodeAll encodes all rows. It returns nil if the codes exceed maxCodeBytes or the
// square of a length is out of the range of float32.
func encodeAll(o Options, all *rows) *coded {
	n := all.len()
	if n*(o.padded()+besideCode) > maxCodeBytes {
		return nil
	}
	z := quantized{bits: 8, values: o.padded(), scale: make([]float32, n), norm: make([]float32, n)}
	z.codes = make([]byte, n*z.stride())
	c := &coded{quantized: z, dimensions: o.Dimensions, sums: make([]int32, n), lift: all.lift}
	c.root = float32(math.Sqrt(float64(o.Dimensions)))
	for i := range n {
		code := c.code(uint32(i))
		c.scale[i], c.norm[i] = c.encode(code, all.row(uint32(i)), nil)
		if square := c.norm[i]; square != 0 && !(square > leastSquare && square < mostSquare) {
			return nil
		}
		for _, u := range code[:o.Dimensions] {
			c.sums[i] += int32(u) - c.middle()
		}
	}
	return c
}

func (c *coded) code(node uint32) []byte { return c.codes[int(node)*c.stride():][:c.stride()] }

// codeQuery is a node that other nodes are compared with by code.
type codeQuery struct {
	node     uint32
	values   []int8
	products []int32
}

// prepare points a query at a node.
func (c *coded) prepare(q *codeQuery, node uint32) {
	if q.values == nil {
		q.values = make([]int8, c.stride())
	}
	q.node = node
	// A value is its code minus 128, computed for eight codes at a time. The padding of
	// codes is zero and adds nothing to a product, so its values do not matter.
	values, code := unsafe.Slice((*byte)(unsafe.Pointer(&q.values[0])), c.stride()), c.code(node)
	for i := 0; i < len(code); i += 8 {
		binary.NativeEndian.PutUint64(values[i:], binary.NativeEndian.Uint64(code[i:])^0x8080808080808080)
	}
}

// nearnesses sets out[i] to the nearness of the query's node and ids[i]: the negative
// squared distance of the vectors that their codes decode to.
func (c *coded) nearnesses(q *codeQuery, ids []uint32, out []float32) {
	q.products = slices.Grow(q.products[:0], len(ids))[:len(ids)]
	simd.DotU8Rows(c.codes, ids, q.values, q.products, walkAhead)
	scale, norm, shift := 2*c.scale[q.node], c.norm[q.node], c.middle()*c.sums[q.node]
	for i, id := range ids {
		out[i] = scale*c.scale[id]*float32(q.products[i]-shift) - norm - c.norm[id]
	}
	if c.lift != nil {
		for i, id := range ids {
			out[i] -= (c.lift[q.node] - c.lift[id]) * (c.lift[q.node] - c.lift[id])
		}
	}
}

// separate reports whether codes order the candidates found near a node: whether the
// nearest and the farthest differ by at least minSpread expected errors.
func (c *coded) separate(node uint32, found []near) bool {
	if len(found) == 0 {
		return true
	}
	nearest, farthest := found[0], found[0]
	for _, x := range found {
		nearest, farthest = max(nearest, x), min(farthest, x)
	}
	step := max(c.scale[node], c.widest(found))
	return nearest.raw()-farthest.raw() >= minSpread*c.off(step, farthest.raw())
}

const minSpread = 8

// widest returns the largest quantization step of the given nodes.
func (c *coded) widest(nodes []near) (step float32) {
	for _, x := range nodes {
		step = max(step, c.scale[x.node()])
	}
	return step
}

// off returns the expected error of a nearness by code. Rounding adds an error to every
// value of both vectors, uniform over one step, so with a variance of step²/12. The
// first term is the deviation of twice the product of these errors with the difference
// of the vectors, the second that of the square of the errors.
func (c *coded) off(step, raw float32) float32 {
	distance := float32(math.Sqrt(math.Abs(float64(raw))))
	return step * (distance*deviation + step*c.root/6)
}

// deviation is 2 × √2 / √12: of the product with the errors of two vectors.
const deviation = 0.8165

// margin returns how far apart two nearnesses by code must be to be ordered: the
// expected error, and the mean of the square of the errors, by which codes overstate
// every squared distance.
func (c *coded) margin(step, raw float32) float32 {
	return c.off(step, raw) + step*step*c.root*c.root/6
}
