package columns

import (
	"sync/atomic"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Ordinals is the read side of a column of byte strings, stored as indexes into a
// sorted dictionary.
type Ordinals struct {
	multi     bool
	numDocs   uint32
	numValues uint64
	withValue uint32
	list      terms.List
	counts    []uint32
	starts    series
	// Exactly one of these holds the ordinals plus one; 0 means no value.
	w8  []uint8
	w16 []uint16
	w32 []uint32

	places atomic.Pointer[places]
}

// ordWidth returns the number of bytes that can hold every ordinal below n plus
// one.
func ordWidth(n int) int {
	switch {
	case n < 1<<8:
		return 1
	case n < 1<<16:
		return 2
	}
	return 4
}

// OpenOrdinals opens the column with the given owner in a file with numDocs
// documents.
func OpenOrdinals(file *blockfile.Reader, owner, numDocs uint32, multi bool) (*Ordinals, error) {
	s := sections{file, owner}
	info, err := s.info(2)
	if err != nil {
		return nil, err
	}
	c := &Ordinals{multi: multi, numDocs: numDocs, withValue: uint32(info[0]), numValues: info[1]}
	if info[0] > uint64(numDocs) || info[1] < info[0] || info[1] > 1<<32-1 {
		return nil, s.corrupt(PartInfo, "%d values in %d documents", info[1], info[0])
	}
	var ok bool
	if c.list, ok = terms.NewList(s.part(PartBytes), s.part(PartOffsets)); !ok {
		return nil, s.corrupt(PartOffsets, "offsets of values")
	}
	c.counts = bitpack.Uint32s(s.part(PartCounts))
	if len(c.counts) != c.list.Len() {
		return nil, s.corrupt(PartCounts, "%d counts for %d values", len(c.counts), c.list.Len())
	}
	n := int(numDocs)
	if multi {
		n = int(c.numValues)
		if c.starts, ok = openStarts(s, int(numDocs), n); !ok {
			return nil, s.corrupt(PartStartBlocks, "starts of values")
		}
	}
	raw := s.part(PartValues)
	width := ordWidth(c.list.Len())
	if len(raw) != n*width {
		return nil, s.corrupt(PartValues, "%d bytes for %d ordinals", len(raw), n)
	}
	switch width {
	case 1:
		c.w8 = raw
	case 2:
		c.w16 = bitpack.Uint16s(raw)
	default:
		c.w32 = bitpack.Uint32s(raw)
	}
	return c, nil
}

// Multi reports whether documents may have several values.
func (c *Ordinals) Multi() bool { return c.multi }

// NumDocs returns the number of documents.
func (c *Ordinals) NumDocs() uint32 { return c.numDocs }

// Len returns the number of distinct values.
func (c *Ordinals) Len() uint32 { return uint32(c.list.Len()) }

// NumValues returns the number of values of all documents.
func (c *Ordinals) NumValues() uint64 { return c.numValues }

// DocsWithValue returns the number of documents with at least one value.
func (c *Ordinals) DocsWithValue() uint32 { return c.withValue }

// Value returns the byte string of an ordinal. It must not be changed.
func (c *Ordinals) Value(ord uint32) []byte { return c.list.At(int(ord)) }

// Lookup returns the ordinal of a value, or the ordinal that it would have when
// absent.
func (c *Ordinals) Lookup(value []byte) (ord uint32, found bool) {
	i, found := c.list.Search(value)
	return uint32(i), found
}

// Counts returns the number of documents per ordinal, deleted ones included. It
// must not be changed.
func (c *Ordinals) Counts() []uint32 { return c.counts }

// Raw returns the array of the column, exactly one of the three, for loops over
// documents. It holds ordinals plus one. A single-valued column has one per
// document, 0 for none. In a multi-valued column they are concatenated, and Starts
// returns where those of each document begin.
func (c *Ordinals) Raw() (w8 []uint8, w16 []uint16, w32 []uint32) { return c.w8, c.w16, c.w32 }

func (c *Ordinals) raw(i int) uint32 {
	switch {
	case c.w8 != nil:
		return uint32(c.w8[i])
	case c.w16 != nil:
		return uint32(c.w16[i])
	}
	return c.w32[i]
}

// Starts fills out, which must have BlockSize+1 elements, with the indexes in Raw
// where the values of documents [block·1024, …) begin, followed by the end of the
// last. It returns the number of documents. The column must be multi-valued.
func (c *Ordinals) Starts(block int, out []uint32) int {
	n := min(BlockSize, int(c.numDocs)-block*BlockSize)
	var buf [BlockSize]int64
	c.starts.decode(block, buf[:n])
	for i, v := range buf[:n] {
		out[i] = uint32(v)
	}
	out[n] = uint32(c.starts.get(block*BlockSize + n))
	return n
}

// Range returns the range of a document's values in Raw. The column must be
// multi-valued.
func (c *Ordinals) Range(doc uint32) (from, to uint32) {
	return uint32(c.starts.get(int(doc))), uint32(c.starts.get(int(doc) + 1))
}

// Get returns the (lowest) ordinal of a document.
func (c *Ordinals) Get(doc uint32) (ord uint32, ok bool) {
	i := int(doc)
	if c.multi {
		from, to := c.Range(doc)
		if from == to {
			return 0, false
		}
		i = int(from)
	}
	v := c.raw(i)
	return v - 1, v != 0
}

// Append appends all ordinals of a document in ascending order.
func (c *Ordinals) Append(dst []uint32, doc uint32) []uint32 {
	if !c.multi {
		if ord, ok := c.Get(doc); ok {
			dst = append(dst, ord)
		}
		return dst
	}
	from, to := c.Range(doc)
	for i := from; i < to; i++ {
		dst = append(dst, c.raw(int(i))-1)
	}
	return dst
}
