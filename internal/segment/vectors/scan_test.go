package vectors

import (
	"context"
	"errors"
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
