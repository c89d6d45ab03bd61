package facet

import "math/bits"

// Counting documents of a set with one ordinal each. The ordinals of the set are first gathered
// and then counted without reading the set again: walking the bits of a word costs a branch
// that the processor cannot predict, and counting documents of the same value in a row makes
// each wait for the store of the previous one.
//
// Example: of the ordinals 3 3 0 7 3 … the word 1 1 0 1 1 … leaves 3 3 7 3 …. Bytes are counted
// in four arrays in turn: 3 once in each of the first, second and fourth, 7 in the third.

// gatherWords is how many words of a set are gathered at once.
const gatherWords = 16

// countSingle counts the ordinals of the documents in words, XORed with flip.
func countSingle[T uint8 | uint16 | uint32](ordinals []T, words []uint64, flip uint64, counts []uint32) {
	whole := min(len(words), len(ordinals)/64)
	switch column := any(ordinals).(type) {
	case []uint8:
		if hasGather && whole > 0 {
			countOneByte(column, words[:whole], flip, counts)
			ordinals, words = ordinals[64*whole:], words[whole:]
		}
	case []uint16:
		if hasGather && whole > 0 {
			countTwoBytes(column, words[:whole], flip, counts)
			ordinals, words = ordinals[64*whole:], words[whole:]
		}
	}
	countWords(ordinals, words, flip, counts)
}

// countOneByte is countSingle for ordinals of one byte, 64 for each word.
func countOneByte(ordinals []uint8, words []uint64, flip uint64, counts []uint32) {
	var gathered [64*gatherWords + 64]uint8
	var four [4][256]uint32
	for len(words) > 0 {
		n := min(len(words), gatherWords)
		found := gathered[:gatherBytes(&ordinals[0], &words[0], n, flip, &gathered[0])]
		for ; len(found) >= 4; found = found[4:] {
			four[0][found[0]]++
			four[1][found[1]]++
			four[2][found[2]]++
			four[3][found[3]]++
		}
		for _, ordinal := range found {
			four[0][ordinal]++
		}
		ordinals, words = ordinals[64*n:], words[n:]
	}
	for ordinal := range 256 {
		if n := four[0][ordinal] + four[1][ordinal] + four[2][ordinal] + four[3][ordinal]; n > 0 {
			counts[ordinal] += n
		}
	}
}

// countTwoBytes is countSingle for ordinals of two bytes, 64 for each word. Documents without a
// value, which may be most of a column, have the ordinal 0 and are not gathered.
func countTwoBytes(ordinals []uint16, words []uint64, flip uint64, counts []uint32) {
	var gathered [64*gatherWords + 32]uint16
	documents, held := 0, 0
	for len(words) > 0 {
		n := min(len(words), gatherWords)
		for _, w := range words[:n] {
			documents += bits.OnesCount64(w ^ flip)
		}
		found := gathered[:gatherShorts(&ordinals[0], &words[0], n, flip, &gathered[0])]
		for _, ordinal := range found {
			counts[ordinal]++
		}
		held += len(found)
		ordinals, words = ordinals[64*n:], words[n:]
	}
	counts[0] += uint32(documents - held)
}

// countWords is countSingle document by document. A word of all ones is walked without
// searching for its bits.
func countWords[T uint8 | uint16 | uint32](ordinals []T, words []uint64, flip uint64, counts []uint32) {
	for i, w := range words {
		if w ^= flip; w == 0 {
			continue
		}
		base := i << 6
		if base >= len(ordinals) {
			return
		}
		if w == ^uint64(0) && base+64 <= len(ordinals) {
			for _, ordinal := range ordinals[base : base+64] {
				counts[ordinal]++
			}
			continue
		}
		for w != 0 {
			doc := base + bits.TrailingZeros64(w)
			w &= w - 1
			if doc < len(ordinals) {
				counts[ordinals[doc]]++
			}
		}
	}
}
