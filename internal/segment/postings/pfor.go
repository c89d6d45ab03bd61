package postings

import (
	"encoding/binary"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitpack"
)

// maxExceptions keeps the exceptions of a chunk below 256 bytes.
const maxExceptions = 40

// chooseWidth returns the bit width that packs values smallest when larger values
// are stored separately as exceptions, and the number of exceptions.
func chooseWidth(values []uint32) (width, exceptions int) {
	var hist [33]int
	var all uint32
	for _, v := range values {
		hist[bits.Len32(v)]++
		all |= v
	}
	top := bits.Len32(all)
	width = top
	best := len(values) * top
	above := 0
	for w := top - 1; w >= 0; w-- {
		above += hist[w+1]
		if above > maxExceptions {
			break
		}
		// An exception takes one byte for its index and its high bits as a varint.
		cost := len(values)*w + above*(8+8*((top-w+6)/7))
		if cost < best {
			best, width, exceptions = cost, w, above
		}
	}
	return width, exceptions
}

// appendPatched appends values packed with width bits, then the indexes of the
// exceptions, then their high bits as varints.
func appendPatched(dst []byte, values []uint32, width, exceptions int) (out []byte, exceptionBytes int) {
	if exceptions == 0 {
		return bitpack.Append32(dst, values, width), 0
	}
	var low [BlockSize]uint32
	mask := uint32(1)<<width - 1
	for i, v := range values {
		low[i] = v & mask
	}
	dst = bitpack.Append32(dst, low[:len(values)], width)
	at := len(dst)
	for i, v := range values {
		if v > mask {
			dst = append(dst, byte(i))
		}
	}
	for _, v := range values {
		if v > mask {
			dst = binary.AppendUvarint(dst, uint64(v>>width))
		}
	}
	return dst, len(dst) - at
}

// readPatched decodes the output of appendPatched into dst and adds more to each
// value; it returns false when src is too short or malformed.
func readPatched(dst []uint32, src []byte, width, exceptions int, more uint32) bool {
	size := bitpack.Size(len(dst), width)
	if width > 32 || size+exceptions > len(src) {
		return false
	}
	bitpack.UnpackAdd32(dst, src, width, more)
	return exceptions == 0 || patch(dst, src[size:], width, exceptions)
}

// patch adds the high bits of exceptions to unpacked values; it returns false when
// src is malformed.
func patch(dst []uint32, src []byte, width, exceptions int) bool {
	if exceptions > len(src) {
		return false
	}
	indexes, high := src[:exceptions], src[exceptions:]
	for _, i := range indexes {
		var v uint64
		if len(high) > 0 && high[0] < 0x80 {
			v, high = uint64(high[0]), high[1:]
		} else {
			var n int
			v, n = binary.Uvarint(high)
			if n <= 0 {
				return false
			}
			high = high[n:]
		}
		if int(i) >= len(dst) {
			return false
		}
		dst[i] += uint32(v << width)
	}
	return true
}
