package generations

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestHoldWaitsForWritersInsideAndKeepsOthersOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		if in, err := g.enter(t.Context()); !in || err != nil {
			t.Fatal(in, err)
		}
		held := make(chan func())
		go func() {
			release, err := g.hold(t.Context())
			if err != nil {
				t.Error(err)
			}
			held <- release
		}()
		synctest.Wait()
		late := make(chan bool)
		go func() {
			in, err := g.enter(t.Context())
			if err != nil {
				t.Error(err)
			}
			late <- in
		}()
		synctest.Wait()
		select {
		case <-held:
			t.Fatal("held while a writer is inside")
		case <-late:
			t.Fatal("a writer came in under a hold")
		default:
		}
		g.leave()
		release := <-held
		release()
		release()
		if <-late {
			t.Fatal("a writer that waited out a hold must look again")
		}
		if in, _ := g.enter(t.Context()); !in {
			t.Fatal("the gate stays closed")
		}
	})
}

func TestHoldGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		g.enter(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := g.hold(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if in, _ := g.enter(t.Context()); !in {
			t.Fatal("a hold that gave up keeps the gate closed")
		}
		g.leave()
		g.leave()
		if _, err := g.hold(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestHoldsExcludeWriters(t *testing.T) {
	var (
		g       gate
		inside  atomic.Int64
		workers sync.WaitGroup
	)
	for range 8 {
		workers.Go(func() {
			for range 500 {
				in, err := g.enter(t.Context())
				if err != nil || !in {
					continue
				}
				inside.Add(1)
				inside.Add(-1)
				g.leave()
			}
		})
	}
	for range 2 {
		workers.Go(func() {
			for range 100 {
				release, err := g.hold(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Load(); n != 0 {
					t.Errorf("%d writers inside under a hold", n)
				}
				release()
			}
		})
	}
	workers.Wait()
}
