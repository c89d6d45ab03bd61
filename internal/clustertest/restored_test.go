package clustertest

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// F27: an index that a client restored has no live generation until one is
// promoted, but it exists. A repair of a lost registry that promotes one while a
// delete or creation is refused is not mistaken for that request (seeds 900745 and
// 906296).
func TestAnIndexExistsWithoutALiveGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := simulationOfOne(t)
		ctx, name := context.Background(), registry.Name{Index: "temporary"}
		s.create(p, name)
		if s.live(ctx, p, name, 1) == (life{}) {
			t.Fatal("nothing was written")
		}
		before := s.existing(name)
		if err := s.attempt("delete", name, false, func() error { return p.node.Delete(ctx, name) }); err != nil {
			t.Fatal(err)
		}
		repair := func(request registry.RepairRequest) {
			t.Helper()
			s.store.Repair(func() {
				if _, err := p.node.RepairRegistry(ctx, request); err != nil {
					t.Error(err)
				}
			})
		}
		repair(registry.RepairRequest{Restore: []registry.Name{name}})
		if now := s.existing(name); now.IsZero() || now != before || !s.idOf(name).IsZero() {
			t.Errorf("it was %s and is %s", before, now)
		}
		_ = s.attempt("delete", name, false, func() error {
			s.store.Lose("registry")
			repair(registry.RepairRequest{PromoteNewest: true})
			return problem.StorageIoError.New("resource", "registry")
		})
		if s.idOf(name).IsZero() {
			t.Error("nothing was promoted")
		}
	})
}

// F27: while a client restores an index, which promotes nothing, the registry is
// not lost. A repair that writes it afresh would leave every index without a live
// generation (seed 901774).
func TestTheRegistryIsNotLostWhileAnIndexIsRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := simulationOfOne(t)
		time.Sleep(30 * time.Second) // the machine notes the registry
		losses := func() (count int) {
			for seed := range uint64(40) {
				if slices.Contains(s.loss(rand.New(rand.NewPCG(seed, 0))), "registry") {
					count++
				}
			}
			return count
		}
		if losses() == 0 {
			t.Error("the registry is never lost")
		}
		s.store.Repair(func() {
			if got := losses(); got > 0 {
				t.Errorf("the registry is lost %d times of 40", got)
			}
		})
	})
}

// simulationOfOne returns a simulation of one machine that wrote books, without
// faults.
func simulationOfOne(t *testing.T) (*simulation, *process) {
	t.Helper()
	store := NewStore(objectGrace, func(why string) { t.Error(why) })
	s := &simulation{story: newStory(), store: store, cluster: &cluster{t: t, shared: store, log: slog.New(slog.DiscardHandler)}}
	one := s.add("m0", true)
	if !one.start(Faults{}) {
		t.Fatal("the machine does not start")
	}
	t.Cleanup(func() { one.terminate(); s.gone.Wait() })
	s.create(one.process(), books)
	return s, one.process()
}
