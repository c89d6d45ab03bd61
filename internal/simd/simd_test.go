package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomFloats(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func TestFloatKernelsEqualTheirTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 0; n < 300; n++ {
		a, b := randomFloats(r, n), randomFloats(r, n)
		near(t, fmt.Sprintf("dot of %d", n), DotF32(a, b), dotF32Go(a, b), n)
		near(t, fmt.Sprintf("distance of %d", n), SquaredDistanceF32(a, b), squaredDistanceF32Go(a, b), n)
	}
}

func near(t *testing.T, what string, got, want float32, n int) {
	t.Helper()
	if math.Abs(float64(got-want)) > 1e-4*math.Max(1, float64(n)) {
		t.Errorf("%s: %v, twin says %v", what, got, want)
	}
}

// A product of rows is the same whichever function computes it.
func TestRowKernelsEqualTheSingleOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := 1; n < 200; n += 3 {
		rows, q := randomFloats(r, 12*n), randomFloats(r, n)
		ids, out := make([]uint32, r.IntN(200)), make([]float32, 200)
		for i := range ids {
			ids[i] = uint32(r.IntN(12))
		}
		DotF32Rows(rows, ids, q, out)
		for i, id := range ids {
			if want := DotF32(rows[int(id)*n:][:n], q); out[i] != want {
				t.Fatalf("dot of %d: %v, alone %v", n, out[i], want)
			}
		}
		SquaredDistanceF32Rows(rows, ids, q, out)
		for i, id := range ids {
			if want := SquaredDistanceF32(rows[int(id)*n:][:n], q); out[i] != want {
				t.Fatalf("distance of %d: %v, alone %v", n, out[i], want)
			}
		}
		table, again := make([]*float32, 12), make([]float32, 200)
		for i := range table {
			table[i] = &rows[i*n]
		}
		SquaredDistanceF32Of(table, ids, q, again)
		if !slices.Equal(out[:len(ids)], again[:len(ids)]) {
			t.Fatalf("distances of %d: %v, by table %v", n, out, again)
		}
	}
}

func TestQuantizedKernelsEqualTheirTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, values := range []int{64, 128, 192, 768, 1536} {
		const count = 9
		q := make([]int8, values)
		extreme := make([]int8, values)
		for i := range q {
			q[i] = int8(r.IntN(255) - 127)
			extreme[i] = -128
		}
		eight, four := make([]byte, count*values), make([]byte, count*values/2)
		for i := range eight {
			eight[i] = byte(r.Uint32())
		}
		for i := range four {
			four[i] = byte(r.Uint32())
		}
		for i := range values { // the last rows hold the largest codes
			eight[(count-1)*values+i] = 255
			four[(count-1)*values/2+i/2] = 255
		}
		ids := []uint32{3, 0, 8, 5, 5, 1, 7}
		for _, side := range [][]int8{q, extreme} {
			got, want := make([]int32, len(ids)), make([]int32, len(ids))
			DotU8Rows(eight, ids, side, got, 4)
			dotU8RowsGo(eight, ids, side, want)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("8 bit, %d values: %v, twin says %v", values, got, want)
			}
			DotU4Rows(four, ids, side, got, 4)
			dotU4RowsGo(four, ids, side, want)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("4 bit, %d values: %v, twin says %v", values, got, want)
			}
		}
	}
}

func TestRowsOutOfRangePanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a row beyond the end was read")
		}
	}()
	DotU8Rows(make([]byte, 128), []uint32{2}, make([]int8, 64), make([]int32, 1), 4)
}

// perSecond reports the number of distances computed per second.
func perSecond(b *testing.B, each int) {
	b.ReportMetric(float64(b.N*each)/b.Elapsed().Seconds()/1e6, "Mdistances/s")
}

func BenchmarkDotF32(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{128, 384, 768, 1536} {
		x, y := randomFloats(r, n), randomFloats(r, n)
		b.Run(fmt.Sprintf("kernel/%d", n), func(b *testing.B) {
			for b.Loop() {
				DotF32(x, y)
			}
			perSecond(b, 1)
		})
		b.Run(fmt.Sprintf("go/%d", n), func(b *testing.B) {
			for b.Loop() {
				dotF32Go(x, y)
			}
			perSecond(b, 1)
		})
	}
}

func BenchmarkDotU8(b *testing.B) {
	for _, n := range []int{128, 384, 768, 1536} {
		rows, q := make([]byte, n*64), make([]int8, n)
		ids, out := make([]uint32, 64), make([]int32, 64)
		for i := range ids {
			ids[i] = uint32(i)
		}
		b.Run(fmt.Sprintf("kernel/%d", n), func(b *testing.B) {
			for b.Loop() {
				DotU8Rows(rows, ids, q, out, 4)
			}
			perSecond(b, len(ids))
		})
		b.Run(fmt.Sprintf("go/%d", n), func(b *testing.B) {
			for b.Loop() {
				dotU8RowsGo(rows, ids, q, out)
			}
			perSecond(b, len(ids))
		})
	}
}

func TestUnseenEqualsItsTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	const count = 500
	rows, beside := make([]byte, count*64), make([]float32, count)
	words, twin := make([]uint64, (count+63)/64), make([]uint64, (count+63)/64)
	for range 200 {
		ids := make([]uint32, r.IntN(70))
		for i := range ids {
			ids[i] = uint32(r.IntN(count))
		}
		into, want := make([]uint32, len(ids)+1), make([]uint32, len(ids)+1)
		n, m := Unseen(words, ids, into, rows, 64, beside), unseenGo(twin, ids, want)
		if !slices.Equal(into[:n], want[:m]) || !slices.Equal(words, twin) {
			t.Fatalf("%v: %v, twin says %v", ids, into[:n], want[:m])
		}
		if r.IntN(20) == 0 {
			clear(words)
			clear(twin)
		}
	}
}

func TestUnseenStaysInside(t *testing.T) {
	words := make([]uint64, 3)
	for _, c := range []struct {
		ids  []uint32
		room int
	}{{[]uint32{5, 192}, 2}, {[]uint32{math.MaxUint32}, 1}, {[]uint32{1, 2}, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v into %d: no panic", c.ids, c.room)
				}
			}()
			Unseen(words, c.ids, make([]uint32, c.room), make([]byte, 192*64), 64, make([]float32, 192))
		}()
	}
}
