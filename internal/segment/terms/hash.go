package terms

import (
	"encoding/binary"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// The hash table has a third more slots than terms. A slot holds the number of a
// term plus one in the low bits and part of its hash in the others; 0 is free.
// Collisions go to the next slot (linear probing). With half a million terms 13
// bits of hash remain, so looking up an absent term costs one cache line.

// Hash returns the hash of a term that the table is built on.
func Hash(term []byte) uint64 { return xxh3.Hash(term) }

func slotCount(n int) int { return n + n/3 + 1 }

func slotOf(hash uint64, slots int) int {
	hi, _ := bits.Mul64(hash, uint64(slots))
	return int(hi)
}

// buildHash returns the table for terms with the given hashes, in the order of
// terms.
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
