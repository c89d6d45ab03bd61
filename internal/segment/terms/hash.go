package terms

import (
	"encoding/binary"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// The hash table has a slot for every term and a third more, each with the
// term's number plus one in the low bits and part of the hash in the others; 0
// is free. Collisions go to the next slot. With half a million terms 13 bits of
// hash remain, so that a term that is not there costs one cache line.

// Hash is the hash of a term that the table is built on.
func Hash(term []byte) uint64 { return xxh3.Hash(term) }

func slotCount(n int) int { return n + n/3 + 1 }

func slotOf(hash uint64, slots int) int {
	hi, _ := bits.Mul64(hash, uint64(slots))
	return int(hi)
}

// buildHash makes the table for terms with the hashes, in their order.
func buildHash(hashes *gathered) ([]uint32, error) {
	n := hashes.length / 8
	slots := make([]uint32, slotCount(n))
	width := bits.Len32(uint32(n))
	ord := uint32(0)
	err := hashes.each(func(piece []byte) {
		for ; len(piece) > 0; piece = piece[8:] {
			h := binary.LittleEndian.Uint64(piece)
			i := slotOf(h, len(slots))
			for slots[i] != 0 {
				if i++; i == len(slots) {
					i = 0
				}
			}
			ord++
			slots[i] = uint32(h)<<width | ord
		}
	})
	return slots, err
}
