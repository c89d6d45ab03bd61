package facet

import "golang.org/x/sys/cpu"

var hasGather = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasPOPCNT

// gatherBytes writes the ordinals of the documents in n words, XORed with flip, and returns
// their number. There are 64 ordinals for each word. It may write up to 64 elements past those
// returned.
//
//go:noescape
func gatherBytes(ordinals *uint8, words *uint64, n int, flip uint64, to *uint8) int

// gatherShorts is gatherBytes for ordinals of two bytes and leaves out those that are 0. It may
// write up to 32 elements past those returned.
//
//go:noescape
func gatherShorts(ordinals *uint16, words *uint64, n int, flip uint64, to *uint16) int
