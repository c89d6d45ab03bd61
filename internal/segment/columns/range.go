package columns

import "github.com/quiresearch/quire/internal/bitset"

// IntoBitset adds the documents with a value v, lo ≤ v ≤ hi, to out, which has
// the length of the segment. It looks at every block's bounds and only at the
// values of blocks that are partly inside: the way for ranges that hold much
// of the segment, or for columns without points.
func (c *Numbers) IntoBitset(lo, hi int64, out *bitset.Bitset) {
	if lo > hi {
		return
	}
	words := out.Words()
	var values [BlockSize]int64
	for b := range c.NumBlocks() {
		lowest, highest, ok := c.BlockBounds(b)
		if !ok || lowest > hi || highest < lo {
			continue
		}
		first := b * BlockSize / 64
		block := words[first:min(first+BlockSize/64, len(words))]
		switch {
		case lowest >= lo && highest <= hi && c.present == nil:
			from := uint32(b * BlockSize)
			out.SetRange(from, from+BlockSize)
		case lowest >= lo && highest <= hi:
			bitset.OrWords(block, c.presentWords(b))
		case c.multi:
			c.multiInto(b, lo, hi, out)
		default:
			n := c.Block(b, values[:], 0)
			c.valuesInto(b, values[:n], lo, hi, block)
		}
	}
}

// valuesInto compares the values of a block, without branches; documents
// without a value are taken out by the set of present ones.
func (c *Numbers) valuesInto(b int, values []int64, lo, hi int64, block []uint64) {
	span := uint64(hi) - uint64(lo)
	for w := range block {
		var word uint64
		part := values[w*64 : min(w*64+64, len(values))]
		for i, v := range part {
			var in uint64
			if uint64(v)-uint64(lo) <= span {
				in = 1
			}
			word |= in << i
		}
		if c.present != nil {
			word &= c.presentWords(b)[w]
		}
		block[w] |= word
	}
}

func (c *Numbers) multiInto(b int, lo, hi int64, out *bitset.Bitset) {
	var values []int64
	end := min(uint32(b+1)*BlockSize, c.numDocs)
	for doc := uint32(b) * BlockSize; doc < end; doc++ {
		values = c.AppendAll(values[:0], doc)
		for _, v := range values {
			if v >= lo && v <= hi {
				out.Set(doc)
				break
			}
		}
	}
}
