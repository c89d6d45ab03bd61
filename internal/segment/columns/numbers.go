package columns

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
)

// Numbers is the read side of a column of int64 values.
type Numbers struct {
	multi     bool
	numDocs   uint32
	numValues uint64
	withValue uint32
	values    series // per document, or per value when multi
	starts    series // multi: index of each document's first value, and the end
	bounds    []int64
	present   *bitset.Bitset
}

// OpenNumbers opens the column with the given owner in a file with numDocs
// documents.
func OpenNumbers(file *blockfile.Reader, owner, numDocs uint32, multi bool) (*Numbers, error) {
	s := sections{file, owner}
	info, err := s.info(2)
	if err != nil {
		return nil, err
	}
	c := &Numbers{multi: multi, numDocs: numDocs, withValue: uint32(info[0]), numValues: info[1]}
	if info[0] > uint64(numDocs) || info[1] < info[0] || info[1] > 1<<40 || !multi && info[1] != info[0] {
		return nil, s.corrupt(PartInfo, "%d values in %d documents", info[1], info[0])
	}
	if c.withValue != numDocs {
		set, ok := bitset.FromBytes(s.part(PartPresent), numDocs)
		if !ok || set.Count() != int(c.withValue) {
			return nil, s.corrupt(PartPresent, "documents with a value")
		}
		c.present = set
	}
	c.bounds = bitpack.Int64s(s.part(PartBounds))
	if len(c.bounds) != 2*numBlocks(int(numDocs)) {
		return nil, s.corrupt(PartBounds, "bounds of %d blocks", len(c.bounds)/2)
	}
	n := int(numDocs)
	sparse := c.blockCount
	if multi {
		n, sparse = int(c.numValues), nil
		var ok bool
		if c.starts, ok = openStarts(s, int(numDocs), int(c.numValues)); !ok {
			return nil, s.corrupt(PartStartBlocks, "starts of values")
		}
	}
	var ok bool
	if c.values, ok = openSeries(n, s.part(PartValues), s.part(PartBlocks), sparse); !ok {
		return nil, s.corrupt(PartBlocks, "blocks of numbers")
	}
	return c, nil
}

// openStarts opens the indexes of the first values of documents, and checks that
// they ascend to the number of values.
func openStarts(s sections, numDocs, numValues int) (series, bool) {
	starts, ok := openSeries(numDocs+1, s.part(PartStartValues), s.part(PartStartBlocks), nil)
	if !ok {
		return starts, false
	}
	var out [BlockSize]int64
	last := int64(0)
	for b := range numBlocks(numDocs + 1) {
		n := min(BlockSize, numDocs+1-b*BlockSize)
		starts.decode(b, out[:n])
		for _, v := range out[:n] {
			if v < last {
				return starts, false
			}
			last = v
		}
	}
	return starts, last == int64(numValues)
}

// blockCount returns the number of documents with a value in a block.
func (c *Numbers) blockCount(b int) int {
	if c.present == nil {
		return min(BlockSize, int(c.numDocs)-b*BlockSize)
	}
	return bitset.CountWords(c.presentWords(b))
}

func (c *Numbers) presentWords(b int) []uint64 {
	words := c.present.Words()
	return words[b*BlockSize/64 : min((b+1)*BlockSize/64, len(words))]
}

// Multi reports whether documents may have several values.
func (c *Numbers) Multi() bool { return c.multi }

// NumDocs returns the number of documents.
func (c *Numbers) NumDocs() uint32 { return c.numDocs }

// NumBlocks returns the number of blocks of documents.
func (c *Numbers) NumBlocks() int { return numBlocks(int(c.numDocs)) }

// NumValues returns the number of values.
func (c *Numbers) NumValues() uint64 { return c.numValues }

// DocsWithValue returns the number of documents with at least one value.
func (c *Numbers) DocsWithValue() uint32 { return c.withValue }

// Present returns the set of documents with a value, nil when all have one.
func (c *Numbers) Present() *bitset.Bitset { return c.present }

// Has reports whether the document has a value.
func (c *Numbers) Has(doc uint32) bool { return c.present == nil || c.present.Get(doc) }

// Bounds returns the lowest and highest value; ok is false in an empty column.
func (c *Numbers) Bounds() (lowest, highest int64, ok bool) {
	for b := range c.NumBlocks() {
		lo, hi, some := c.BlockBounds(b)
		if !some {
			continue
		}
		if !ok {
			lowest, highest, ok = lo, hi, true
		}
		lowest, highest = min(lowest, lo), max(highest, hi)
	}
	return lowest, highest, ok
}

// BlockBounds returns the lowest and highest value of the documents [block·1024,
// block·1024+1024); ok is false when none has a value.
func (c *Numbers) BlockBounds(block int) (lowest, highest int64, ok bool) {
	lowest, highest = c.bounds[2*block], c.bounds[2*block+1]
	return lowest, highest, lowest <= highest
}

// IntoBitset adds the documents of a block with a value v, lo ≤ v ≤ hi, to out,
// whose length is the number of documents. The column must be single-valued.
func (c *Numbers) IntoBitset(block int, lo, hi int64, out *bitset.Bitset) {
	lowest, highest, ok := c.BlockBounds(block)
	if !ok || lo > highest || hi < lowest {
		return
	}
	from := block * BlockSize
	n := min(BlockSize, int(c.numDocs)-from)
	words := out.Words()[from/64 : bitset.WordsFor(uint32(from+n))]
	if lo <= lowest && highest <= hi {
		if c.present == nil {
			out.SetRange(uint32(from), uint32(from+n))
		} else {
			bitset.OrWords(words, c.presentWords(block))
		}
		return
	}
	var values [BlockSize]int64
	if c.present != nil && c.values.sparse(block) {
		c.values.decode(block, values[:c.blockCount(block)])
		next := 0
		for w, present := range c.presentWords(block) {
			for ; present != 0; present &= present - 1 {
				if v := values[next]; lo <= v && v <= hi {
					words[w] |= present & -present
				}
				next++
			}
		}
		return
	}
	c.values.decode(block, values[:n])
	for w := range words {
		found := inside(values[w*64:min(w*64+64, n)], lo, hi)
		if c.present != nil {
			found &= c.presentWords(block)[w]
		}
		words[w] |= found
	}
}

// inside returns a bit for each of up to 64 values v, set where lo ≤ v ≤ hi.
func inside(values []int64, lo, hi int64) (found uint64) {
	width := uint64(hi - lo)
	for i, v := range values {
		bit := uint64(0)
		if uint64(v-lo) <= width {
			bit = 1
		}
		found |= bit << (i & 63)
	}
	return found
}

// Get returns the lowest value of a document, and false when it has none.
func (c *Numbers) Get(doc uint32) (int64, bool) {
	if !c.Has(doc) {
		return 0, false
	}
	if c.multi {
		return c.values.get(int(c.starts.get(int(doc)))), true
	}
	b, i := int(doc>>blockShift), int(doc&(BlockSize-1))
	if c.values.sparse(b) {
		i = c.rank(b, i)
	}
	return c.values.at(b, i), true
}

// rank returns the number of documents with a value before document i of block b.
func (c *Numbers) rank(b, i int) int {
	if c.present == nil {
		return i
	}
	words := c.presentWords(b)
	w := i >> 6
	return bitset.CountWords(words[:w]) + bits.OnesCount64(words[w]&(1<<(i&63)-1))
}

// Values fills out with the (lowest) values of docs, which must be ascending, and
// with missing for documents without a value.
func (c *Numbers) Values(docs []uint32, out []int64, missing int64) {
	out = out[:len(docs)]
	if c.multi || c.present != nil {
		for i, doc := range docs {
			v, ok := c.Get(doc)
			if !ok {
				v = missing
			}
			out[i] = v
		}
		return
	}
	c.values.gather(docs, out)
}

// AppendAll appends all values of a document in ascending order.
func (c *Numbers) AppendAll(dst []int64, doc uint32) []int64 {
	if !c.multi {
		if v, ok := c.Get(doc); ok {
			dst = append(dst, v)
		}
		return dst
	}
	for i, end := c.starts.get(int(doc)), c.starts.get(int(doc)+1); i < end; i++ {
		dst = append(dst, c.values.get(int(i)))
	}
	return dst
}
