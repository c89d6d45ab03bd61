package terms

import (
	"encoding/binary"
	"math/bits"
)

// filter is a blocked Bloom filter of keys: it rules out most texts that are not
// keys by reading one cache line. A key sets four bits of one word; with one word
// per eight keys, one text in twenty passes.
type filter []uint64

// filterKeys is the number of keys per word.
const filterKeys = 8

func filterWords(n int) int { return n/filterKeys + 1 }

// filterBits returns the word for a hash and its bits in it.
func filterBits(hash uint64, words int) (word int, mask uint64) {
	hi, _ := bits.Mul64(hash, uint64(words))
	return int(hi), 1<<(hash&63) | 1<<(hash>>6&63) | 1<<(hash>>12&63) | 1<<(hash>>18&63)
}

// may reports whether a text with the hash may be a key.
func (f filter) may(hash uint64) bool {
	word, mask := filterBits(hash, len(f))
	return f[word]&mask == mask
}

// newFilter returns the filter for keys with the given hashes.
func newFilter(hashes *gathered) (filter, error) {
	f := make(filter, filterWords(hashes.length/8))
	err := hashes.each(func(piece []byte) {
		for ; len(piece) > 0; piece = piece[8:] {
			word, mask := filterBits(binary.LittleEndian.Uint64(piece), len(f))
			f[word] |= mask
		}
	})
	return f, err
}
