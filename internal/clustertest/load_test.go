package clustertest

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/registry"
)

// Two nodes hold two indexes each, with both busy ones on one of them, over
// connections that lose requests. A busy index moves to the other node while it is
// written; nothing acknowledged is lost and every token is reached.
func TestABusyIndexIsHandedOver(t *testing.T) {
	moved := 0
	count := 4
	if testing.Short() {
		count = 1
	}
	for seed := range uint64(count) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { moved += handOverByLoad(t, seed) })
	}
	if moved < count/2 {
		t.Errorf("a busy index went to the idle node in %d of %d runs", moved, count)
	}
}

func handOverByLoad(t *testing.T, seed uint64) (moved int) {
	useInstants(t, seed)
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 7))
		store := NewStore(objectGrace, func(why string) { t.Error(why) })
		s := &simulation{store: store, cluster: &cluster{t: t, seed: seed, shared: store, log: slog.New(slog.DiscardHandler)}}
		for _, name := range []string{"m0", "m1"} {
			if !s.add(name, true).start(Faults{}) {
				t.Fatal("a healthy machine does not start")
			}
		}
		var names []registry.Name
		stories := make(map[registry.Name]*story)
		for i := range 4 {
			name := registry.Name{Index: fmt.Sprintf("i%d", i)}
			s.create(s.machines[i/2].process(), name)
			told := newStory()
			names, stories[name] = append(names, name), &told
		}
		busy := names[:2]
		if holder, err := s.writer(t.Context(), s.machines[0].process(), busy[0].Index); err != nil || holder != s.machines[0].process() {
			t.Fatalf("the first machine does not write what it created: %v", err)
		}
		faults := Faults{Unavailable: random.IntN(40), Lost: random.IntN(40), Late: random.IntN(20), Undecided: random.IntN(60)}
		for _, m := range s.machines {
			m.process().link.SetFaults(faults)
		}
		began := time.Now()
		var clients sync.WaitGroup
		for i, name := range busy {
			for j := range 2 {
				own := rand.New(rand.NewPCG(seed, uint64(10+2*i+j)))
				clients.Go(func() {
					for version := 1; time.Since(began) < 150*time.Second; version++ {
						time.Sleep(between(own, 10*time.Millisecond, 200*time.Millisecond))
						key := fmt.Sprintf("c%d-%d", j, own.IntN(8))
						raw := fmt.Sprintf(`{"id":%q,"v":%d}`, key, version)
						ctx, cancel := context.WithTimeout(context.Background(), patience)
						if _, err := s.write(ctx, s.anyProcess(own), name, key, raw); err != nil {
							stories[name].failed(key, raw, err)
						} else {
							stories[name].acknowledged(key, raw)
						}
						cancel()
					}
				})
			}
		}
		clients.Wait()
		for _, m := range s.machines {
			m.process().link.SetFaults(Faults{})
		}
		time.Sleep(time.Minute)
		holders := make(map[*process]bool)
		for _, name := range busy {
			told := stories[name]
			raw := `{"id":"last","v":0}`
			token, err := s.write(t.Context(), s.machines[0].process(), name, "last", raw)
			if err != nil {
				t.Errorf("seed %d: nothing can be written in a healthy world: %v", seed, err)
				continue
			}
			told.acknowledged("last", raw)
			if holder, err := s.writer(t.Context(), s.machines[0].process(), name.Index); err == nil {
				holders[holder] = true
			}
			for _, m := range s.machines {
				shown, err := m.process().read(t.Context(), name, token)
				if err != nil {
					t.Errorf("seed %d: %s: %v", seed, m.name, err)
				}
				for key := range told.known {
					if why := told.wrong(key, shown.documents[key]); why != "" {
						t.Errorf("seed %d: %s %s", seed, m.name, why)
					}
				}
			}
		}
		if len(holders) == 2 {
			moved = 1
		}
		for _, m := range s.machines {
			m.terminate()
		}
		s.gone.Wait()
	})
	return moved
}
