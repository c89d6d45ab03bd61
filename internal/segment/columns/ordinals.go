package columns

import (
	"sync/atomic"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Ordinals is the read side of a column of byte strings, kept as numbers in
// the order of a sorted dictionary.
type Ordinals struct {
	multi     bool
	numDocs   uint32
	numValues uint64
	withValue uint32
	list      terms.List
	counts    []uint32
	starts    series
	// Exactly one of these holds ordinals plus one: 0 is none.
	w8  []uint8
	w16 []uint16
	w32 []uint32

	places atomic.Pointer[places]
}

// ordWidth is the number of bytes that hold n and every ordinal plus one
// below it.
func ordWidth(n int) int {
	switch {
	case n < 1<<8:
		return 1
	case n < 1<<16:
		return 2
	}
	return 4
}

// OpenOrdinals opens the column owner of a file with numDocs documents.
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

// NumDocs is the number of documents.
func (c *Ordinals) NumDocs() uint32 { return c.numDocs }

// Len is the number of distinct values.
func (c *Ordinals) Len() uint32 { return uint32(c.list.Len()) }

// NumValues is the number of values of all documents.
func (c *Ordinals) NumValues() uint64 { return c.numValues }

// DocsWithValue is the number of documents with at least one value.
func (c *Ordinals) DocsWithValue() uint32 { return c.withValue }

// Value is the byte string of an ordinal; not to be changed.
func (c *Ordinals) Value(ord uint32) []byte { return c.list.At(int(ord)) }

// Lookup is the ordinal of a value; when absent the ordinal it would have.
func (c *Ordinals) Lookup(value []byte) (ord uint32, found bool) {
	i, found := c.list.Search(value)
	return uint32(i), found
}

// Counts is the number of documents per ordinal, deleted ones included; not
// to be changed.
func (c *Ordinals) Counts() []uint32 { return c.counts }

// Raw is the array behind the column, exactly one of the three, for loops
// over documents: ordinals plus one. In a single-valued column there is one
// per document, 0 for none; in a multi-valued one they lie one behind the
// other and Starts holds where a document's begin.
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

// Starts fills out, BlockSize+1 long, with the places in Raw where the values
// of documents [block·1024, …) begin, and behind them the end of the last, and
// returns the number of documents. Multi-valued columns only.
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

// Range is where the values of a document lie in Raw. Multi-valued columns
// only.
func (c *Ordinals) Range(doc uint32) (from, to uint32) {
	return uint32(c.starts.get(int(doc))), uint32(c.starts.get(int(doc) + 1))
}

// Get is the (lowest) ordinal of a document.
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

// Append appends all ordinals of a document in rising order.
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
