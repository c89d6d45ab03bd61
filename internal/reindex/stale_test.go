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
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// unanswered is a connection that, while off, writes job records without an answer.
type unanswered struct {
	bucket.Bucket
	off atomic.Bool
}

func (u *unanswered) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	written, err := u.Bucket.PutIf(ctx, key, body, condition)
	if u.off.Load() && strings.HasPrefix(key, recordPrefix) {
		return bucket.Written{}, bucket.ErrUnknown
	}
	return written, err
}

// after is a connection that runs a function once a record in some phase is
// written.
type after struct {
	bucket.Bucket
	phase Phase
	do    func()
}

func (a *after) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	written, err := a.Bucket.PutIf(ctx, key, body, condition)
	if content, readErr := body.Read(); err == nil && readErr == nil && a.do != nil && strings.HasPrefix(key, recordPrefix) &&
		strings.Contains(string(content), `"phase":"`+string(a.phase)+`"`) {
		do := a.do
		a.do = nil
		do()
	}
	return written, err
}

// newLocal returns a node that writes every index and shares none.
func newLocal(t *testing.T, b bucket.Bucket) *carrier {
	t.Helper()
	c := newCarrier(t, b, "a")
	c.options.Holds = nil
	return c
}

// fills reports whether a job fills a generation.
func (c *carrier) fills(name string) bool {
	c.Helper()
	fills, err := c.Fills(c.Context(), c.entry(name))
	c.must(err)
	return fills
}

// I16: a node whose copy of the registry is old starts no job that would copy into
// a generation that another node promoted.
func TestAJobIsNotStartedIntoWhatIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		first := newCarrier(t, b, "a")
		first.create()
		first.write("books", `{"id":"1","v":1}`)
		second := newCarrier(t, b, "b")
		first.must(first.registry.Promote(t.Context(), first.entry("books"), first.entry("books@2")))
		_, err := second.Start(t.Context(), Request{Target: second.entry("books@2").Name})
		if !errors.Is(err, problem.ReindexTargetIsLive) {
			t.Errorf("the start: %v", err)
		}
		if second.fills("books@2") {
			t.Error("there is a job")
		}
	})
}

// I16: the job of a node that lost an index ended elsewhere, and another job began
// there. The target of the new job is busy when the index comes back.
func TestANewerJobIsFoundBehindOneThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		first := newCarrier(t, b, "a")
		first.create()
		first.createGeneration("3")
		first.start(Ready)
		second := newCarrier(t, b, "b")
		second.takeAll()
		second.must(second.finish(t.Context(), second.find(second.entry("books").Index), Cancelled, nil))
		second.drop(second.find(second.entry("books").Index))
		_, err := second.Start(t.Context(), Request{Target: second.entry("books@3").Name, Promote: Manual})
		second.must(err)
		first.Lost(first.entry("books").Index)
		first.takeAll()
		if !first.fills("books@3") || first.fills("books@2") {
			t.Errorf("a job fills books@3: %t, books@2: %t", first.fills("books@3"), first.fills("books@2"))
		}
		if byJob, err := first.Promote(t.Context(), first.entry("books@3")); !byJob || !errors.Is(err, problem.ReindexTargetBusy) {
			t.Errorf("the promotion: %t, %v", byJob, err)
		}
	})
}

// I16: the target of a job stays busy while no node runs the job, because the
// outcome of its record is unknown.
func TestTheTargetOfAJobWithoutAnAnswerIsBusy(t *testing.T) {
	for name, open := range map[string]func(*testing.T, bucket.Bucket) *carrier{
		"local": newLocal, "shared": func(t *testing.T, b bucket.Bucket) *carrier { return newCarrier(t, b, "a") },
	} {
		t.Run(name+" start", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &unanswered{Bucket: memory.New(nil)}
				c := open(t, b)
				c.create()
				if c.fills("books@2") {
					t.Error("there is a job already")
				}
				b.off.Store(true)
				if _, err := c.Start(t.Context(), Request{Target: c.entry("books@2").Name}); !errors.Is(err, problem.StorageUnknown) {
					t.Errorf("the start: %v", err)
				}
				b.off.Store(false)
				if !c.fills("books@2") {
					t.Error("the target is free")
				}
				c.sweep(t.Context())
				if c.find(c.entry("books").Index) == nil {
					t.Error("the job is not carried")
				}
			})
		})
		t.Run(name+" step", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &unanswered{Bucket: memory.New(nil)}
				c := open(t, b)
				c.create()
				one := c.start(Ready)
				b.off.Store(true)
				if err := c.catchUp(t.Context(), one); !errors.Is(err, problem.StorageUnknown) {
					t.Errorf("the step: %v", err)
				}
				b.off.Store(false)
				if err := c.catchUp(t.Context(), one); !errors.Is(err, versioned.ErrLost) {
					t.Errorf("the step after it: %v", err)
				}
				c.drop(one)
				if !c.fills("books@2") {
					t.Error("the target is free")
				}
				c.sweep(t.Context())
				if c.find(one.index()) == nil {
					t.Error("the job is not carried")
				}
			})
		})
	}
}

// I16: a job was promoted but its record does not say so. The node that takes it
// over has an old copy of the registry and copies nothing of the source into the
// live generation.
func TestACatchUpBringsNothingIntoWhatIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		first := newCarrier(t, b, "a")
		first.create()
		first.write("books", `{"id":"1","v":1}`)
		one := first.start(Ready)
		first.write("books", `{"id":"1","v":2}`)
		second := newCarrier(t, b, "b")
		first.must(first.move(t.Context(), one))
		first.write("books", `{"id":"1","v":3}`)
		second.must(second.TakeOver(t.Context(), one.index()))
		if err := second.catchUp(t.Context(), second.find(one.index())); !errors.Is(err, problem.IndexGenerationLiveMoved) {
			t.Errorf("the round: %v", err)
		}
		if got := second.read("books@2", "1"); got != `{"id":"1","v":3}` {
			t.Errorf("%s is live", got)
		}
	})
}

// I17: a promotion that another node continues is not reported as refused.
func TestAPromotionThatIsLeftToAnotherNodeIsNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &after{Bucket: memory.New(nil), phase: Promoting}
		first := newCarrier(t, b, "a")
		first.create()
		first.start(Ready)
		second := newCarrier(t, b.Bucket, "b")
		b.do = second.takeAll
		stop := first.run()
		defer stop()
		if byJob, err := first.Promote(t.Context(), first.entry("books@2")); !byJob || !errors.Is(err, problem.StorageUnknown) {
			t.Errorf("the promotion: %t, %v", byJob, err)
		}
		one := second.find(second.entry("books").Index)
		second.must(second.carryOn(t.Context(), one))
		if !second.isPromoted(one) {
			t.Error("the target is not live")
		}
	})
}

// I17: nor is one that the record still asks for.
func TestAPromotionThatCannotBeTakenBackIsNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := &recordless{Bucket: memory.New(nil)}
		b := &after{Bucket: lost, phase: Promoting, do: func() { lost.off.Store(true) }}
		c := newCarrier(t, b, "a")
		c.create()
		c.start(Ready)
		stop := c.run()
		defer stop()
		if byJob, err := c.Promote(t.Context(), c.entry("books@2")); !byJob || !errors.Is(err, problem.StorageUnknown) {
			t.Errorf("the promotion: %t, %v", byJob, err)
		}
	})
}

// recordless is a connection that, while off, neither reads nor writes job records.
type recordless struct {
	bucket.Bucket
	off atomic.Bool
}

func (r *recordless) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if r.off.Load() && strings.HasPrefix(key, recordPrefix) {
		return bucket.Object{}, bucket.ErrUnknown
	}
	return r.Bucket.Get(ctx, key, unless)
}

func (r *recordless) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if r.off.Load() && strings.HasPrefix(key, recordPrefix) {
		return bucket.Written{}, bucket.ErrUnknown
	}
	return r.Bucket.PutIf(ctx, key, body, condition)
}

// I16: two runs of one job on this node would not fence each other. The second
// leaves it to the first.
func TestAJobIsCarriedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		c := newCarrier(t, b, "a")
		c.create()
		one := c.start(Copying)
		c.must(c.Recover(t.Context()))
		if c.find(one.index()) != one {
			t.Error("a job that is carried was taken over at the start")
		}
		c.drop(one)
		moves := c.generations.Moves(one.index())
		moves.Lock()
		go func() { c.must(c.TakeOver(t.Context(), one.index())) }()
		synctest.Wait()
		go c.sweep(t.Context())
		synctest.Wait()
		moves.Unlock()
		synctest.Wait()
		if now := c.find(one.index()); now == nil || now.record().Epoch != 2 {
			t.Error("a job was taken over twice")
		}
	})
}

// createGeneration adds an empty generation to books.
func (c *carrier) createGeneration(name string) {
	c.Helper()
	id := registry.NewID()
	c.must(c.generations.Create(c.Context(), id, c.definition()))
	c.must(c.registry.CreateGeneration(c.Context(), registry.Name{Index: "books", Generation: name}, c.entry("books").Index, id, time.Now()))
}

// A job that waits, for a slot or for its promotion, on a node that lost its index
// does not keep the node from running it when the index comes back.
func TestAJobThatWaitsLearnsThatItWasTakenOver(t *testing.T) {
	for _, phase := range []Phase{Pending, Ready} {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := memory.New(nil)
				first := newCarrier(t, b, "a")
				first.create()
				one := first.start(phase)
				for range cap(first.slots) {
					first.slots <- struct{}{} // other jobs are copying
				}
				stop := first.run()
				defer stop()
				synctest.Wait()
				newCarrier(t, b, "b").takeAll()
				first.takeAll()
				synctest.Wait()
				select {
				case <-one.ended:
				default:
					t.Fatal("it still waits")
				}
				time.Sleep(defaultSweep)
				synctest.Wait()
				if now := first.find(one.index()); now == nil || now.record().Epoch != 3 {
					t.Error("the job is not carried")
				}
			})
		})
	}
}
