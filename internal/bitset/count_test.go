package bitset

import (
	"math/rand/v2"
	"testing"
)

func TestCountsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		a, b := make([]uint64, n), make([]uint64, n+n%3)
		for i := range a {
			a[i] = rng.Uint64()
		}
		for i := range b {
			b[i] = rng.Uint64() & rng.Uint64()
		}
		if got, want := CountWords(a), countGo(a); got != want {
			t.Fatalf("%d words: %d one bits, want %d", n, got, want)
		}
		if got, want := CountBoth(a, b), countBothGo(a, b[:n]); got != want {
			t.Fatalf("%d words: %d shared one bits, want %d", n, got, want)
		}
		if n > 3 {
			if got, want := CountWords(a[3:]), countGo(a[3:]); got != want {
				t.Fatalf("%d words from the third on: %d one bits, want %d", n, got, want)
			}
		}
	}
}

func BenchmarkCountWords(b *testing.B) {
	words := make([]uint64, 64)
	for b.Loop() {
		CountWords(words)
	}
}
