package ownership

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// counted is a slow bucket that counts reads.
type counted struct {
	bucket.Bucket
	reads atomic.Int64
}

func (c *counted) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	c.reads.Add(1)
	time.Sleep(10 * time.Millisecond)
	return c.Bucket.Get(ctx, key, unless)
}

// Concurrent queries for the node that writes an index cost one read.
func TestReadsOfTheLeadershipAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &counted{Bucket: memory.New(nil)}
		m, err := Join(t.Context(), b, Options{Node: "a", Lease: lease, Clock: clock()}, quiet)
		if err != nil {
			t.Fatal(err)
		}
		other, err := Join(t.Context(), b, Options{Node: "b", Lease: lease, Candidate: true, Clock: clock()}, quiet)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Claim(t.Context(), registry.NewID()); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			before := b.reads.Load()
			var group sync.WaitGroup
			for range 50 {
				group.Go(func() {
					if _, _, err := m.Holder(t.Context(), registry.NewID()); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if reads := b.reads.Load() - before; reads != 1 {
				t.Errorf("%d reads", reads)
			}
			time.Sleep(copyAge)
		}
	})
}

// Callers that ask while the leadership cannot be read wait for two reads at most:
// the one under way when they asked, and the next.
func TestFailedReadsOfTheLeadershipAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		m, err := Join(t.Context(), b, Options{Node: "a", Lease: lease, Clock: clock()}, quiet)
		if err != nil {
			t.Fatal(err)
		}
		var reads atomic.Int64
		b.SetPlan(func(faultbucket.Call) faultbucket.Fault {
			reads.Add(1)
			time.Sleep(10 * time.Second)
			return faultbucket.Unavailable
		})
		var group sync.WaitGroup
		ask := func(want time.Duration) {
			group.Go(func() {
				began := time.Now()
				if _, _, err := m.Holder(t.Context(), registry.NewID()); !errors.Is(err, problem.IndexerLeadershipUnreadable) || time.Since(began) != want {
					t.Errorf("%v after %s", err, time.Since(began))
				}
			})
		}
		ask(10 * time.Second)
		time.Sleep(time.Second)
		for range 50 {
			ask(19 * time.Second)
		}
		group.Wait()
		if n := reads.Load(); n != 2 {
			t.Errorf("%d reads", n)
		}
	})
}
