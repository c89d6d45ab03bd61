package score

import "golang.org/x/sys/cpu"

var hasWide = cpu.X86.HasAVX512F && cpu.X86.HasPOPCNT

//go:noescape
func gradeWide(weight float32, docs, frequencies *uint32, count int, lengths *byte, parts *float32, threshold float32, out *uint32, sums *float64) (graded, kept int)

//go:noescape
func addWide(weight float32, docs, frequencies *uint32, count int, lengths *byte, parts *float32, base uint32, sums *float64) (added int)
