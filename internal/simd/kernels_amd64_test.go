package simd

import "testing"

// Processors with fewer features run the other kernels.
func TestKernelsOfOlderProcessors(t *testing.T) {
	avx512, vnni := hasAVX512, hasVNNI
	defer func() { hasAVX512, hasVNNI = avx512, vnni }()
	hasAVX512, hasVNNI = false, false
	t.Run("floats", TestFloatKernelsEqualTheirTwins)
	t.Run("rows of floats", TestRowKernelsEqualTheSingleOnes)
	t.Run("quantized", TestQuantizedKernelsEqualTheirTwins)
}
