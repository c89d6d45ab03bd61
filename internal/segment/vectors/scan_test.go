package vectors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
)

// onThreads returns a Share that uses three goroutines and counts the calls.
func onThreads(calls *atomic.Int64) Share {
	return func(ctx context.Context, count int, work func(ctx context.Context, number int) error) error {
		calls.Add(1)
		var (
			wait sync.WaitGroup
			next atomic.Int64
			errs [3]error
		)
		for thread := range errs {
			wait.Go(func() {
				for i := int(next.Add(1) - 1); i < count && errs[thread] == nil; i = int(next.Add(1) - 1) {
					errs[thread] = work(ctx, i)
				}
			})
		}
		wait.Wait()
		return errors.Join(errs[:]...)
	}
}

// Scans shared by several threads find the same as one thread, including equal
// vectors and their order.
func TestSharedScansFindTheSame(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2))
	for _, r := range []*Reader{wide(), requantized(t, wide(), Int4)} {
		var calls atomic.Int64
		for range 20 {
			q := slices.Clone(r.Vector(random.IntN(r.Len())))
			opposite := make([]float32, len(q))
			for i := range q {
				opposite[i] = -q[i]
			}
			for _, accept := range []*bitset.Bitset{onOneSide(r, opposite), beyond(r, q, 0.34), anywhere(r, 0.01), nil} {
				for _, k := range []int{1, 10, 300} {
					want, err := r.Search(context.Background(), q, k, 0, accept)
					if err != nil {
						t.Fatal(err)
					}
					got, err := r.SearchShared(context.Background(), q, k, 0, accept, onThreads(&calls))
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(want, got) {
						t.Fatalf("%d nearest: %v, shared %v", k, want, got)
					}
				}
			}
		}
		if calls.Load() < 20 {
			t.Errorf("%d scans were shared", calls.Load())
		}
	}
}

// If codes do not distinguish the nearest, the scan makes a second pass.
func TestSharedScansGoOverDoubtfulCodesAgain(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(12, 3))
	alike := around(random, gaussian(random, 12), leastShared+100, 0.002)
	r := open(t, writeColumn(t, Options{Dimensions: 12, M: 4, EfConstruction: 8, Quantization: Int4}, alike, 1, 2))
	accept := accepting(r, func(int) bool { return true })
	scan := func(q []float32, share Share) []Hit {
		s, accepted := prepared(r, q, accept)
		s.accepted, s.share = accepted, share
		if err := r.scanAll(context.Background(), s, 10); err != nil {
			t.Fatal(err)
		}
		return r.hits(s, 10)
	}
	var calls atomic.Int64
	for node := range 20 {
		q := r.Vector(node)
		want := scan(q, nil)
		if got := scan(q, onThreads(&calls)); !slices.Equal(want, got) {
			t.Fatalf("%v, shared %v", want, got)
		}
	}
	if calls.Load() <= 20 {
		t.Errorf("%d scans for 20 searches: none went over all again", calls.Load())
	}
}

// An error in one part ends the search.
func TestSharedScansStop(t *testing.T) {
	t.Parallel()
	r := wide()
	ctx, cancel := context.WithCancel(context.Background())
	share := func(ctx context.Context, count int, work func(ctx context.Context, number int) error) error {
		cancel()
		return onThreads(new(atomic.Int64))(ctx, count, work)
	}
	q := slices.Clone(r.Vector(7))
	if _, err := r.SearchShared(ctx, q, 10, 0, beyond(r, q, 0.4), share); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is not wanted any more ends with %v", err)
	}
}

// Scanned nodes are kept in the order of nearOf, whatever their nearness: numbers
// equal to the threshold, NaN, infinities and zeros of either sign.
func TestAddNearestKeepsWhatSortingKeeps(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	unusual := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32}
	for range 2000 {
		levels := 1 + random.IntN(30) // few levels make many equal numbers
		draw := func() float32 {
			if random.IntN(20) == 0 {
				return unusual[random.IntN(len(unusual))]
			}
			return float32(random.IntN(levels) - levels/2)
		}
		keep := 1 + random.IntN(40)
		s := &scratch{}
		if random.IntN(2) == 0 {
			s.least = nearOf(uint32(random.IntN(300)), draw())
		}
		var want []near
		node := uint32(0)
		for range 1 + random.IntN(6) {
			s.list, s.raws = s.list[:0], s.raws[:0]
			for range random.IntN(60) {
				node += 1 + random.Uint32N(3)
				raw := draw()
				s.list, s.raws = append(s.list, node), append(s.raws, raw)
				if x := nearOf(node, raw); x > s.least {
					want = append(want, x)
				}
			}
			s.addNearest(s.list, keep)
		}
		sortNearest(want)
		want = want[:min(keep, len(want))]
		sortNearest(s.found)
		if !slices.Equal([]near(s.found), want) {
			t.Fatalf("%d nearest beyond %v: %v, want %v", keep, s.least, s.found, want)
		}
	}
}

// alike returns vectors with values of -1, 0 and 1: few different ones, at few
// different distances from each other.
func alike(random *rand.Rand, n, dimensions int) [][]float32 {
	all := make([][]float32, n)
	for i := range all {
		all[i] = make([]float32, dimensions)
		for j := range all[i] {
			all[i][j] = float32(random.IntN(3) - 1)
		}
		all[i][random.IntN(dimensions)] = 1 // zeros are rounded to steps of another width
	}
	return all
}

// A scan finds what a naive search finds, in the same order, when hundreds of
// accepted vectors are as near as the last hit.
func TestScansOrderEqualVectorsByDocument(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 5))
	for _, o := range []Options{
		{Dimensions: 5, Similarity: DotProduct},
		{Dimensions: 5, Similarity: Euclidean},
		{Dimensions: 3, Similarity: Euclidean, Quantization: Int8},
	} {
		r := unlinked(t, o, alike(random, leastShared+500, o.Dimensions))
		for _, share := range []float64{0.002, 0.05, 0.5, 1} {
			accept := anywhere(r, share)
			for _, q := range alike(random, 12, o.Dimensions) {
				for _, k := range []int{1, 10, 100} {
					want := accepted(ranking(r, q), accept, k)
					var calls atomic.Int64
					for name, share := range map[string]Share{"one thread": nil, "shared": onThreads(&calls)} {
						got, err := r.SearchShared(context.Background(), q, k, 0, accept, share)
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got, want) {
							t.Fatalf("%+v, %d nearest, %s: %v, want %v", o, k, name, got, want)
						}
					}
				}
			}
		}
	}
}

// The first pass of a scan keeps the nodes that a naive pass over all codes keeps.
func TestScansKeepTheNearestByCode(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(6, 28))
	for _, similarity := range []Similarity{Cosine, DotProduct, Euclidean} {
		for _, quantization := range []Quantization{Int8, Int4} {
			for name, all := range map[string][][]float32{"alike": alike(random, 5000, 4), "spread": spread(random, 5000, 4)} {
				o := Options{Dimensions: 4, Similarity: similarity, Quantization: quantization}
				r := unlinked(t, o, all)
				for range 10 {
					q := Prepare(similarity, all[random.IntN(len(all))])
					s, _ := prepared(r, q, anywhere(r, 0.6))
					var want []near
					for node := range uint32(r.Len()) {
						if s.accepts(node) {
							r.nearness(s, []uint32{node})
							want = append(want, nearOf(node, s.raws[0]))
						}
					}
					sortNearest(want)
					keep := 1 + random.IntN(100)
					err := r.scan(context.Background(), s, keep, func(s *scratch, nodes []uint32) {
						r.addNearestByCode(s, nodes, keep)
					})
					if err != nil {
						t.Fatal(err)
					}
					sortNearest(s.found)
					if !slices.Equal([]near(s.found), want[:keep]) {
						t.Fatalf("%s: %v, want %v", fmt.Sprint(name, " ", o), s.found, want[:keep])
					}
				}
			}
		}
	}
}
