package reindex

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
)

// unpublished is a connection that, while off, writes no manifests.
type unpublished struct {
	bucket.Bucket
	off atomic.Bool
}

func (u *unpublished) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if u.off.Load() && strings.HasSuffix(key, "/manifest") {
		return bucket.Written{}, bucket.ErrUnknown
	}
	return u.Bucket.PutIf(ctx, key, body, condition)
}

// asked is a connection that runs a function after a job record was read.
type asked struct {
	bucket.Bucket
	do func()
}

func (a *asked) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	object, err := a.Bucket.Get(ctx, key, unless)
	if do := a.do; do != nil && strings.HasPrefix(key, recordPrefix) {
		a.do = nil
		do()
	}
	return object, err
}

// tracks reports whether a generation tracks changes.
func (c *carrier) tracks(name string) (is bool) {
	c.Helper()
	c.use(name, func(g *generations.Generation) { is = g.IsTracking() })
	return is
}

func (c *carrier) track(name string) {
	c.Helper()
	c.use(name, func(g *generations.Generation) { c.must(g.StartTracking(c.Context())) })
}

// stopUnused runs one pass and waits for it.
func (c *carrier) stopUnused() {
	c.stopUnusedTracking(c.Context())
	c.running.Wait()
}

// A job ends while the manifest of its source cannot be written, so tracking stays
// on. It stops once it can be written, on the same node or on the next one.
func TestTrackingThatAJobLeftOnStops(t *testing.T) {
	for _, phase := range []Phase{Cancelled, Failed, Done} {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &unpublished{Bucket: memory.New(nil)}
				c := newCarrier(t, b, "a")
				c.create()
				c.write("books", `{"id":"1","v":1}`)
				one := c.start(Ready)
				if phase == Done {
					c.must(c.move(t.Context(), one))
				}
				b.off.Store(true)
				c.must(c.finish(t.Context(), one, phase, errors.New("damaged")))
				b.off.Store(false)
				if got := one.record().Record.Phase; got != phase {
					t.Fatalf("the job is %s", got)
				}
				c.drop(one)
				c.write("books@1", `{"id":"2","v":1}`)
				if !c.tracks("books@1") {
					t.Fatal("tracking was stopped")
				}
				stop := c.run()
				time.Sleep(2 * defaultSweep)
				synctest.Wait()
				if c.tracks("books@1") {
					t.Error("it tracks changes that no job needs")
				}
				stop()
				c.track("books@1") // as if this node had died before
				c = newCarrier(t, b, "b")
				c.must(c.Recover(t.Context()))
				defer c.run()()
				c.write("books@1", `{"id":"3","v":1}`)
				time.Sleep(2 * defaultSweep)
				synctest.Wait()
				if c.tracks("books@1") {
					t.Error("the next node tracks changes that no job needs")
				}
			})
		})
	}
}

// J5: the source of an unfinished job goes on tracking in every phase, whether this
// node runs the job or only finds its record.
func TestTrackingOfAnUnfinishedJobGoesOn(t *testing.T) {
	for _, phase := range []Phase{Copying, Replaying, Ready} {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCarrier(t, memory.New(nil), "a")
				c.create()
				c.write("books", `{"id":"1","v":1}`)
				one := c.start(phase)
				c.stopUnused()
				if !c.tracks("books") {
					t.Error("it stopped under the job that runs here")
				}
				c.drop(one)
				c.stopUnused()
				if !c.tracks("books") {
					t.Error("it stopped under the job that waits to be taken over")
				}
			})
		})
	}
}

// The record of an index says nothing of tracking that an earlier job left on in
// another generation, nor does a record that is gone.
func TestTrackingStopsThoughTheRecordIsOfAnotherJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCarrier(t, memory.New(nil), "a")
		c.create()
		c.createGeneration("3")
		c.start(Copying)
		c.track("books@3")
		c.stopUnused()
		if c.tracks("books@3") || !c.tracks("books@1") {
			t.Errorf("the source tracks: %t, the other generation: %t", c.tracks("books@1"), c.tracks("books@3"))
		}
		c.drop(c.find(c.entry("books").Index))
		c.must(c.records.delete(t.Context(), c.entry("books").Index))
		c.stopUnused()
		if c.tracks("books@1") {
			t.Error("it tracks without a job")
		}
	})
}

// I14: a record that cannot be read may be that of a running job.
func TestTrackingGoesOnWhileTheRecordCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &recordless{Bucket: memory.New(nil)}
		c := newCarrier(t, b, "a")
		c.create()
		c.drop(c.start(Copying))
		b.off.Store(true)
		c.stopUnused()
		if !c.tracks("books") {
			t.Error("it stopped")
		}
	})
}

// J5: a job that starts while tracking without a job is being stopped begins after
// that, and keeps its tracking.
func TestAJobThatStartsMeanwhileKeepsItsTracking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &asked{Bucket: memory.New(nil)}
		c := newCarrier(t, b, "a")
		c.create()
		c.track("books")
		begun := make(chan error, 1)
		b.do = func() { // no job was found
			one := c.start(Pending)
			go func() { begun <- c.step(t.Context(), one, Pending) }()
			synctest.Wait()
		}
		c.stopUnused()
		c.must(<-begun)
		if !c.tracks("books") {
			t.Error("the source of the job does not track its changes")
		}
	})
}

// I8: a node that lost the index stops nothing, even if it read the record before
// the job of the next node began.
func TestANodeThatLostTheIndexStopsNoTracking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := memory.New(nil)
		b := &asked{Bucket: shared}
		first := newCarrier(t, b, "a")
		first.create()
		first.write("books", `{"id":"1","v":1}`)
		first.track("books")
		var second *carrier
		b.do = func() {
			second = newCarrier(t, shared, "b")
			second.start(Copying)
			second.write("books", `{"id":"1","v":2}`)
		}
		first.stopUnused()
		second.use("books", func(g *generations.Generation) {
			if !g.IsTracking() || g.Backlog() != 1 || g.Err() != nil {
				t.Errorf("the source tracks: %t, %d keys, %v", g.IsTracking(), g.Backlog(), g.Err())
			}
		})
		first.options.Holds = func(registry.ID) bool { return false }
		first.stopUnused()
		if !second.tracks("books") {
			t.Error("it stopped")
		}
	})
}

// J6: a job that another node took over ends here without stopping the tracking
// that it needs there.
func TestAJobThatWasTakenOverStopsNoTracking(t *testing.T) {
	for _, phase := range []Phase{Cancelled, Failed} {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := memory.New(nil)
				first := newCarrier(t, b, "a")
				first.create()
				stale := first.start(Ready)
				second := newCarrier(t, b, "b")
				second.takeAll()
				second.write("books", `{"id":"1","v":2}`)
				first.takeAll() // the index came back
				if err := first.finish(t.Context(), stale, phase, nil); !errors.Is(err, versioned.ErrLost) {
					t.Errorf("the end: %v", err)
				}
				first.use("books", func(g *generations.Generation) {
					if !g.IsTracking() || g.Backlog() != 1 {
						t.Errorf("the source tracks: %t, %d keys", g.IsTracking(), g.Backlog())
					}
				})
			})
		})
	}
}
