package postings

import (
	"encoding/binary"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitpack"
)

// Reader is the read side of a field's postings. It is safe for concurrent use and
// allocates nothing.
type Reader struct {
	data []byte
	opts Options
}

// NewReader opens the output of a Writer with the same options. It keeps data if
// its capacity extends bitpack.Padding bytes past its end, and copies it otherwise.
func NewReader(data []byte, opts Options) Reader {
	opts.Freqs = opts.Freqs || opts.Positions
	if cap(data)-len(data) < bitpack.Padding {
		data = append(make([]byte, 0, len(data)+bitpack.Padding), data...)
	}
	return Reader{data: data, opts: opts}
}

// DocFreq returns the number of documents of a term.
func (r *Reader) DocFreq(h Handle) uint32 {
	if h.inline() {
		return 1
	}
	_, df := h.Location()
	if df == docFreqMax && h.offset()+4 <= len(r.data) {
		return binary.LittleEndian.Uint32(r.data[h.offset():])
	}
	return df
}

// Reset positions it before the first block of a term.
func (r *Reader) Reset(it *Iterator, h Handle) {
	it.data, it.opts = r.data, r.opts
	it.block, it.err, it.index, it.boundBy, it.small = -1, nil, 0, nil, nil
	it.docsReady, it.freqsReady, it.startsReady, it.chunk = false, false, false, -1
	it.lastDocs, it.blockAts, it.posAts, it.impactAts, it.impacts = nil, nil, nil, nil, nil
	it.tiny, it.inline = false, h.inline()
	if it.inline {
		it.resetInline(h)
		return
	}
	it.df = r.DocFreq(h)
	if it.df == 0 || h.offset() > len(r.data) {
		it.fail("handle %x", uint64(h))
		return
	}
	if it.df <= tinyDocs {
		it.resetTiny(h.offset())
	} else if it.df <= BlockSize {
		it.resetSingle(h.offset())
	} else {
		it.resetMany(h.offset())
	}
}

// Prefetch loads the cache line at the start of the postings of a term and the next
// one. The result is meaningless.
func (r *Reader) Prefetch(h Handle) uint32 {
	if at := h.offset(); !h.inline() && at+lineBytes < len(r.data) {
		return uint32(r.data[at]) + uint32(r.data[at+lineBytes])
	}
	return 0
}

// lineBytes is the size of a cache line.
const lineBytes = 64

func (it *Iterator) resetInline(h Handle) {
	it.df = 1
	doc, payload, _ := h.Inlined()
	it.docs[0], it.freqs[0], it.inlinePosition = doc, 1, 0
	if h&frequencyFlag != 0 {
		it.freqs[0] = payload + 1
	} else {
		it.inlinePosition = payload
	}
	it.readTiny()
}

// resetTiny decodes a term with few documents; only its positions remain to be
// decoded.
func (it *Iterator) resetTiny(start int) {
	at, last := start, uint32(0)
	for i := range int(it.df) {
		step, n := varint(it.data, at)
		at += n
		freq := uint64(1)
		if it.opts.Freqs {
			if step&1 == 0 {
				var size int
				freq, size = varint(it.data, at)
				at, n = at+size, min(n, size)
			}
			step >>= 1
		}
		if n == 0 {
			it.fail("documents at %d", start)
			return
		}
		last += uint32(step)
		it.docs[i], it.freqs[i] = last, uint32(freq)
	}
	it.posAt, it.posEnd = at, len(it.data)
	it.readTiny()
}

// FewDocs is memory for the documents of a term with few.
type FewDocs [tinyDocs]uint32

// FewDocs stores the documents of a term in into and returns their number. It
// returns 0 when the term has too many, which an Iterator can read, or is damaged,
// which an Iterator reports. It is cheaper than an Iterator, because there is
// nothing to set up.
func (r *Reader) FewDocs(h Handle, into *FewDocs) (n int) {
	if doc, _, alone := h.Inlined(); alone {
		into[0] = doc
		return 1
	}
	offset, df := h.Location()
	if df > tinyDocs || offset > int64(len(r.data)) {
		return 0
	}
	at, last := int(offset), uint32(0)
	for i := range int(df) {
		step, size := varint(r.data, at)
		if size == 0 {
			return 0
		}
		at += size
		if r.opts.Freqs {
			if step&1 == 0 {
				if _, size = varint(r.data, at); size == 0 {
					return 0
				}
				at += size
			}
			step >>= 1
		}
		last += uint32(step)
		into[i] = last
	}
	return int(df)
}

// varint decodes a number and returns its length in bytes, 0 when there is none. It
// decodes up to four bytes at once.
func varint(data []byte, at int) (v uint64, n int) {
	if at+4 <= len(data) {
		x := binary.LittleEndian.Uint32(data[at:])
		if ends := ^x & 0x80808080; ends != 0 {
			x &= ends ^ (ends - 1)
			return uint64(x&0x7f | x>>1&0x3f80 | x>>2&0x1fc000 | x>>3&0xfe00000), bits.TrailingZeros32(ends)>>3 + 1
		}
	}
	v, n = binary.Uvarint(data[min(at, len(data)):])
	return v, max(n, 0)
}

// readTiny makes the documents and frequencies in place the only block.
func (it *Iterator) readTiny() {
	it.tiny, it.numBlocks = true, 1
	it.single[0] = it.docs[it.df-1]
	it.lastDocs = it.single[:1]
}

func (it *Iterator) resetSingle(at int) {
	start := at
	df, n := binary.Uvarint(it.data[at:])
	if n <= 0 || uint32(df) != it.df {
		it.fail("header at %d", start)
		return
	}
	at += n
	it.posAt = start
	if it.opts.Positions {
		size, n := binary.Uvarint(it.data[at:])
		if n <= 0 || size > uint64(start) {
			it.fail("positions at %d", start)
			return
		}
		at += n
		it.posAt, it.posEnd = start-int(size), start
	}
	span, n := binary.Uvarint(it.data[at:])
	at += max(n, 0)
	if n <= 0 || at >= len(it.data) || at+1+2*int(it.data[at]) > len(it.data) {
		it.fail("impacts at %d", start)
		return
	}
	it.impacts = it.data[at:]
	it.single[1] = 0
	it.impactAts = it.single[1:2]
	at += 1 + 2*int(it.data[at])
	if at+5 > len(it.data) {
		it.fail("block at %d", start)
		return
	}
	it.blocksAt, it.blocksEnd = at, len(it.data)
	it.numBlocks = 1
	it.single[0] = binary.LittleEndian.Uint32(it.data[at+1:]) + uint32(span)
	it.lastDocs, it.blockAts, it.posAts = it.single[:1], it.single[1:2], it.single[1:2]
}

func (it *Iterator) resetMany(start int) {
	head := 12
	if it.opts.Positions {
		head = 16
	}
	if start%4 != 0 || start+head > len(it.data) {
		it.fail("header at %d", start)
		return
	}
	b := it.data[start:]
	impacts, blocks := int(binary.LittleEndian.Uint32(b[4:])), int(binary.LittleEndian.Uint32(b[8:]))
	n := int((uint64(it.df) + BlockSize - 1) / BlockSize)
	groups := (n + GroupSize - 1) / GroupSize
	arrays := 2 * n
	if it.opts.Positions {
		arrays += n
		size := int(binary.LittleEndian.Uint32(b[12:]))
		if size > start {
			it.fail("positions at %d", start)
			return
		}
		it.posAt, it.posEnd = start-size, start
	}
	ats := n + groups + 2
	if head+4*(arrays+ats)+impacts+blocks > len(b) || binary.LittleEndian.Uint32(b) != it.df {
		it.fail("directory at %d", start)
		return
	}
	ints := bitpack.Uint32s(b[head : head+4*(arrays+ats)])
	it.lastDocs, ints = ints[:n], ints[n:]
	it.blockAts, ints = ints[:n], ints[n:]
	if it.opts.Positions {
		it.posAts, ints = ints[:n], ints[n:]
	}
	it.impactAts = ints
	at := start + head + 4*(arrays+ats)
	it.impacts = it.data[at : at+impacts]
	it.blocksAt, it.blocksEnd = at+impacts, at+impacts+blocks
	it.numBlocks = n
}
