package collect_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// Searching ranges of segments concurrently gives the same hits, counts and sets as searching
// one after another, also among equal hits, from any position and in any order.
func TestRangesFindTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 23))
	docs, few := makeDocuments(r, 26_000, 40), makeDocuments(r, 5_000, 40)
	snap := snapshot.New(1, []*snapshot.Segment{makeSegment(t, "few", few, true), makeSegment(t, "many", docs, true), makeSegment(t, "again", docs, false)}, nil)
	defer snap.Release()
	alone := collect.NewRunner(collect.Options{Threads: -1}, nil)
	for i := range 250 {
		runner := collect.NewRunner(collect.Options{Threads: 1 + i%4}, nil)
		runner.AlwaysHelp()
		q := askRandomly(r, docs)
		request := collect.Request{Query: q.node, Limit: r.IntN(12), CountTo: []int{1, 100, collect.Everything}[r.IntN(3)], Sets: r.IntN(3) == 0}
		if r.IntN(3) == 0 {
			request.Filters = []plan.Node{&plan.NumberRange{Structure: "number", Intervals: []plan.Interval{{Min: 0, Max: r.Int64N(5000)}}}}
		}
		switch r.IntN(4) {
		case 0:
			request.Order = []collect.Key{{Kind: collect.ByText, Structure: "order", Descending: r.IntN(2) == 0}}
		case 1:
			request.Order = []collect.Key{{Kind: collect.ByScore}, {Kind: collect.ByNumber, Structure: "number"}}
		case 2:
			request.Query = &plan.Scale{Weight: 0, Clause: q.node}
		}
		compareRuns(t, q.name, alone, runner, snap, request)
		if hits := mustRun(t, alone, snap, request).Hits; len(hits) > 1 {
			hit := hits[len(hits)/2]
			position := &collect.Position{Values: hit.Values, Doc: int64(hit.Doc)}
			if hit.Values == nil {
				position.Values = []collect.Value{{Float: float64(hit.Score)}}
			}
			request.After = position
			compareRuns(t, q.name+" after", alone, runner, snap, request)
			request.After, request.Before = nil, position
			compareRuns(t, q.name+" before", alone, runner, snap, request)
		}
	}
}

func compareRuns(t *testing.T, name string, alone, runner *collect.Runner, snap *snapshot.Snapshot, request collect.Request) {
	t.Helper()
	want, got := mustRun(t, alone, snap, request), mustRun(t, runner, snap, request)
	if !reflect.DeepEqual(want.Hits, got.Hits) {
		t.Fatalf("%s: hits of ranges\n%v\nwant\n%v", name, got.Hits, want.Hits)
	}
	if want.Exact && got.Exact && want.Total != got.Total || request.CountTo == collect.Everything && !got.Exact || !got.Exact && got.Total < request.CountTo {
		t.Fatalf("%s: %d matches (exact: %v) in ranges, want %d (exact: %v)", name, got.Total, got.Exact, want.Total, want.Exact)
	}
	for i, set := range want.Sets {
		if !reflect.DeepEqual(set.Bits().Words(), got.Sets[i].Bits().Words()) {
			t.Fatalf("%s: the sets of segment %d differ", name, i)
		}
	}
}

func mustRun(t *testing.T, runner *collect.Runner, snap *snapshot.Snapshot, request collect.Request) *collect.Result {
	t.Helper()
	search := runner.Search(snap)
	defer search.Close()
	result, err := search.Run(context.Background(), &request)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A search thread is idle only if its core is: running searches need theirs.
func TestThreadsAreIdleCores(t *testing.T) {
	runner := collect.NewRunner(collect.Options{Threads: 3}, nil)
	if idle := runner.Idle(0); idle != 3 {
		t.Errorf("%d threads are idle at rest, want 3", idle)
	}
	for running, want := range map[int]int{1: 3, 2: 2, 3: 1, 4: 0, 9: 0} {
		if idle := runner.Idle(running); idle != want {
			t.Errorf("%d threads are idle beside %d searches, want %d", idle, running, want)
		}
	}
}
