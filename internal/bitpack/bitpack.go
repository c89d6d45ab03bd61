// Package bitpack packs small integers into few bits and views stored bytes as
// slices of integers.
//
// Values are stored consecutively, lowest bits first, as in Parquet's bit packing.
// On processors with AVX-512, values of up to 17 bits are unpacked sixteen at a
// time by a kernel of this package. Others are unpacked by the kernels of
// parquet-go/bitpack, which read up to Padding bytes after the packed ones: if the
// capacity of the input does not extend that far, a slower loop is used that stays
// within the input.
//
// All functions are pure; views share memory with their input.
package bitpack

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/bitpack"
)

// Padding is the number of bytes after the packed ones that a kernel may read.
const Padding = bitpack.PaddingInt64

// Width32 returns the number of bits that v needs; 0 for 0.
func Width32(v uint32) int { return bits.Len32(v) }

// Width64 returns the number of bits that v needs; 0 for 0.
func Width64(v uint64) int { return bits.Len64(v) }

// Size returns the number of bytes of n packed values of width bits.
func Size(n, width int) int { return (n*width + 7) / 8 }

// Append32 packs src with width bits each and appends the bytes to dst.
func Append32(dst []byte, src []uint32, width int) []byte {
	size := Size(len(src), width)
	at := len(dst)
	dst = grow(dst, size)
	switch {
	case width == 0:
	case width == 32:
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[at+i*4:], v)
		}
	default:
		bitpack.Pack(dst[at:at+size+Padding], src, uint(width))
	}
	return dst[:at+size]
}

// Append64 packs src with width bits each and appends the bytes to dst.
func Append64(dst []byte, src []uint64, width int) []byte {
	size := Size(len(src), width)
	at := len(dst)
	dst = grow(dst, size)
	switch {
	case width == 0:
	case width == 64:
		for i, v := range src {
			binary.LittleEndian.PutUint64(dst[at+i*8:], v)
		}
	default:
		bitpack.Pack(dst[at:at+size+Padding], src, uint(width))
	}
	return dst[:at+size]
}

// grow extends dst by size zero bytes, followed by Padding more zero bytes.
func grow(dst []byte, size int) []byte {
	at := len(dst)
	need := at + size + Padding
	if cap(dst) < need {
		bigger := make([]byte, at, max(need, 2*cap(dst)))
		copy(bigger, dst)
		dst = bigger
	}
	dst = dst[:need]
	clear(dst[at:])
	return dst
}

// Unpack32 fills dst with values of width bits (at most 32) from src, which
// must hold Size(len(dst), width) bytes.
func Unpack32(dst []uint32, src []byte, width int) { UnpackAdd32(dst, src, width, 0) }

// wideBits is the largest width for which every value fits into two consecutive
// 16-bit words.
const wideBits = 17

// UnpackAdd32 is Unpack32 with v added to every value.
func UnpackAdd32(dst []uint32, src []byte, width int, v uint32) {
	n := len(dst) &^ 15
	if size := n / 8 * width; hasWords && n > 0 && width > 0 && width <= wideBits && size <= len(src) {
		unpackAVX512(&dst[0], &src[0], n, width, v)
		dst, src = dst[n:], src[size:]
	}
	if len(dst) == 0 {
		return
	}
	unpack32(dst, src, width)
	if v != 0 {
		AddTo32(dst, v)
	}
}

func unpack32(dst []uint32, src []byte, width int) {
	switch {
	case width == 0:
		clear(dst)
	case width == 32:
		src = src[:4*len(dst)]
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint32(src[i*4:])
		}
	case cap(src) >= Size(len(dst), width)+bitpack.PaddingInt32:
		bitpack.Unpack(dst, src[:Size(len(dst), width)+bitpack.PaddingInt32], uint(width))
	default:
		for i := range dst {
			dst[i] = uint32(At(src, i, width))
		}
	}
}

// Unpack64 fills dst with values of width bits (at most 64) from src, which
// must hold Size(len(dst), width) bytes.
func Unpack64(dst []uint64, src []byte, width int) {
	switch {
	case width == 0:
		clear(dst)
	case width == 64:
		src = src[:8*len(dst)]
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint64(src[i*8:])
		}
	case cap(src) >= Size(len(dst), width)+bitpack.PaddingInt64:
		bitpack.Unpack(dst, src[:Size(len(dst), width)+bitpack.PaddingInt64], uint(width))
	default:
		for i := range dst {
			dst[i] = At(src, i, width)
		}
	}
}

// At returns value number i of src. It may read past the value if src continues.
func At(src []byte, i, width int) uint64 {
	bit := i * width
	at, shift := bit>>3, uint(bit&7)
	if at+9 <= len(src) {
		v := binary.LittleEndian.Uint64(src[at:]) >> shift
		if shift != 0 {
			v |= uint64(src[at+8]) << (64 - shift)
		}
		return v & mask(width)
	}
	var v uint64
	for b := 0; b < width; {
		take := min(8-int(shift), width-b)
		v |= (uint64(src[at]) >> shift & (1<<take - 1)) << b
		b += take
		at, shift = at+1, 0
	}
	return v
}

func mask(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}
