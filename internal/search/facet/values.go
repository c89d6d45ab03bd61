package facet

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// countValuesOf counts the documents of a range by their list values. The list values of the
// first document may precede the range.
func countValuesOf(column *columns.Ordinals, documents, items, parents *bitset.Bitset, from, to uint32, into *Scratch) {
	c := valueCounter{
		counts: into.counts, documents: documents.Words(), parents: parents.Words(),
		from: int(from / 64), to: bitset.WordsFor(to),
	}
	if from > 0 {
		c.behind = uint32(parents.Previous(from-1) + 1)
	}
	if items != nil {
		c.items = items.Words()
	}
	if c.isMasked = column.Len() < 64 && !column.Multi(); !c.isMasked {
		if length := int(column.Len()) + 1; len(into.last) < length {
			into.last = make([]uint32, length)
		}
		c.last = into.last // may name documents of other ranges, which never occur in this one
	}
	w8, w16, w32 := column.Raw()
	switch {
	case column.Multi():
		c.countMulti(column)
	case w8 != nil:
		countValues(&c, w8)
	case w16 != nil:
		countValues(&c, w16)
	default:
		countValues(&c, w32)
	}
}

// valueCounter counts the values of documents, each once per document. If all ordinals fit in a
// mask, its bits are the values of the current document seen so far; otherwise last says which
// document counted an ordinal last.
type valueCounter struct {
	counts           []uint32 // by ordinal plus one; 0: no value
	last             []uint32 // document plus one
	isMasked         bool
	documents, items []uint64
	parents          []uint64
	from, to         int    // words of documents
	behind           uint32 // first value of the first document
}

// countValues counts a column of single values.
func countValues[T uint8 | uint16 | uint32](c *valueCounter, ordinals []T) {
	counts, last, items, isMasked := c.counts, c.last, c.items, c.isMasked
	behind := c.behind // first value of the first document of a word
	for i := c.from; i < c.to; i++ {
		in := c.documents[i]
		of, base := c.parents[i], uint32(i<<6)
		for ; in != 0; in &= in - 1 {
			at := bits.TrailingZeros64(in)
			first, doc := behind, base+uint32(at)
			if before := of & (1<<at - 1); before != 0 {
				first = base + uint32(bits.Len64(before))
			}
			mask := uint64(0)
			switch {
			case items != nil:
				for from := first; from < doc; from = from&^63 + 64 {
					w := items[from>>6] >> (from & 63) << (from & 63)
					if doc < from&^63+64 {
						w &= 1<<(doc&63) - 1
					}
					for ; w != 0; w &= w - 1 {
						item := from&^63 + uint32(bits.TrailingZeros64(w))
						if int(item) >= len(ordinals) {
							break
						}
						ordinal := ordinals[item]
						if isMasked {
							mask |= 1 << (ordinal & 63)
						} else if last[ordinal] != doc+1 {
							last[ordinal] = doc + 1
							counts[ordinal]++
						}
					}
				}
			case int(first) >= len(ordinals):
			case isMasked:
				for _, ordinal := range ordinals[first:min(int(doc), len(ordinals))] {
					mask |= 1 << (ordinal & 63)
				}
			default:
				for _, ordinal := range ordinals[first:min(int(doc), len(ordinals))] {
					if last[ordinal] != doc+1 {
						last[ordinal] = doc + 1
						counts[ordinal]++
					}
				}
			}
			for ; mask != 0; mask &= mask - 1 {
				counts[bits.TrailingZeros64(mask)]++
			}
		}
		if of != 0 {
			behind = base + uint32(bits.Len64(of))
		}
	}
}

// countMulti counts a column with several values per list value.
func (c *valueCounter) countMulti(column *columns.Ordinals) {
	var ordinals []uint32
	behind := c.behind
	for i := c.from; i < c.to; i++ {
		for of := c.parents[i]; of != 0; of &= of - 1 {
			at := bits.TrailingZeros64(of)
			doc := uint32(i<<6 + at)
			if c.documents[i]>>at&1 != 0 {
				for item := behind; item < doc; item++ {
					if c.items != nil && c.items[item>>6]>>(item&63)&1 == 0 {
						continue
					}
					ordinals = column.Append(ordinals[:0], item)
					for _, ordinal := range ordinals {
						if c.last[ordinal+1] != doc+1 {
							c.last[ordinal+1] = doc + 1
							c.counts[ordinal+1]++
						}
					}
				}
			}
			behind = doc + 1
		}
	}
}
