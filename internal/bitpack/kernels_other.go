//go:build !amd64 || purego

package bitpack

const (
	hasAVX2   = false
	hasAVX512 = false
	hasWords  = false
)

func addAVX2(*uint32, int, uint32) {}

func sumAVX2(*uint32, int, uint32) {}

func expandAVX512(*uint32, *byte, int, uint32) {}

func unpackAVX512(*uint32, *byte, int, int, uint32) {}
