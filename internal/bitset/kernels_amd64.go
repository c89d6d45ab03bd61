package bitset

import "golang.org/x/sys/cpu"

var hasWideCount = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPOPCNTDQ

// countWide counts the one bits of n words, a multiple of eight.
//
//go:noescape
func countWide(words *uint64, n int) int

// countBothWide counts the one bits that a and b share, in n words, a multiple
// of eight.
//
//go:noescape
func countBothWide(a, b *uint64, n int) int
