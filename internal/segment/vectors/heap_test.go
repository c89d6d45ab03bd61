package vectors

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNearOrdersByNearnessThenByNode(t *testing.T) {
	raws := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32,
		-math.SmallestNonzeroFloat32, float32(math.Inf(1)), float32(math.Inf(-1))}
	nodes := []uint32{0, 1, 77, none - 1}
	for _, a := range raws {
		for _, b := range raws {
			for _, m := range nodes {
				for _, n := range nodes {
					x, y := nearOf(m, a), nearOf(n, b)
					if x.node() != m || x.raw() != a {
						t.Fatalf("%d at %v became %d at %v", m, a, x.node(), x.raw())
					}
					if want := cmp.Or(cmp.Compare(a, b), cmp.Compare(n, m)); cmp.Compare(x, y) != want {
						t.Errorf("%d at %v and %d at %v: %d, want %d", m, a, n, b, cmp.Compare(x, y), want)
					}
				}
			}
		}
	}
	for _, sign := range []float64{1, -1} {
		unknown := nearOf(3, float32(math.Copysign(math.NaN(), sign)))
		if unknown <= nearOf(0, float32(math.Inf(1))) || unknown.node() != 3 || !math.IsNaN(float64(unknown.raw())) {
			t.Errorf("what cannot be compared is %d at %v", unknown.node(), unknown.raw())
		}
	}
}

func TestHeapsKeepTheNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for range 300 {
		all := make([]near, r.IntN(60))
		for i := range all {
			all[i] = nearOf(uint32(r.IntN(50)), float32(r.IntN(9)-4))
		}
		sorted := slices.Clone(all)
		sortNearest(sorted)
		limit := 1 + r.IntN(20)
		var queue best
		var kept worst
		for _, x := range all {
			queue.push(x)
			kept.add(x, limit)
		}
		for i, want := range sorted {
			if got := queue.pop(); got != want {
				t.Fatalf("popped %v as number %d, want %v", got, i, want)
			}
		}
		limit = min(limit, len(all))
		for name, got := range map[string][]near{"kept": kept, "nearest": nearest(slices.Clone(all), limit)} {
			got = slices.Clone(got)
			sortNearest(got)
			if !slices.Equal(got, sorted[:limit]) {
				t.Fatalf("%s: %v, want %v", name, got, sorted[:limit])
			}
		}
	}
}
