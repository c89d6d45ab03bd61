package vectors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// ErrCorrupt means that bytes are not a vector column. Callers wrap it with the
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

// write writes a column with its graph.
func (c *column) write(to io.Writer, g *graph) error {
	nodes := len(c.docs)
	z := &quantized{bits: c.bits(), values: c.padded(), scale: make([]float32, nodes), norm: make([]float32, nodes)}
	if z.bits == 4 {
		z.measure(c.rows)
	}
	out := &parts{to: to}
	header := binary.LittleEndian.AppendUint32(nil, uint32(c.Dimensions))
	header = append(header, byte(c.Similarity), byte(c.Quantization))
	header = binary.LittleEndian.AppendUint16(header, uint16(c.links()))
	header = binary.LittleEndian.AppendUint32(header, uint32(c.breadth()))
	header = binary.LittleEndian.AppendUint32(header, uint32(nodes))
	header = binary.LittleEndian.AppendUint32(header, g.entry)
	header = binary.LittleEndian.AppendUint32(header, uint32(int32(g.top)))
	out.bytes(header)
	out.pad()
	out.words(c.docs)
	out.pad()
	for i := range nodes {
		out.floats(c.rows.row(uint32(i)))
	}
	out.pad()
	code, scratch := make([]byte, z.stride()), make([]float32, c.Dimensions)
	for i := range nodes {
		z.scale[i], z.norm[i] = z.encode(code, c.rows.row(uint32(i)), scratch)
		out.bytes(code)
	}
	out.pad()
	out.floats(z.centre)
	out.floats(z.spread)
	out.floats(z.scale)
	out.floats(z.norm)
	out.words(g.ground)
	out.bytes(g.height)
	out.pad()
	out.words(g.above)
	out.flush()
	return out.err
}

// parts writes the parts of a column one after the other.
type parts struct {
	to     io.Writer
	buffer []byte
	at     int
	err    error
}

func (p *parts) bytes(b []byte) {
	p.buffer, p.at = append(p.buffer, b...), p.at+len(b)
	if len(p.buffer) >= 1<<16 {
		p.flush()
	}
}

func (p *parts) flush() {
	if p.err == nil {
		_, p.err = p.to.Write(p.buffer)
	}
	p.buffer = p.buffer[:0]
}

func (p *parts) pad() {
	if odd := p.at % align; odd != 0 {
		p.bytes(make([]byte, align-odd))
	}
}

func (p *parts) words(words []uint32) {
	for _, w := range words {
		p.buffer = binary.LittleEndian.AppendUint32(p.buffer, w)
		if p.at += 4; len(p.buffer) >= 1<<16 {
			p.flush()
		}
	}
}

func (p *parts) floats(values []float32) {
	if len(values) > 0 {
		p.words(unsafe.Slice((*uint32)(unsafe.Pointer(&values[0])), len(values)))
	}
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

// words returns n little-endian words, without copying if the machine allows it.
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

// Open opens a column over bytes, which it keeps and never changes. The bytes must
// have passed their checksum; Check verifies every link.
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
	r := &Reader{options: o, graph: &graph{m: o.M, entry: entry, top: top}}
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
		r.graph.ground = c.words(nodes * (2*o.M + 1))
		r.graph.height = c.take(nodes)
		c.skipPadding()
	}
	if c.failed {
		return nil, fmt.Errorf("%d vectors of %d dimensions: %w", nodes, o.Dimensions, ErrCorrupt)
	}
	r.codes.sample()
	for node, height := range r.graph.height {
		if height > 24 && height != twin {
			return nil, fmt.Errorf("height of node %d: %w", node, ErrCorrupt)
		}
	}
	r.graph.above = c.words(r.graph.raise() * (o.M + 1))
	if c.failed || top >= 0 && r.graph.levels(entry) != top {
		return nil, fmt.Errorf("links: %w", ErrCorrupt)
	}
	for at := 0; at < len(r.graph.above); at += o.M + 1 {
		if r.graph.above[at] > uint32(o.M) {
			return nil, fmt.Errorf("links: %w", ErrCorrupt)
		}
	}
	return r, nil
}

// Check verifies every document and link (V1 to V4).
func (r *Reader) Check() error {
	for i := 1; i < len(r.docs); i++ {
		if r.docs[i] <= r.docs[i-1] {
			return fmt.Errorf("V1: document %d after %d: %w", r.docs[i], r.docs[i-1], ErrCorrupt)
		}
	}
	for node := range r.graph.height {
		if r.graph.row(uint32(node), 0)[0] > uint32(2*r.graph.m) {
			return fmt.Errorf("V3: node %d: %w", node, ErrCorrupt)
		}
		if links := r.graph.links(uint32(node), 0); r.graph.height[node] == twin && (len(links) == 0 || int(links[0]) >= len(r.docs) || r.graph.height[links[0]] == twin) {
			return fmt.Errorf("V4: node %d: %w", node, ErrCorrupt)
		}
		for level := range r.graph.levels(uint32(node)) + 1 {
			for _, n := range r.graph.links(uint32(node), level) {
				if int(n) >= len(r.docs) || r.graph.levels(n) < level {
					return fmt.Errorf("V2: node %d links to %d on level %d: %w", node, n, level, ErrCorrupt)
				}
			}
		}
	}
	return nil
}
