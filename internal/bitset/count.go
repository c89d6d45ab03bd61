package bitset

import "math/bits"

// CountWords counts the one bits of words.
func CountWords(words []uint64) int {
	n := 0
	if whole := len(words) &^ 7; whole >= fewWords {
		switch {
		case hasWideCount:
			n = countWide(&words[0], whole)
			words = words[whole:]
		case hasAVX2:
			n = countAVX2(&words[0], whole)
			words = words[whole:]
		}
	}
	return n + countGo(words)
}

// CountBoth counts the one bits that a and b share, over the shorter length.
func CountBoth(a, b []uint64) int {
	length := min(len(a), len(b))
	a, b = a[:length], b[:length]
	n := 0
	if whole := length &^ 7; whole >= fewWords {
		switch {
		case hasWideCount:
			n = countBothWide(&a[0], &b[0], whole)
			a, b = a[whole:], b[whole:]
		case hasAVX2:
			n = countBothAVX2(&a[0], &b[0], whole)
			a, b = a[whole:], b[whole:]
		}
	}
	return n + countBothGo(a, b)
}

// fewWords is the number of words below which they are counted one by one.
const fewWords = 16

func countGo(words []uint64) int {
	n := 0
	for len(words) >= 4 {
		n += bits.OnesCount64(words[0]) + bits.OnesCount64(words[1]) +
			bits.OnesCount64(words[2]) + bits.OnesCount64(words[3])
		words = words[4:]
	}
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n
}

func countBothGo(a, b []uint64) int {
	n := 0
	b = b[:len(a)]
	for i, w := range a {
		n += bits.OnesCount64(w & b[i])
	}
	return n
}
