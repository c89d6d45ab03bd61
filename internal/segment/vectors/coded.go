package vectors

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/quiresearch/quire/internal/simd"
)

// coded are the rows of a column that is being built as codes of 8 bits, one behind
// the other. New nodes look for their neighbours on codes, which take a quarter of the
// memory of vectors and are asked for before they are read, and then compare what they
// found by vectors. Where codes do not tell nodes apart, vectors are used throughout.
type coded struct {
	quantized
	dimensions int
	sums       []int32   // of the values of each
	lift       []float32 // of the rows
	root       float32   // of the dimensions
}

// mostCodes is how many bytes codes may take while one column is built, with the 12
// bytes that are kept beside each.
const mostCodes = 160 << 20

// encodeAll makes the codes of all rows. It returns nil where they would take too much
// memory, and where squares of lengths do not fit into 32 bits.
func encodeAll(o Options, all *rows) *coded {
	n := all.len()
	if n*(o.padded()+12) > mostCodes {
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

// separate reports whether codes tell apart what was found near a node: whether the
// nearest and the farthest differ by many times what codes are off.
func (c *coded) separate(node uint32, found []near) bool {
	if len(found) == 0 {
		return true
	}
	nearest, farthest := found[0], found[0]
	for _, x := range found {
		nearest, farthest = max(nearest, x), min(farthest, x)
	}
	step := max(c.scale[node], c.widest(found))
	return nearest.raw()-farthest.raw() >= 8*c.off(step, farthest.raw())
}

// widest is the widest step of nodes.
func (c *coded) widest(nodes []near) (step float32) {
	for _, x := range nodes {
		step = max(step, c.scale[x.node()])
	}
	return step
}

// off is how much a nearness by codes of some step is expected to differ from that by
// vectors. Rounding moves every value of both vectors by up to half a step, all such
// errors being equally frequent. They count with the distance of the vectors, and
// with each other.
func (c *coded) off(step, raw float32) float32 {
	return step * (0.8165*float32(math.Sqrt(math.Abs(float64(raw)))) + step*c.root/6)
}

// margin is by how much a nearness has to differ from another by codes to be told
// from it. What lies close together is farther apart by codes.
func (c *coded) margin(step, raw float32) float32 {
	return c.off(step, raw) + step*step*c.root*c.root/6
}
