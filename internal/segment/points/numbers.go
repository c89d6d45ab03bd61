package points

import (
	"math"
	"sort"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
)

// Numbers holds the values of a column in ascending order, with their documents.
//
// A block is described by its lowest and highest value, by
// offset<<16|valueWidth<<8|docWidth, and by its lowest document.
type Numbers struct{ index }

// OpenNumbers opens the index with the given owner in a file with numDocs
// documents.
func OpenNumbers(file *blockfile.Reader, owner, numDocs uint32) (*Numbers, error) {
	in, corrupt, err := openIndex(file, owner)
	if err != nil {
		return nil, err
	}
	p := &Numbers{in}
	for b := range p.numBlocks() {
		info, low := p.blocks[blockWords*b+2], p.blocks[blockWords*b+3]
		vw, dw, n := int(info>>8&0xff), int(info&0xff), p.count(b)
		size := uint64(bitpack.Size(n, vw) + bitpack.Size(n, dw))
		if vw > 64 || dw > 32 || info>>16 > uint64(len(p.data)) || size > uint64(len(p.data))-info>>16 || low > uint64(numDocs) {
			return nil, corrupt("block %d of points", b)
		}
	}
	return p, nil
}

func (p *Numbers) lowest(b int) int64  { return int64(p.blocks[blockWords*b]) }
func (p *Numbers) highest(b int) int64 { return int64(p.blocks[blockWords*b+1]) }

// values decodes the values of block b.
func (p *Numbers) values(b int, out *[BlockSize]uint64) []uint64 {
	n, info := p.count(b), p.blocks[blockWords*b+2]
	bitpack.Unpack64(out[:n], p.data[info>>16:], int(info>>8&0xff))
	low := p.blocks[blockWords*b]
	for i := range out[:n] {
		out[i] += low
	}
	return out[:n]
}

// docs decodes the documents of block b.
func (p *Numbers) docs(b int, out *[BlockSize]uint32) []uint32 {
	n, info := p.count(b), p.blocks[blockWords*b+2]
	at := int(info>>16) + bitpack.Size(n, int(info>>8&0xff))
	bitpack.UnpackAdd32(out[:n], p.data[at:], int(info&0xff), uint32(p.blocks[blockWords*b+3]))
	return out[:n]
}

// rank returns the number of values below v.
func (p *Numbers) rank(v int64) int {
	b := sort.Search(p.numBlocks(), func(b int) bool { return p.highest(b) >= v })
	if b == p.numBlocks() {
		return p.n
	}
	if p.lowest(b) >= v {
		return b * BlockSize
	}
	var buf [BlockSize]uint64
	values := p.values(b, &buf)
	return b*BlockSize + sort.Search(len(values), func(i int) bool { return int64(values[i]) >= v })
}

// span returns the half-open range of positions with values in [lo, hi].
func (p *Numbers) span(lo, hi int64) (from, to int) {
	if lo > hi {
		return 0, 0
	}
	from, to = p.rank(lo), p.n
	if hi < math.MaxInt64 {
		to = p.rank(hi + 1)
	}
	return from, to
}

// Count returns the exact number of values v with lo ≤ v ≤ hi, without reading
// documents. In a single-valued column it is the number of documents.
func (p *Numbers) Count(lo, hi int64) uint64 {
	from, to := p.span(lo, hi)
	return uint64(to - from)
}

// each calls do with the documents of values in [lo, hi], block by block.
func (p *Numbers) each(lo, hi int64, do func(docs []uint32)) {
	from, to := p.span(lo, hi)
	p.eachPosition(from, to, do)
}

// eachPosition calls do with the documents of a range of positions, block by block.
func (p *Numbers) eachPosition(from, to int, do func(docs []uint32)) {
	var buf [BlockSize]uint32
	for from < to {
		b := from / BlockSize
		stop := min(to, (b+1)*BlockSize)
		do(p.docs(b, &buf)[from-b*BlockSize : stop-b*BlockSize])
		from = stop
	}
}

// IntoBitset adds the documents with a value v, lo ≤ v ≤ hi, to out, whose length
// is the number of documents in the segment.
func (p *Numbers) IntoBitset(lo, hi int64, out *bitset.Bitset) {
	words, n := out.Words(), out.Len()
	p.each(lo, hi, func(docs []uint32) {
		for _, d := range docs {
			if d < n {
				words[d>>6] |= 1 << (d & 63)
			}
		}
	})
}

// AppendDocs appends the documents with a value v, lo ≤ v ≤ hi, in the order of
// values; a document with several such values occurs several times.
func (p *Numbers) AppendDocs(dst []uint32, lo, hi int64) []uint32 {
	p.each(lo, hi, func(docs []uint32) { dst = append(dst, docs...) })
	return dst
}

// AppendFrom appends, in no particular order, the documents of n values from v on and of all
// values equal to the last of those: v and greater values, or v and smaller ones when descending.
// If there are more than most, it appends nothing and returns false.
func (p *Numbers) AppendFrom(dst []uint32, v int64, n, most int, descending bool) ([]uint32, bool) {
	from, to := 0, p.n
	if descending {
		if v < math.MaxInt64 {
			to = p.rank(v + 1)
		}
		if n < to {
			from = p.rank(p.at(to - n))
		}
	} else {
		from = p.rank(v)
		if last := from + n - 1; last < to {
			if w := p.at(last); w < math.MaxInt64 {
				to = p.rank(w + 1)
			}
		}
	}
	if to-from > most {
		return dst, false
	}
	p.eachPosition(from, to, func(docs []uint32) { dst = append(dst, docs...) })
	return dst, true
}

// at returns the value at a position.
func (p *Numbers) at(place int) int64 {
	var buf [BlockSize]uint64
	return int64(p.values(place/BlockSize, &buf)[place%BlockSize])
}

// Walk calls do with values and documents, block by block in order, until it
// returns false.
func (p *Numbers) Walk(do func(values []int64, docs []uint32) bool) {
	var v [BlockSize]uint64
	var d [BlockSize]uint32
	var out [BlockSize]int64
	for b := range p.numBlocks() {
		values := p.values(b, &v)
		for i, x := range values {
			out[i] = int64(x)
		}
		if !do(out[:len(values)], p.docs(b, &d)) {
			return
		}
	}
}

// NumbersCursor iterates over an index in the order of values.
type NumbersCursor struct {
	index  *Numbers
	block  int
	at     int
	values []uint64
	docs   []uint32
	valueB [BlockSize]uint64
	docB   [BlockSize]uint32
}

// Cursor returns a cursor before the first value.
func (p *Numbers) Cursor() *NumbersCursor { return &NumbersCursor{index: p} }

// Next advances and returns the value with its document; ok is false at the end.
func (c *NumbersCursor) Next() (v int64, doc uint32, ok bool) {
	if c.at == len(c.values) {
		if c.block >= c.index.numBlocks() {
			return 0, 0, false
		}
		c.values, c.docs = c.index.values(c.block, &c.valueB), c.index.docs(c.block, &c.docB)
		c.block++
		c.at = 0
	}
	v, doc = int64(c.values[c.at]), c.docs[c.at]
	c.at++
	return v, doc, true
}

// NumbersWriter collects values with their documents.
type NumbersWriter struct {
	pairs []pair
}

// Add appends a value of a document; documents must come in ascending order.
func (w *NumbersWriter) Add(doc uint32, v int64) {
	// The sign bit is flipped so that unsigned order is the order of values.
	w.pairs = append(w.pairs, pair{key: uint64(v) ^ 1<<63, doc: doc})
}

// Finish sorts the values and writes the index with the given owner.
func (w *NumbersWriter) Finish(out *blockfile.Writer, owner uint32) error {
	pairs := sortPairs(w.pairs)
	e := NewNumbersEncoder(out, owner)
	for _, p := range pairs {
		e.Add(int64(p.key^1<<63), p.doc)
	}
	return e.Finish()
}

// NumbersEncoder writes values that arrive in order (N1).
type NumbersEncoder struct {
	out    *blockfile.Writer
	owner  uint32
	n      uint64
	offset int64
	values []uint64
	docs   []uint32
	blocks []uint64
	buf    []byte
}

// NewNumbersEncoder opens the data section of the index with the given owner.
func NewNumbersEncoder(out *blockfile.Writer, owner uint32) *NumbersEncoder {
	out.Begin(blockfile.ID{Owner: owner, Part: PartData})
	return &NumbersEncoder{out: out, owner: owner}
}

// Add appends the next value.
func (e *NumbersEncoder) Add(v int64, doc uint32) {
	e.values, e.docs = append(e.values, uint64(v)), append(e.docs, doc)
	if len(e.values) == BlockSize {
		e.flush()
	}
}

func (e *NumbersEncoder) flush() {
	n := len(e.values)
	if n == 0 {
		return
	}
	low, high := e.values[0], e.values[n-1]
	lowDoc, highDoc := packDocs(e.docs)
	for i := range e.values {
		e.values[i] -= low
	}
	vw, dw := bitpack.Width64(high-low), bitpack.Width32(highDoc-lowDoc)
	e.blocks = append(e.blocks, low, high, uint64(e.offset)<<16|uint64(vw)<<8|uint64(dw), uint64(lowDoc))
	e.buf = bitpack.Append64(e.buf[:0], e.values, vw)
	e.buf = bitpack.Append32(e.buf, e.docs, dw)
	e.out.Write(e.buf)
	e.offset += int64(len(e.buf))
	e.n += uint64(n)
	e.values, e.docs = e.values[:0], e.docs[:0]
}

// packDocs makes documents relative to the lowest one.
func packDocs(docs []uint32) (low, high uint32) {
	low, high = docs[0], docs[0]
	for _, d := range docs {
		low, high = min(low, d), max(high, d)
	}
	for i := range docs {
		docs[i] -= low
	}
	return low, high
}

// Finish writes the blocks.
func (e *NumbersEncoder) Finish() error {
	e.flush()
	words := append([]uint64{e.n}, e.blocks...)
	e.out.Section(blockfile.ID{Owner: e.owner, Part: PartBlocks}, bitpack.AppendUint64s(nil, words))
	return e.out.Err()
}
