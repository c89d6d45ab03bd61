package score

import "golang.org/x/sys/cpu"

var hasWide = cpu.X86.HasAVX512F && cpu.X86.HasPOPCNT

//go:noescape
func scoreWide(p *Postings, parts *float32, weight, threshold float32, docs *uint32, sums *float64) (scored, kept int)

//go:noescape
func addWide(p *Postings, parts *float32, weight float32, base uint32, sums *float64, last uint32) (added int)

//go:noescape
func prefetch(docs []uint32, lengths *byte)
