package simd

import "testing"

// A processor that has less runs the other kernels.
func TestKernelsOfOlderProcessors(t *testing.T) {
	avx512, vnni := hasAVX512, hasVNNI
	defer func() { hasAVX512, hasVNNI = avx512, vnni }()
	hasAVX512, hasVNNI = false, false
	t.Run("floats", TestFloatKernelsEqualTheirTwins)
	t.Run("rows of floats", TestRowKernelsEqualTheSingleOnes)
	t.Run("quantized", TestQuantizedKernelsEqualTheirTwins)
}
