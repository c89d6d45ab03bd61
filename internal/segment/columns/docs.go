package columns

import (
	"encoding/binary"
	"iter"

	"github.com/quiresearch/quire/internal/bitset"
)

// A segment may have thousands of columns with values in few of its documents, so a
// walk over a column skips the other documents.

// Docs yields the documents with a value in order.
func (c *Numbers) Docs() iter.Seq[uint32] { return docsOf(c.present, c.numDocs) }

// Docs yields the documents with a point in order.
func (c *Geo) Docs() iter.Seq[uint32] { return docsOf(c.present, c.numDocs) }

// docsOf yields the members of a set, nil for all documents.
func docsOf(set *bitset.Bitset, numDocs uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if set == nil {
			for doc := range numDocs {
				if !yield(doc) {
					return
				}
			}
			return
		}
		for doc := set.Next(0); doc < numDocs; doc = set.Next(doc + 1) {
			if !yield(doc) {
				return
			}
		}
	}
}

// Docs yields the documents with a value in order.
func (c *Ordinals) Docs() iter.Seq[uint32] {
	switch {
	case c.multi:
		return c.docsOfStarts
	case c.w8 != nil:
		return c.docsOfBytes
	}
	return func(yield func(uint32) bool) {
		for doc := range c.numDocs {
			if c.raw(int(doc)) != 0 && !yield(doc) {
				return
			}
		}
	}
}

// docsOfBytes examines eight documents at once.
func (c *Ordinals) docsOfBytes(yield func(uint32) bool) {
	for i := 0; i < len(c.w8); {
		if i+8 <= len(c.w8) && binary.LittleEndian.Uint64(c.w8[i:]) == 0 {
			i += 8
			continue
		}
		if c.w8[i] != 0 && !yield(uint32(i)) {
			return
		}
		i++
	}
}

// docsOfStarts skips blocks of documents without a value.
func (c *Ordinals) docsOfStarts(yield func(uint32) bool) {
	var starts [BlockSize + 1]uint32
	for b := range numBlocks(int(c.numDocs)) {
		first := b * BlockSize
		if c.starts.get(first) == c.starts.get(min(first+BlockSize, int(c.numDocs))) {
			continue
		}
		n := c.Starts(b, starts[:])
		for i := range n {
			if starts[i] != starts[i+1] && !yield(uint32(first+i)) {
				return
			}
		}
	}
}
