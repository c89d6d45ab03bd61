package vectors

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// ErrCorrupt says that bytes are not a vector column. Callers wrap it with the
// name of the file.
var ErrCorrupt = errors.New("vector column is corrupt")

const (
	headerBytes = 64
	align       = 64
)

func (o Options) bits() int {
	if o.Quantization == Int4 {
		return 4
	}
	return 8
}

func finish(ctx context.Context, o Options, docs []uint32, rows []float32, start *graph, threads int) ([]byte, error) {
	nodes := len(docs)
	g := &graph{m: o.links(), top: -1}
	if nodes > scanLimit { // fewer are always scanned
		var err error
		if g, err = buildGraph(ctx, o, rows, nodes, start, threads); err != nil {
			return nil, err
		}
	}
	z := &quantized{bits: o.bits(), values: o.padded(), scale: make([]float32, nodes), norm: make([]float32, nodes)}
	z.codes = make([]byte, nodes*z.stride())
	if z.bits == 4 {
		z.measure(rows, o.Dimensions)
	}
	room := make([]float32, o.Dimensions)
	for i := range nodes {
		z.set(i, rows[i*o.Dimensions:][:o.Dimensions], room)
	}
	size := headerBytes + 4*align + 8*len(z.centre) + 4*nodes + 4*len(rows) + len(z.codes) + 8*nodes + 4*len(g.ground) + nodes
	out := make([]byte, 0, size)
	out = binary.LittleEndian.AppendUint32(out, uint32(o.Dimensions))
	out = append(out, byte(o.Similarity), byte(o.Quantization))
	out = binary.LittleEndian.AppendUint16(out, uint16(o.links()))
	out = binary.LittleEndian.AppendUint32(out, uint32(o.breadth()))
	out = binary.LittleEndian.AppendUint32(out, uint32(nodes))
	out = binary.LittleEndian.AppendUint32(out, g.entry)
	out = binary.LittleEndian.AppendUint32(out, uint32(int32(g.top)))
	out = pad(out)
	out = pad(appendWords(out, docs))
	out = pad(appendFloats(out, rows))
	out = pad(append(out, z.codes...))
	out = appendFloats(out, z.centre)
	out = appendFloats(out, z.spread)
	out = appendFloats(out, z.scale)
	out = appendFloats(out, z.norm)
	out = appendWords(out, g.ground)
	out = append(out, g.height...)
	for node, height := range g.height {
		for level := range int(height) {
			links := g.upper[node][level]
			out = binary.LittleEndian.AppendUint32(out, uint32(len(links)))
			out = appendWords(out, links)
		}
	}
	return out, nil
}

func pad(b []byte) []byte {
	for len(b)%align != 0 {
		b = append(b, 0)
	}
	return b
}

func appendWords(b []byte, words []uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func appendFloats(b []byte, values []float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// cursor reads the parts of a column one after the other.
type cursor struct {
	rest   []byte
	at     int
	failed bool
}

func (c *cursor) take(n int) []byte {
	if c.failed || n < 0 || n > len(c.rest) {
		c.failed = true
		return nil
	}
	part := c.rest[:n:n]
	c.rest, c.at = c.rest[n:], c.at+n
	return part
}

func (c *cursor) skipPadding() {
	if odd := c.at % align; odd != 0 {
		c.take(align - odd)
	}
}

// words views n little-endian words without copying where the machine allows.
func (c *cursor) words(n int) []uint32 {
	b := c.take(4 * n)
	if len(b) == 0 {
		return nil
	}
	if littleEndian && uintptr(unsafe.Pointer(&b[0]))%4 == 0 {
		return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), n)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func (c *cursor) floats(n int) []float32 {
	words := c.words(n)
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&words[0])), n)
}

var littleEndian = func() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}()

// Open reads a column over bytes, which it keeps and never changes. The bytes
// must have passed their checksum; Check looks at every link.
func Open(data []byte) (*Reader, error) {
	c := &cursor{rest: data}
	h := c.take(headerBytes)
	if c.failed {
		return nil, fmt.Errorf("header: %w", ErrCorrupt)
	}
	o := Options{
		Dimensions:     int(binary.LittleEndian.Uint32(h)),
		Similarity:     Similarity(h[4]),
		Quantization:   Quantization(h[5]),
		M:              int(binary.LittleEndian.Uint16(h[6:])),
		EfConstruction: int(binary.LittleEndian.Uint32(h[8:])),
	}
	nodes := int(binary.LittleEndian.Uint32(h[12:]))
	entry := binary.LittleEndian.Uint32(h[16:])
	top := int(int32(binary.LittleEndian.Uint32(h[20:])))
	if o.Dimensions < 1 || o.Dimensions > 4096 || o.Similarity > Euclidean || o.Quantization > Int4 || o.M < 1 || o.M > 512 ||
		nodes > len(data)/4 || top < -1 || top > 24 || top >= 0 && int(entry) >= nodes {
		return nil, fmt.Errorf("header: %w", ErrCorrupt)
	}
	r := &Reader{options: o, graph: &graph{m: o.M, entry: entry, top: top, width: 2*o.M + 1}}
	r.docs = c.words(nodes)
	c.skipPadding()
	r.rows = c.floats(nodes * o.Dimensions)
	c.skipPadding()
	r.codes = quantized{bits: o.bits(), values: o.padded()}
	r.codes.codes = c.take(nodes * r.codes.stride())
	c.skipPadding()
	if r.codes.bits == 4 {
		r.codes.centre = c.floats(o.Dimensions)
		r.codes.spread = c.floats(o.Dimensions)
	}
	r.codes.scale = c.floats(nodes)
	r.codes.norm = c.floats(nodes)
	if top >= 0 {
		r.graph.ground = c.words(nodes * r.graph.width)
		r.graph.height = c.take(nodes)
	}
	if c.failed {
		return nil, fmt.Errorf("%d vectors of %d dimensions: %w", nodes, o.Dimensions, ErrCorrupt)
	}
	r.graph.upper = make([][][]uint32, nodes)
	for node, height := range r.graph.height {
		if height == 0 {
			continue
		}
		if height > 24 {
			return nil, fmt.Errorf("height of node %d: %w", node, ErrCorrupt)
		}
		levels := make([][]uint32, height)
		for level := range levels {
			count := c.words(1)
			if c.failed || count[0] > uint32(o.M) {
				return nil, fmt.Errorf("links of node %d: %w", node, ErrCorrupt)
			}
			levels[level] = c.words(int(count[0]))
		}
		r.graph.upper[node] = levels
	}
	if c.failed || top >= 0 && int(r.graph.height[entry]) != top {
		return nil, fmt.Errorf("links: %w", ErrCorrupt)
	}
	return r, nil
}

// Check walks every document and link (V1, V2, V3).
func (r *Reader) Check() error {
	for i := 1; i < len(r.docs); i++ {
		if r.docs[i] <= r.docs[i-1] {
			return fmt.Errorf("V1: document %d after %d: %w", r.docs[i], r.docs[i-1], ErrCorrupt)
		}
	}
	for node := range r.graph.height {
		if r.graph.ground[node*r.graph.width] > uint32(2*r.graph.m) {
			return fmt.Errorf("V3: node %d: %w", node, ErrCorrupt)
		}
		for level := range int(r.graph.height[node]) + 1 {
			for _, n := range r.graph.links(uint32(node), level) {
				if int(n) >= len(r.docs) || int(r.graph.height[n]) < level {
					return fmt.Errorf("V2: node %d links to %d on level %d: %w", node, n, level, ErrCorrupt)
				}
			}
		}
	}
	return nil
}
