package bitpack

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEveryWidthComesBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for width := 0; width <= 64; width++ {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 31, 100, 255, 256, 1024} {
			v64 := make([]uint64, n)
			for i := range v64 {
				v64[i] = rng.Uint64() & mask(width)
			}
			packed := Append64([]byte{1, 2, 3}, v64, width)
			if len(packed) != 3+Size(n, width) {
				t.Fatalf("width %d: %d bytes", width, len(packed))
			}
			tight := slices.Clip(slices.Clone(packed[3:]))
			got := make([]uint64, n)
			Unpack64(got, packed[3:], width)
			if !slices.Equal(got, v64) {
				t.Fatalf("64: width %d, n %d", width, n)
			}
			Unpack64(got, tight, width)
			if !slices.Equal(got, v64) {
				t.Fatalf("64 tight: width %d, n %d", width, n)
			}
			for i := range v64 {
				if At(tight, i, width) != v64[i] || At(packed[3:cap(packed)], i, width) != v64[i] {
					t.Fatalf("at %d, width %d", i, width)
				}
			}
			if width > 32 {
				continue
			}
			v32 := make([]uint32, n)
			for i := range v32 {
				v32[i] = uint32(v64[i])
			}
			p32 := Append32(nil, v32, width)
			if !slices.Equal(p32, tight) {
				t.Fatalf("32 and 64 differ at width %d", width)
			}
			got32 := make([]uint32, n)
			Unpack32(got32, p32, width)
			if !slices.Equal(got32, v32) {
				t.Fatalf("32: width %d, n %d", width, n)
			}
			Unpack32(got32, tight, width)
			if !slices.Equal(got32, v32) {
				t.Fatalf("32 tight: width %d, n %d", width, n)
			}
		}
	}
}

func TestViewsReadLittleEndianAtAnyAddress(t *testing.T) {
	data := make([]byte, 65)
	for i := range data {
		data[i] = byte(i * 7)
	}
	for off := range 9 {
		b := data[off : off+33]
		u16, u32, u64 := Uint16s(b), Uint32s(b), Uint64s(b)
		if len(u16) != 16 || len(u32) != 8 || len(u64) != 4 {
			t.Fatal("lengths")
		}
		for i, v := range u32 {
			if v != uint32(u16[2*i])|uint32(u16[2*i+1])<<16 {
				t.Fatal("u16 and u32 differ")
			}
			if want := uint32(u64[i/2] >> (32 * (i % 2))); v != want {
				t.Fatal("u32 and u64 differ")
			}
		}
		if got := AppendUint32s(nil, u32); !slices.Equal(got, b[:32]) {
			t.Fatal("append u32")
		}
		if got := AppendUint64s(nil, u64); !slices.Equal(got, b[:32]) {
			t.Fatal("append u64")
		}
	}
}

func BenchmarkUnpack32(b *testing.B) {
	src := make([]uint32, 256)
	for i := range src {
		src[i] = uint32(i * 37 % 4096)
	}
	packed := Append32(nil, src, 12)
	b.SetBytes(256 * 4)
	for b.Loop() {
		Unpack32(src, packed, 12)
	}
	b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
}
