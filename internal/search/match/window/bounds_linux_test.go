package window

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/quiresearch/quire/internal/segment/postings"
)

// guarded is memory between two pages that can be neither read nor written.
type guarded[T any] struct{ all []T }

func guard[T any](t *testing.T, most int) guarded[T] {
	t.Helper()
	page, size := unix.Getpagesize(), most*int(unsafe.Sizeof(*new(T)))
	inner := (size + page - 1) / page * page
	memory, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	for _, edge := range [][]byte{memory[:page], memory[page+inner:]} {
		if err := unix.Mprotect(edge, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return guarded[T]{unsafe.Slice((*T)(unsafe.Pointer(&memory[page])), inner/int(unsafe.Sizeof(*new(T))))}
}

// slice returns n elements right after the first page or right before the last.
func (g guarded[T]) slice(n int, isFirst bool) []T {
	if isFirst {
		return g.all[:n:n]
	}
	return g.all[len(g.all)-n:]
}

// TestKernelsStayInTheirMemory runs the kernels on memory with guard pages on both sides, with
// documents in ascending order and with damaged ones.
func TestKernelsStayInTheirMemory(t *testing.T) {
	const most = postings.BlockSize + 50
	candidates, docs := guard[uint32](t, most), guard[uint32](t, most)
	found, places := guard[uint16](t, most), guard[uint16](t, most)
	x, y, merged := guard[uint32](t, most), guard[uint32](t, most), guard[uint32](t, 2*most)
	xSums, ySums, sums := guard[float64](t, most), guard[float64](t, most), guard[float64](t, 2*most)
	r := rand.New(rand.NewPCG(83, 1))
	fill := func(docs []uint32, sums []float64) {
		next, gap, isDamaged := r.Uint32N(50), 1+r.Uint32N(9), r.IntN(4) == 0
		for i := range docs {
			if next += 1 + r.Uint32N(gap); isDamaged {
				next = r.Uint32()
			}
			docs[i] = next
		}
		for i := range sums {
			sums[i] = r.Float64()
		}
	}
	for round := range 4000 {
		isFirst := round%2 == 0
		n, count := 1+r.IntN(postings.BlockSize), 1+r.IntN(most)
		c, d := candidates.slice(count, isFirst), docs.slice(n, isFirst)
		fill(c, nil)
		fill(d, nil)
		at, place := found.slice(count, isFirst), places.slice(count, isFirst)
		for i := range Intersect(c, d, at, place) {
			if int(at[i]) >= count || int(place[i]) >= n {
				t.Fatalf("round %d: candidate %d of %d in place %d of %d", round, at[i], count, place[i], n)
			}
		}
		a, b := 1+r.IntN(most-1), 1+r.IntN(most-1)
		one, other := x.slice(a+1, isFirst), y.slice(b+1, isFirst) // a merge reads one more
		l := &lists{one[:a], other[:b], xSums.slice(a, isFirst), ySums.slice(b, isFirst)}
		fill(l.x, l.xSums)
		fill(l.y, l.ySums)
		out, outSums := merged.slice(a+b, isFirst), sums.slice(a+b, isFirst)
		i, j, kept := merge(l, r.Float64()*2-0.5, out, outSums)
		if i > a || j > b || kept > i+j {
			t.Fatalf("round %d: read %d of %d and %d of %d, wrote %d", round, i, a, j, b, kept)
		}
		if kept := KeepAbove(l.x, l.xSums, 0.1, r.Float64(), out[:a], outSums[:a]); kept > a {
			t.Fatalf("round %d: kept %d of %d", round, kept, a)
		}
	}
}
