package window

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/segment/postings"
)

func rising(r *rand.Rand, n int, most uint32) []uint32 {
	seen := map[uint32]bool{}
	for len(seen) < n {
		seen[r.Uint32N(most)] = true
	}
	all := make([]uint32, 0, n)
	for doc := range seen {
		all = append(all, doc)
	}
	slices.Sort(all)
	return all
}

func TestIntersectKernelsAgree(t *testing.T) {
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		docs := rising(r, 1+r.IntN(postings.BlockSize+1), 600)
		last := docs[len(docs)-1]
		most := last + 64 + r.Uint32N(2)*300
		candidates := rising(r, r.IntN(min(postings.BlockSize+50, int(most)/2)), most)
		if seed%2 == 0 {
			candidates = slices.DeleteFunc(candidates, func(c uint32) bool { return c > last })
		}
		var want []uint16
		for i, c := range candidates {
			if at, ok := slices.BinarySearch(docs, c); ok {
				want = append(want, uint16(i), uint16(at))
			}
		}
		found, places := make([]uint16, len(candidates)+1), make([]uint16, len(candidates)+1)
		for name, kernel := range map[string]func(a, b []uint32, f, p []uint16) int{"chosen": Intersect, "generic": intersectGeneric} {
			n := kernel(candidates, docs, found, places)
			var got []uint16
			for i := range n {
				got = append(got, found[i], places[i])
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: %v, want %v", seed, name, got, want)
			}
		}
	}
}

func TestAboveKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		var sums Sums
		for range r.IntN(Span) {
			sums[r.IntN(Span)] = float64(r.IntN(40)) / 4
		}
		least := float64(r.IntN(40)) / 4
		var got, want Bits
		Above(&sums, least, &got)
		aboveGeneric(&sums, least, &want)
		if got != want {
			t.Fatalf("above %v differ", least)
		}
	}
}
