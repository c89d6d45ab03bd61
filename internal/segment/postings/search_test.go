package postings

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLowerBound(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for n := range 300 {
		docs := make([]uint32, n)
		for i := range docs {
			docs[i] = r.Uint32N(1000)
		}
		slices.Sort(docs)
		for range 20 {
			target := r.Uint32N(1002)
			if want, _ := slices.BinarySearch(docs, target); LowerBound(docs, target) != want {
				t.Fatalf("%d in %v: %d, want %d", target, docs, LowerBound(docs, target), want)
			}
		}
	}
}

func BenchmarkLowerBound(b *testing.B) {
	docs := make([]uint32, 256)
	for i := range docs {
		docs[i] = uint32(i * 7)
	}
	b.Run("halves", func(b *testing.B) {
		for i := uint32(0); b.Loop(); i += 977 {
			LowerBound(docs, i%1800)
		}
	})
	b.Run("slices", func(b *testing.B) {
		for i := uint32(0); b.Loop(); i += 977 {
			_, _ = slices.BinarySearch(docs, i%1800)
		}
	})
}
