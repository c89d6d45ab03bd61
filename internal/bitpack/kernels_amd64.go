//go:build !purego

package bitpack

import "golang.org/x/sys/cpu"

var (
	hasAVX2   = cpu.X86.HasAVX2
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasPOPCNT
	hasWords  = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW // vectors of 16-bit words
)

// addAVX2 adds v to n values, a multiple of 8.
//
//go:noescape
func addAVX2(values *uint32, n int, v uint32)

// sumAVX2 replaces n values, a multiple of 8, by base plus the sum of all values up
// to and including each.
//
//go:noescape
func sumAVX2(values *uint32, n int, base uint32)

// expandAVX512 writes base plus the number of each one bit of n words.
//
//go:noescape
func expandAVX512(dst *uint32, words *byte, n int, base uint32)

// unpackAVX512 unpacks n values, a multiple of 16, of 1 to wideBits bits each, and
// adds v to each.
//
//go:noescape
func unpackAVX512(dst *uint32, src *byte, n, width int, v uint32)
