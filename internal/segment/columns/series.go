package columns

import (
	"encoding/binary"
	"io"

	"github.com/quiresearch/quire/internal/bitpack"
)

// series is a list of integers in blocks of 1,024. Each block is packed as
// multiples of its step above its base.
type series struct {
	n      int
	values []byte
	blocks []uint64 // per block: base, step, offset<<8 | sparse | width
}

const (
	widthMask = 0x7f
	// sparseFlag marks a block that stores values only for the documents that have
	// one.
	sparseFlag = 0x80
)

// blockWords is the number of words that describe a block.
const blockWords = 3

func numBlocks(n int) int { return (n + BlockSize - 1) / BlockSize }

// openSeries checks that everything is inside values. sparse returns the number of
// values in a sparse block; nil when no block is sparse.
func openSeries(n int, values, blocks []byte, sparse func(block int) int) (series, bool) {
	s := series{n: n, values: values, blocks: bitpack.Uint64s(blocks)}
	if len(s.blocks) != blockWords*numBlocks(n) || len(blocks)%8 != 0 {
		return s, false
	}
	for b := range numBlocks(n) {
		count := min(BlockSize, n-b*BlockSize)
		info := s.blocks[blockWords*b+2]
		offset, width := info>>8, int(info&widthMask)
		if info&sparseFlag != 0 {
			if sparse == nil {
				return s, false
			}
			count = sparse(b)
		}
		if width > 64 || offset > uint64(len(values)) || uint64(bitpack.Size(count, width)) > uint64(len(values))-offset {
			return s, false
		}
	}
	// Single values are read eight bytes at a time.
	if cap(values)-len(values) < readAhead {
		values = append(make([]byte, 0, len(values)+readAhead), values...)
	}
	s.values = values[:len(values)+readAhead]
	return s, true
}

// readAhead is the number of bytes that may be read after the last value; sections
// are followed by more bytes.
const readAhead = 32

// at returns value number i of block b.
func (s *series) at(b, i int) int64 {
	e := s.blocks[blockWords*b : blockWords*b+blockWords : blockWords*b+blockWords]
	width := int(e[2] & widthMask)
	if width == 0 {
		return int64(e[0])
	}
	if width <= 56 {
		bit := i * width
		v := binary.LittleEndian.Uint64(s.values[int(e[2]>>8)+bit>>3:]) >> (bit & 7)
		return int64(e[0] + e[1]*(v&(1<<width-1)))
	}
	return int64(e[0] + e[1]*bitpack.At(s.values[e[2]>>8:], i, width))
}

// gather fills out with the values at places, which must be ascending. It reads
// those of one block in a loop short enough for the processor to overlap many
// loads: most of them miss its caches.
func (s *series) gather(places []uint32, out []int64) {
	for len(places) > 0 {
		b := places[0] >> blockShift
		n := 1
		for n < len(places) && places[n]>>blockShift == b {
			n++
		}
		s.gatherIn(int(b), places[:n], out[:n])
		places, out = places[n:], out[n:]
	}
}

// gatherIn is gather for places in block b.
func (s *series) gatherIn(b int, places []uint32, out []int64) {
	e := s.blocks[blockWords*b : blockWords*b+blockWords : blockWords*b+blockWords]
	base, step, width := e[0], e[1], int(e[2]&widthMask)
	if width == 0 || width > 56 {
		for i, place := range places {
			out[i] = s.at(b, int(place&(BlockSize-1)))
		}
		return
	}
	values, mask := s.values[e[2]>>8:], uint64(1)<<width-1
	for i, place := range places {
		bit := int(place&(BlockSize-1)) * width
		v := binary.LittleEndian.Uint64(values[bit>>3:]) >> (bit & 7)
		out[i] = int64(base + step*(v&mask))
	}
}

// sparse reports whether block b stores values only for the documents that have
// one.
func (s *series) sparse(b int) bool { return s.blocks[blockWords*b+2]&sparseFlag != 0 }

// get returns value number i of the whole list.
func (s *series) get(i int) int64 { return s.at(i>>blockShift, i&(BlockSize-1)) }

// decode fills out with the first len(out) values of block b.
func (s *series) decode(b int, out []int64) {
	e := s.blocks[blockWords*b : blockWords*b+blockWords]
	base, step, width := int64(e[0]), int64(e[1]), int(e[2]&widthMask)
	if width == 0 {
		for i := range out {
			out[i] = base
		}
		return
	}
	var raw [BlockSize]uint64
	n := len(out)
	bitpack.Unpack64(raw[:n], s.values[e[2]>>8:], width)
	if step == 1 {
		for i := range out {
			out[i] = base + int64(raw[i])
		}
		return
	}
	for i := range out {
		out[i] = base + step*int64(raw[i])
	}
}

// seriesWriter packs block by block: it writes values to out and keeps the
// descriptions.
type seriesWriter struct {
	out    io.Writer
	offset int64
	blocks []uint64
	raw    []uint64
	buf    []byte
}

// add packs the values of one block.
func (w *seriesWriter) add(values []int64) { w.pack(values, 0) }

// addSparse packs the values of the documents in a block that have one.
func (w *seriesWriter) addSparse(values []int64) { w.pack(values, sparseFlag) }

func (w *seriesWriter) pack(values []int64, flag uint64) {
	if len(values) == 0 {
		w.blocks = append(w.blocks, 0, 1, uint64(w.offset)<<8|flag)
		return
	}
	lowest, highest := values[0], values[0]
	for _, v := range values {
		lowest, highest = min(lowest, v), max(highest, v)
	}
	step := uint64(0)
	for _, v := range values {
		if step = gcd(uint64(v-lowest), step); step == 1 {
			break
		}
	}
	step = max(step, 1)
	width := bitpack.Width64(uint64(highest-lowest) / step)
	w.blocks = append(w.blocks, uint64(lowest), step, uint64(w.offset)<<8|flag|uint64(width))
	if width == 0 {
		return
	}
	w.raw = w.raw[:0]
	for _, v := range values {
		d := uint64(v - lowest)
		if step != 1 {
			d /= step
		}
		w.raw = append(w.raw, d)
	}
	w.buf = bitpack.Append64(w.buf[:0], w.raw, width)
	w.out.Write(w.buf)
	w.offset += int64(len(w.buf))
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
