package facet

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// countedBoth counts random sets with and without kernels.
func countedBoth[T uint8 | uint16](t *testing.T, r *rand.Rand, values int) {
	t.Helper()
	ordinals := make([]T, r.IntN(3000))
	share := r.Float64()
	for i := range ordinals {
		if r.Float64() < share {
			ordinals[i] = T(r.IntN(values))
		}
	}
	words := make([]uint64, (len(ordinals)+63)/64+r.IntN(3))
	for i := range words {
		switch r.IntN(4) {
		case 0:
			words[i] = ^uint64(0)
		case 1:
			words[i] = r.Uint64() & r.Uint64() & r.Uint64()
		case 2:
			words[i] = r.Uint64()
		}
	}
	flip := uint64(0)
	if r.IntN(2) == 0 {
		flip = ^flip
	}
	before := make([]uint32, values)
	for i := range before {
		before[i] = r.Uint32N(9)
	}
	got, want := slices.Clone(before), slices.Clone(before)
	countSingle(ordinals, words, flip, got)
	countWords(ordinals, words, flip, want)
	if !slices.Equal(got, want) {
		t.Fatalf("%d documents of %d values are not counted alike", len(ordinals), values)
	}
}

func TestCountingKernelsAgree(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 84))
		countedBoth[uint8](t, r, 1+r.IntN(256))
		countedBoth[uint16](t, r, 1+r.IntN(60_000))
	}
}

func BenchmarkCountSingle(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 85))
	const documents = 1 << 20
	repositories, components := make([]uint8, documents), make([]uint16, documents)
	for i := range documents {
		repositories[i] = uint8(1 + r.IntN(8)*r.IntN(2))
		components[i] = uint16(r.IntN(24_000) * r.IntN(2))
	}
	counts := make([]uint32, 24_001)
	for _, every := range []int{2, 8, 32, 128} {
		words := make([]uint64, documents/64)
		held := 0
		for doc := range documents {
			if r.IntN(every) == 0 {
				words[doc/64] |= 1 << (doc % 64)
				held++
			}
		}
		run := func(name string, count func()) {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					count()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(held), "ns/document")
			})
		}
		name := map[int]string{2: "half", 8: "eighth", 32: "1in32", 128: "1in128"}[every]
		run(name+"/bytes", func() { countSingle(repositories, words, 0, counts) })
		run(name+"/bytes-plain", func() { countWords(repositories, words, 0, counts) })
		run(name+"/shorts", func() { countSingle(components, words, 0, counts) })
		run(name+"/shorts-plain", func() { countWords(components, words, 0, counts) })
	}
}
