package bitset

import "golang.org/x/sys/cpu"

var (
	hasWideCount = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPOPCNTDQ
	hasAVX2      = cpu.X86.HasAVX2
)

// countWide counts the one bits of n words, a multiple of eight.
//
//go:noescape
func countWide(words *uint64, n int) int

// countBothWide counts the one bits that a and b share, in n words, a multiple
// of eight.
//
//go:noescape
func countBothWide(a, b *uint64, n int) int

// countAVX2 is countWide for processors that cannot count the bits of vectors.
//
//go:noescape
func countAVX2(words *uint64, n int) int

// countBothAVX2 is countBothWide for such processors.
//
//go:noescape
func countBothAVX2(a, b *uint64, n int) int
