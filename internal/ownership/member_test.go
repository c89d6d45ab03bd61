package ownership

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

const lease = 10 * time.Second

var quiet = slog.New(slog.DiscardHandler)

func clock() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}

// join begins a session whose rounds continue until the returned function is
// called, as if the node crashed.
func join(t *testing.T, b bucket.Bucket, node string) (*Member, func()) {
	t.Helper()
	m, err := Join(t.Context(), b, Options{Node: node, Address: "http://" + node, Lease: lease, Candidate: true, Reclaim: true, Clock: clock()}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx) })
	stop := func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return m, stop
}

// F15: of several concurrent claims one wins.
func TestOneOfManyClaimsWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, index := memory.New(nil), registry.NewID()
		var members []*Member
		for _, node := range []string{"a", "b", "c", "d"} {
			m, _ := join(t, b, node)
			members = append(members, m)
		}
		results := make([]error, len(members))
		var group sync.WaitGroup
		for i, m := range members {
			group.Go(func() { results[i] = m.Claim(t.Context(), index) })
		}
		group.Wait()
		winners := 0
		for i, err := range results {
			switch {
			case err == nil:
				winners++
				if !members[i].Holds(index) {
					t.Error("the winner does not hold it")
				}
			case !errors.Is(err, problem.IndexerUnavailable) && !errors.Is(err, problem.StorageConflict):
				t.Error(err)
			}
		}
		if winners != 1 {
			t.Errorf("%d won", winners)
		}
	})
}

func TestAClaimOfADeadSessionIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, index := memory.New(nil), registry.NewID()
		first, stop := join(t, b, "a")
		second, _ := join(t, b, "b")
		var gained []registry.ID
		var mu sync.Mutex
		second.OnChange(func(g, _ []registry.ID) { mu.Lock(); gained = append(gained, g...); mu.Unlock() })
		if err := first.Claim(t.Context(), index); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * lease)
		if second.Holds(index) || first.Doubt() {
			t.Error("a session that beats was taken over or doubts")
		}
		stop()
		died := time.Now()
		for !second.Holds(index) {
			time.Sleep(100 * time.Millisecond)
			if time.Since(died) > 3*lease {
				t.Fatal("no node took over")
			}
		}
		if took := time.Since(died); took < lease*2/3 {
			t.Errorf("taken over after %s", took)
		}
		if !first.Doubt() {
			t.Error("a holder whose beats stopped does not doubt")
		}
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(gained, index) {
			t.Error("no callback was called")
		}
	})
}

func TestARestartReclaimsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, index := memory.New(nil), registry.NewID()
		first, stop := join(t, b, "a")
		if err := first.Claim(t.Context(), index); err != nil {
			t.Fatal(err)
		}
		stop()
		again, _ := join(t, b, "a")
		if !again.Holds(index) {
			t.Error("the same node does not have its claims back")
		}
		if held, err := first.Confirm(t.Context(), index); held || err != nil {
			t.Errorf("the run before holds it still (%v)", err)
		}
	})
}

// Two nodes of one name end each other's session with every beat. Both say so; a
// node that restarts under its name is not meant.
func TestNodesOfOneNameAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		start := func(address string) (log *strings.Builder, stop func()) {
			log = &strings.Builder{}
			m, err := Join(t.Context(), b, Options{Node: "a", Address: address, Lease: lease, Candidate: true, Reclaim: true, Clock: clock()},
				slog.New(slog.NewTextHandler(log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			var running sync.WaitGroup
			running.Go(func() { m.Run(ctx) })
			return log, func() { cancel(); running.Wait() }
		}
		_, kill := start("http://one")
		time.Sleep(lease)
		kill()
		first, stopFirst := start("http://two")
		time.Sleep(2 * lease)
		if strings.Contains(first.String(), "same name") {
			t.Errorf("a restart logged %s", first)
		}
		second, stopSecond := start("http://three")
		time.Sleep(2 * lease)
		stopFirst()
		stopSecond()
		for log, other := range map[*strings.Builder]string{first: "other=http://three", second: "other=http://two"} {
			if strings.Count(log.String(), "another node has the same name") != 1 || !strings.Contains(log.String(), other) {
				t.Errorf("logged %s, want %s", log, other)
			}
		}
	})
}

func TestLeavingGivesUpClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, index := memory.New(nil), registry.NewID()
		first, stop := join(t, b, "a")
		second, _ := join(t, b, "b")
		if err := first.Claim(t.Context(), index); err != nil {
			t.Fatal(err)
		}
		if err := second.Claim(t.Context(), index); !errors.Is(err, problem.IndexerUnavailable) {
			t.Errorf("a held index was claimed: %v", err)
		}
		first.Drain()
		if err := first.Claim(t.Context(), registry.NewID()); !errors.Is(err, problem.IndexReadonly) {
			t.Errorf("a draining node claims: %v", err)
		}
		stop()
		if err := first.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := second.Claim(t.Context(), index); err != nil {
			t.Error(err)
		}
	})
}

// OW4: a leadership that is away or gone takes no claim from any node.
func TestALeadershipThatIsAwayChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under, index := memory.New(nil), registry.NewID()
		b := faultbucket.New(under, nil)
		m, _ := join(t, b, "a")
		if err := m.Claim(t.Context(), index); err != nil {
			t.Fatal(err)
		}
		b.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Unavailable })
		time.Sleep(10 * lease)
		if !m.Holds(index) || !m.Doubt() {
			t.Error("the claim was dropped, or is not doubted")
		}
		b.SetPlan(nil)
		if _, err := under.Delete(t.Context(), objectKey, bucket.Always); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * lease)
		if held, err := m.Confirm(t.Context(), index); !held || err != nil {
			t.Errorf("after the object was lost: %v %v", held, err)
		}
		if m.Doubt() {
			t.Error("it doubts although it beats")
		}
	})
}

// Indexes are spread over the nodes, those with the fewest writes first, each
// drained before it moves.
func TestIndexesAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		clock := func() time.Duration { return time.Since(time.Unix(0, 0)) }
		join := func(name string) *Member {
			m, err := Join(t.Context(), b, Options{Node: name, Address: "http://" + name, Lease: 9 * time.Second, Candidate: true, Clock: clock}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		one := join("one")
		all := make([]registry.ID, 5)
		for i := range all {
			all[i] = registry.NewID()
			if err := one.Claim(t.Context(), all[i]); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 { // the first is busy
			if err := one.Claim(t.Context(), all[0]); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		var drained []registry.ID
		one.OnHandover(func(_ context.Context, index registry.ID) {
			if err := one.Claim(context.Background(), index); !errors.Is(err, problem.IndexReadonly) {
				t.Errorf("a write to an index that is handed over: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			drained = append(drained, index)
		})
		two := join("two")
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { one.Run(ctx) })
		running.Go(func() { two.Run(ctx) })
		time.Sleep(2 * time.Minute)
		stop()
		running.Wait()
		if len(one.Held()) != 3 || len(two.Held()) != 2 || len(drained) != 2 {
			t.Errorf("one node holds %d, the other %d, %d were drained", len(one.Held()), len(two.Held()), len(drained))
		}
		if !one.Holds(all[0]) {
			t.Error("the busy index was handed over")
		}
		if err := one.Claim(t.Context(), two.Held()[0]); !errors.Is(err, problem.IndexerUnavailable) {
			t.Errorf("a write to an index that went: %v", err)
		}
	})
}

// A stopping node does not end the session of a crashed one: its claims go to a
// node that stays.
func TestANodeThatStopsEndsNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, index := memory.New(nil), registry.NewID()
		gone, kill := join(t, b, "a")
		if err := gone.Claim(t.Context(), index); err != nil {
			t.Fatal(err)
		}
		stopping, _ := join(t, b, "b")
		stopping.Drain()
		kill()
		time.Sleep(3 * lease)
		stays, _ := join(t, b, "c")
		time.Sleep(3 * lease)
		if !stays.Holds(index) {
			t.Error("no node took the index over")
		}
	})
}

// distant is a bucket whose every request takes a while.
type distant struct{ bucket.Bucket }

func (d distant) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	time.Sleep(10 * time.Millisecond)
	return d.Bucket.Get(ctx, key, unless)
}

func (d distant) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	time.Sleep(10 * time.Millisecond)
	return d.Bucket.PutIf(ctx, key, body, condition)
}

// Nodes that began together read and replace the leadership at the same moments.
// One of them wins each time; the others still keep their leases.
func TestNodesThatBeatTogetherKeepTheirLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const nodes = 12
		b := distant{memory.New(nil)}
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		var members []*Member
		for i := range nodes {
			name := fmt.Sprintf("n%d", i)
			m, err := Join(t.Context(), b, Options{Node: name, Address: "http://" + name, Lease: lease, Candidate: true, Clock: clock()}, quiet)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, m)
		}
		for _, m := range members {
			running.Go(func() { m.Run(ctx) })
		}
		for range 40 {
			time.Sleep(lease)
			for _, m := range members {
				if m.Doubt() {
					t.Fatalf("%s did not beat for a lease", m.options.Node)
				}
			}
			if lives := len(members[0].table().Sessions); lives != nodes {
				t.Fatalf("%d of %d sessions are left", lives, nodes)
			}
		}
	})
}
