package ownership

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// working is a set of nodes that write indexes at given rates.
type working struct {
	*testing.T
	members []*Member
	rates   map[registry.ID]int // writes in each step

	mu    sync.Mutex
	moves int
}

func newWorking(t *testing.T, nodes int) *working {
	w := &working{T: t, rates: make(map[registry.ID]int)}
	b := memory.New(nil)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		m, err := Join(t.Context(), b, Options{Node: name, Address: "http://" + name, Lease: 9 * time.Second, Candidate: true, Clock: clock()}, quiet)
		if err != nil {
			t.Fatal(err)
		}
		m.OnHandover(func(context.Context, registry.ID) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.moves++
		})
		w.members = append(w.members, m)
		running.Go(func() { m.Run(ctx) })
	}
	t.Cleanup(func() { stop(); running.Wait() })
	return w
}

// give makes a node write an index at a rate.
func (w *working) give(node, rate int) registry.ID {
	w.Helper()
	index := registry.NewID()
	if err := w.members[node].Claim(w.Context(), index); err != nil {
		w.Fatal(err)
	}
	w.rates[index] = rate
	return index
}

// moved returns how many indexes were handed over.
func (w *working) moved() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moves
}

// table returns the leadership as a node knows it.
func (m *Member) table() leadership {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held.Value
}

// work makes the holder of every index write it for a while.
func (w *working) work(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; time.Sleep(time.Second) {
		for index, rate := range w.rates {
			for _, m := range w.members {
				if m.Holds(index) {
					for range rate {
						_ = m.Claim(w.Context(), index) // refused while the index is handed over
					}
				}
			}
		}
	}
}

// held returns the indexes of every node, and fails the test unless exactly one
// node writes each index.
func (w *working) held() [][]registry.ID {
	w.Helper()
	var all [][]registry.ID
	seen := make(map[registry.ID]bool)
	for _, m := range w.members {
		if err := m.refresh(w.Context(), 0); err != nil {
			w.Fatal(err)
		}
		for _, index := range m.Held() {
			if seen[index] {
				w.Errorf("%s is held twice", index)
			}
			seen[index] = true
		}
		all = append(all, m.Held())
	}
	if len(seen) != len(w.rates) {
		w.Errorf("%d of %d indexes are held", len(seen), len(w.rates))
	}
	return all
}

// Two nodes write two indexes each. One has both busy ones: it offers one, the
// other takes it and gives an idle one for it. After that nothing moves.
func TestABusyIndexGoesToAnIdleNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorking(t, 2)
		busy := []registry.ID{w.give(0, 20), w.give(0, 20)}
		w.give(1, 0)
		w.give(1, 0)
		w.work(5 * time.Minute)
		held := w.held()
		if slices.Contains(held[0], busy[0]) == slices.Contains(held[0], busy[1]) {
			t.Errorf("one node writes both busy indexes: %v", held)
		}
		if len(held[0]) != 2 || len(held[1]) != 2 {
			t.Errorf("the nodes write %d and %d indexes", len(held[0]), len(held[1]))
		}
		moves := w.moved()
		if moves != 2 {
			t.Errorf("%d indexes moved", moves)
		}
		w.work(30 * time.Minute)
		if w.moved() != moves || !slices.Equal(w.held()[0], held[0]) {
			t.Errorf("indexes go to and fro: %d moves, then %d", moves, w.moved())
		}
	})
}

// A single busy index stays: moving it would make the other node as loaded as this
// one.
func TestASingleBusyIndexStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorking(t, 2)
		w.give(0, 50)
		w.give(1, 0)
		w.work(10 * time.Minute)
		if moves := w.moved(); moves != 0 {
			t.Errorf("%d indexes moved", moves)
		}
	})
}

// An offer taken by a node that is gone is open again, and an offer of a node that
// is gone is forgotten when its claims are taken over.
func TestOffersOfTheGoneAreOpenAgain(t *testing.T) {
	at := time.Duration(0)
	m := &Member{id: "a", options: Options{Address: "http://a", Lease: lease, Clock: func() time.Duration { return at }}, watch: make(watch),
		claimed: map[registry.ID]time.Duration{}, loads: map[registry.ID]load{}, joinedAt: map[string]time.Duration{"b": -time.Hour},
		drain: func(context.Context, registry.ID) {}}
	one, two, three := registry.NewID(), registry.NewID(), registry.NewID()
	table := func() leadership {
		return leadership{
			Sessions: map[string]session{"a": {Node: "a", Address: "http://a"}, "b": {Node: "b", Address: "http://b"}},
			Claims:   map[registry.ID]string{one: "a", two: "a", three: "b"},
		}.clone()
	}
	m.loads[one], m.loads[two] = load{count: 100}, load{count: 100}
	next := table()
	next.Offers[one] = "gone"
	next.Offers[three] = "gone too"
	m.tradeOffers(&next)
	if taker, offered := next.Offers[one]; !offered || taker != "" {
		t.Errorf("an offer whose taker is gone: %q, %t", taker, offered)
	}
	if next.Loads[one] != 7 || next.Loads[two] != 7 {
		t.Errorf("loads %v", next.Loads)
	}
	delete(next.Sessions, "b")
	m.tradeOffers(&next)
	if len(next.Offers) != 0 {
		t.Errorf("no node is left to take %v", next.Offers)
	}
}

// However indexes and loads are spread, trading ends, with no node above its share
// of indexes and no index left that would make loads more alike.
func TestTradingEnds(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 1))
				nodes := 2 + random.IntN(3)
				w := newWorking(t, nodes)
				for range 1 + random.IntN(10) {
					w.give(random.IntN(nodes), 1<<random.IntN(5)-1)
				}
				w.work(30 * time.Minute)
				moves := w.moved()
				w.work(20 * time.Minute)
				if now := w.moved(); now != moves {
					t.Errorf("%d moves became %d", moves, now)
				}
				table := w.members[0].table()
				loads := make(map[string]int)
				for id := range table.Sessions {
					loads[id] = table.loadOf(id)
				}
				share := table.share(slices.Collect(maps.Keys(table.Sessions)))
				for _, held := range w.held() {
					if len(held) > share {
						t.Errorf("a node writes %d indexes, its share is %d", len(held), share)
					}
				}
				for index, holder := range table.Claims {
					for id := range table.Sessions {
						if table.fits(index, holder, id) && len(table.held(id)) <= share-1 {
							t.Errorf("an index of load %d stays although the loads are %v", table.Loads[index], loads)
						}
					}
				}
			})
		})
	}
}

// A stopping node gives back what it took, and gets nothing more.
func TestANodeThatStopsTakesNothing(t *testing.T) {
	index := registry.NewID()
	member := func(id string) *Member {
		return &Member{id: id, options: Options{Address: "http://" + id, Lease: lease, Clock: func() time.Duration { return 0 }}, watch: make(watch),
			claimed: map[registry.ID]time.Duration{}, loads: map[registry.ID]load{}, joinedAt: map[string]time.Duration{"a": -time.Hour, "b": -time.Hour},
			drain: func(context.Context, registry.ID) {}}
	}
	holder, taker := member("a"), member("b")
	holder.loads[index] = load{count: 100}
	next := leadership{
		Sessions: map[string]session{"a": {Node: "a", Address: "http://a"}, "b": {Node: "b", Address: "http://b"}},
		Claims:   map[registry.ID]string{index: "a"}, Loads: map[registry.ID]int{index: 7}, Offers: map[registry.ID]string{index: "b"},
	}
	holder.leaving = &handover{index: index, to: "b", isOffer: true}
	taker.draining = true
	taker.tradeOffers(&next)
	if to := next.Offers[index]; to != "" {
		t.Errorf("%s takes an index", to)
	}
	holder.leaving.drained = true
	holder.moveDrained(&next)
	if next.Claims[index] != "a" {
		t.Error("the index went to a node that stops")
	}
}

// A node that cannot store writes hands everything over to one that can, takes
// nothing, and takes part again when it can.
func TestANodeWithoutRoomHandsEverythingOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		var isFull atomic.Bool
		full, err := Join(t.Context(), b, Options{Node: "a", Address: "http://a", Lease: lease, Candidate: true, Clock: clock()}, quiet)
		if err != nil {
			t.Fatal(err)
		}
		full.OnHandover(func(context.Context, registry.ID) {})
		full.SpaceWhen(func() bool { return !isFull.Load() })
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { full.Run(ctx) })
		defer func() { cancel(); running.Wait() }()
		indexes := []registry.ID{registry.NewID(), registry.NewID(), registry.NewID()}
		for _, index := range indexes {
			if err := full.Claim(t.Context(), index); err != nil {
				t.Fatal(err)
			}
		}
		isFull.Store(true)
		time.Sleep(time.Minute)
		if len(full.Held()) != 3 {
			t.Errorf("without another node it holds %d", len(full.Held()))
		}
		other, _ := join(t, b, "b")
		time.Sleep(time.Minute)
		if len(full.Held()) != 0 || len(other.Held()) != 3 {
			t.Errorf("it holds %d, the other one %d", len(full.Held()), len(other.Held()))
		}
		if err := full.Claim(t.Context(), registry.NewID()); !errors.Is(err, problem.IndexerUnavailable) {
			t.Errorf("a claim: %v", err)
		}
		if address, err := full.Writer(t.Context(), registry.NewID(), "new"); err != nil || address != "http://b" {
			t.Errorf("a creation goes to %q: %v", address, err)
		}
		isFull.Store(false)
		time.Sleep(20 * time.Second)
		if err := full.Claim(t.Context(), registry.NewID()); err != nil {
			t.Errorf("a claim with room again: %v", err)
		}
	})
}
