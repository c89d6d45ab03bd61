package bitpack

import (
	"encoding/binary"
	"math/bits"
)

// ExpandSlack is the number of values that ExpandBits may write after the last one.
const ExpandSlack = 16

// ExpandBits writes to dst base plus the number of each one bit in the
// little-endian words of src, and returns how many there are. dst must have space
// for them and ExpandSlack more. If it has not, or src does not consist of whole
// words, it writes nothing and returns −1.
func ExpandBits(dst []uint32, src []byte, base uint32) int {
	if len(src)%8 != 0 || len(src) == 0 {
		return -1
	}
	n := 0
	for at := 0; at < len(src); at += 8 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(src[at:]))
	}
	if n+ExpandSlack > len(dst) {
		return -1
	}
	if hasAVX512 {
		expandAVX512(&dst[0], &src[0], len(src)/8, base)
	} else {
		expandScalar(dst, src, base)
	}
	return n
}

func expandScalar(dst []uint32, src []byte, base uint32) {
	for i := 0; len(src) >= 8; src = src[8:] {
		for word := binary.LittleEndian.Uint64(src); word != 0; word &= word - 1 {
			dst[i] = base + uint32(bits.TrailingZeros64(word))
			i++
		}
		base += 64
	}
}
