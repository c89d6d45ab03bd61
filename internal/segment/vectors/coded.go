package vectors

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/quiresearch/quire/internal/simd"
)

// coded are the rows of a column that is being built as codes of 8 bits, one behind
// the other. New nodes look for their neighbours on them, which are a quarter of the
// memory of the vectors and arrive in time, and compare those found by their vectors.
// Where codes do not tell nodes apart, vectors do all of it.
type coded struct {
	quantized
	dimensions int
	sums       []int32   // of the values of each
	lift       []float32 // of the rows
}

// mostCodes is how many bytes codes may take while a column is built.
const mostCodes = 128 << 20

// encodeAll makes the codes of all rows, or returns nil: codes may take too much
// memory, or the rows are longer than 32 bits can compare.
func encodeAll(o Options, all *rows) *coded {
	n := all.len()
	if n*o.padded() > mostCodes {
		return nil
	}
	z := quantized{bits: 8, values: o.padded(), scale: make([]float32, n), norm: make([]float32, n)}
	z.codes = make([]byte, n*z.stride())
	c := &coded{quantized: z, dimensions: o.Dimensions, sums: make([]int32, n), lift: all.lift}
	for i := range n {
		code := c.code(uint32(i))
		c.scale[i], c.norm[i] = c.encode(code, all.row(uint32(i)), nil)
		if !(c.norm[i] < math.MaxFloat32/8) {
			return nil
		}
		for _, u := range code[:o.Dimensions] {
			c.sums[i] += int32(u) - c.middle()
		}
	}
	return c
}

func (c *coded) code(node uint32) []byte { return c.codes[int(node)*c.stride():][:c.stride()] }

// aimed is a node that others are compared with.
type aimed struct {
	node     uint32
	values   []int8
	products []int32
}

// aim makes ready to compare others with a node.
func (c *coded) aim(a *aimed, node uint32) {
	if a.values == nil {
		a.values = make([]int8, c.stride())
	}
	a.node = node
	// A value is its code less 128, here eight at a time. Codes are filled up with
	// zeros, which add nothing to a product whatever the values are there.
	values, code := unsafe.Slice((*byte)(unsafe.Pointer(&a.values[0])), c.stride()), c.code(node)
	for i := 0; i < len(code); i += 8 {
		binary.NativeEndian.PutUint64(values[i:], binary.NativeEndian.Uint64(code[i:])^0x8080808080808080)
	}
}

// nearnesses sets out[i] to the nearness of a node and ids[i] by what their codes
// stand for.
func (c *coded) nearnesses(a *aimed, ids []uint32, out []float32) {
	a.products = slices.Grow(a.products[:0], len(ids))[:len(ids)]
	simd.DotU8Rows(c.codes, ids, a.values, a.products)
	scale, norm, shift := 2*c.scale[a.node], c.norm[a.node], c.middle()*c.sums[a.node]
	for i, id := range ids {
		out[i] = scale*c.scale[id]*float32(a.products[i]-shift) - norm - c.norm[id]
	}
	if c.lift != nil {
		for i, id := range ids {
			out[i] -= (c.lift[a.node] - c.lift[id]) * (c.lift[a.node] - c.lift[id])
		}
	}
}

// separate reports whether codes tell nodes apart that are near to another: whether
// the nearest and the farthest differ by many times what the codes are off. Rounding
// adds to every value of both vectors an error that is spread evenly over a step.
// These errors add up over the distance, and among themselves.
func (c *coded) separate(node uint32, all []near) bool {
	if len(all) == 0 {
		return true
	}
	nearest, farthest, step := all[0], all[0], c.scale[node]
	for _, x := range all {
		nearest, farthest, step = max(nearest, x), min(farthest, x), max(step, c.scale[x.node()])
	}
	distance := math.Sqrt(math.Abs(float64(farthest.raw())))
	off := float64(step) * (2*math.Sqrt2/math.Sqrt(12)*distance + float64(step)*math.Sqrt(float64(c.dimensions))/6)
	return float64(nearest.raw())-float64(farthest.raw()) >= surelyApart*off
}

// surelyApart is how many times what codes are off nodes differ that they separate.
const surelyApart = 8
