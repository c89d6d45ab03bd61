package bitset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestCountsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		a, b := make([]uint64, n), make([]uint64, n+n%3)
		for i := range a {
			a[i] = rng.Uint64() | -uint64(n&1) // all ones in every other run
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
		if whole := n &^ 7; whole > 0 && hasAVX2 {
			if got, want := countAVX2(&a[0], whole), countGo(a[:whole]); got != want {
				t.Fatalf("%d words: %d one bits by AVX2, want %d", whole, got, want)
			}
			if got, want := countBothAVX2(&a[0], &b[0], whole), countBothGo(a[:whole], b[:whole]); got != want {
				t.Fatalf("%d words: %d shared one bits by AVX2, want %d", whole, got, want)
			}
		}
		if n > 3 {
			if got, want := CountWords(a[3:]), countGo(a[3:]); got != want {
				t.Fatalf("%d words from the third on: %d one bits, want %d", n, got, want)
			}
		}
	}
}

func BenchmarkCountWords(b *testing.B) {
	for _, n := range []int{64, 156_250} {
		words := make([]uint64, n)
		for i := range words {
			words[i] = ^uint64(0)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(8 * n))
			for b.Loop() {
				CountWords(words)
			}
		})
	}
}
