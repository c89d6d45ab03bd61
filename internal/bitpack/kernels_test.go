package bitpack

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestKernelsEqualTheirPlainTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		values := make([]uint32, rng.IntN(300))
		for i := range values {
			values[i] = rng.Uint32()
		}
		v := rng.Uint32()
		want := slices.Clone(values)
		addScalar(want, v)
		AddTo32(values, v)
		if !slices.Equal(values, want) {
			t.Fatal("add")
		}
		sumScalar(want, v)
		SumTo32(values, v)
		if !slices.Equal(values, want) {
			t.Fatal("sum")
		}

		src := make([]byte, 8*(1+rng.IntN(20)))
		for at := 0; at < len(src); at += 8 {
			word := rng.Uint64()
			switch rng.IntN(4) {
			case 0:
				word = 0
			case 1:
				word = ^uint64(0)
			case 2:
				word &= rng.Uint64() & rng.Uint64()
			}
			binary.LittleEndian.PutUint64(src[at:], word)
		}
		dst, plain := make([]uint32, 20*64+ExpandSlack), make([]uint32, 20*64)
		n := ExpandBits(dst, src, v)
		expandScalar(plain, src, v)
		if n < 0 || !slices.Equal(dst[:n], plain[:n]) || n < len(plain) && plain[n] != 0 {
			t.Fatalf("expand: %d", n)
		}
		if n > 0 && ExpandBits(dst[:n+ExpandSlack-1], src, v) != -1 {
			t.Fatal("too little room must be refused")
		}
	}
	if ExpandBits(make([]uint32, 100), []byte{1, 2, 3}, 0) != -1 {
		t.Fatal("half a word must be refused")
	}
}

func TestUnpackAdd32EqualsSingleValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for width := range 33 {
		for range 200 {
			n := rng.IntN(300)
			src := make([]byte, Size(n, width), Size(n, width)+rng.IntN(2)*Padding)
			for i := range src {
				src[i] = byte(rng.Uint32())
			}
			v := rng.Uint32() * rng.Uint32N(2)
			got := make([]uint32, n+1)
			got[n] = 7
			UnpackAdd32(got[:n], src, width, v)
			for i := range n {
				if want := uint32(At(src, i, width)) + v; got[i] != want {
					t.Fatalf("value %d of %d with %d bits: %d, want %d", i, n, width, got[i], want)
				}
			}
			if got[n] != 7 {
				t.Fatalf("%d values of %d bits are written behind their end", n, width)
			}
		}
	}
}

func BenchmarkExpandBits(b *testing.B) {
	src := make([]byte, 64)
	for i := range src {
		src[i] = 0x5a
	}
	dst := make([]uint32, 256+ExpandSlack)
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			ExpandBits(dst, src, 7)
		}
		b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			expandScalar(dst, src, 7)
		}
		b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
	})
}

func BenchmarkSumTo32(b *testing.B) {
	values := make([]uint32, 256)
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			SumTo32(values, 7)
		}
		b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			sumScalar(values, 7)
		}
		b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
	})
}

func BenchmarkAddTo32(b *testing.B) {
	values := make([]uint32, 256)
	for b.Loop() {
		AddTo32(values, 7)
	}
	b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
}
