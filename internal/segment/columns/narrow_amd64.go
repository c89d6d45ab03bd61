package columns

import "golang.org/x/sys/cpu"

var hasNarrow = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW

// narrowBytes is narrow for n words of 64 ordinals of one byte each.
//
//go:noescape
func narrowBytes(ordinals *uint8, words *uint64, n int, least, width uint8)

// narrowShorts is narrow for n words of 64 ordinals of two bytes each.
//
//go:noescape
func narrowShorts(ordinals *uint16, words *uint64, n int, least, width uint16)

func narrow8(ordinals []uint8, words []uint64, least, most uint8) {
	if n := min(len(words), len(ordinals)/64); hasNarrow && n > 0 {
		narrowBytes(&ordinals[0], &words[0], n, least, most-least)
		ordinals, words = ordinals[64*n:], words[n:]
	}
	narrow(ordinals, words, least, most)
}

func narrow16(ordinals []uint16, words []uint64, least, most uint16) {
	if n := min(len(words), len(ordinals)/64); hasNarrow && n > 0 {
		narrowShorts(&ordinals[0], &words[0], n, least, most-least)
		ordinals, words = ordinals[64*n:], words[n:]
	}
	narrow(ordinals, words, least, most)
}
