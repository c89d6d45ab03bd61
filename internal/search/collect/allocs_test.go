package collect_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// TestNothingIsAllocatedPerDocument runs the same searches over two segments, one of which has
// eight times the documents of the other: only the search and its answer allocate memory.
func TestNothingIsAllocatedPerDocument(t *testing.T) {
	var snaps []*snapshot.Snapshot
	for i, n := range []int{5_000, 40_000} {
		docs := makeDocuments(rand.New(rand.NewPCG(5, 5)), n, 50)
		snap := snapshot.New(uint64(i+1), []*snapshot.Segment{makeSegment(t, "s", docs, false)}, nil)
		defer snap.Release()
		snaps = append(snaps, snap)
	}
	word := func(w string) plan.Node {
		return &plan.Term{Structure: "text", Text: w, Scoring: &plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}}
	}
	rare := word("wa0")
	phrase := &plan.Phrase{Structure: "text", Scoring: plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}, Words: []plan.PhraseWord{
		{Terms: []string{"wx"}}, {Offset: 1, Terms: []string{"wy"}}}}
	byText := []collect.Key{{Kind: collect.ByText, Structure: "order"}}
	for name, request := range map[string]collect.Request{
		"term":         {Query: word("wx"), Limit: 10, CountTo: 1000},
		"every match":  {Query: word("wx"), Limit: 10, CountTo: collect.Everything},
		"and":          {Query: &plan.And{Clauses: []plan.Node{word("wx"), rare}}, Limit: 10, CountTo: collect.Everything},
		"dense and":    {Query: &plan.And{Clauses: []plan.Node{word("wx"), word("wy")}}, Limit: 10, CountTo: collect.Everything},
		"or":           {Query: &plan.Or{Clauses: []plan.Node{word("wx"), rare, word("wz")}}, Limit: 10, CountTo: 1000},
		"phrase":       {Query: phrase, Limit: 10, CountTo: collect.Everything},
		"sorted":       {Query: word("wx"), Limit: 10, CountTo: collect.Everything, Order: byText},
		"count of or":  {Query: &plan.Or{Clauses: []plan.Node{word("wx"), word("wy")}}, CountTo: collect.Everything},
		"count of and": {Query: &plan.And{Clauses: []plan.Node{word("wx"), rare}}, CountTo: collect.Everything},
	} {
		var allocs [2]float64
		for i, snap := range snaps {
			runner := collect.NewRunner(collect.Options{Threads: -1}, nil)
			runner.AlwaysLeads(1000)
			allocs[i] = fewestAllocs(func() {
				if _, err := runner.Search(snap).Run(context.Background(), &request); err != nil {
					t.Fatal(err)
				}
			})
		}
		if allocs[1] > allocs[0]+4 || allocs[1] > 60 {
			t.Errorf("%s: %v allocations over 5,000 documents, %v over 40,000", name, allocs[0], allocs[1])
		}
		t.Logf("%s: %v and %v", name, allocs[0], allocs[1])
	}
}

// fewestAllocs returns the smallest number of allocations of work over several runs. Garbage
// collections, the race detector, which drops pooled memory, and other work in the process only
// ever add to the number.
func fewestAllocs(work func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	fewest := math.Inf(1)
	for range 50 {
		fewest = min(fewest, testing.AllocsPerRun(1, work))
	}
	return fewest
}
