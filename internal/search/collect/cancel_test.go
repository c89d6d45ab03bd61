package collect_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// ender ends its context with the first matches it receives, and counts the matches that
// follow.
type ender struct {
	end       context.CancelFunc
	prunes    bool
	threshold float64
	after     int // matches received after it had ended
}

func (e *ender) take(n int) bool {
	if e.end != nil {
		e.end()
		e.end = nil
	} else {
		e.after += n
	}
	return true
}

func (e *ender) Take(_ uint32, matched *match.Bits, sums *match.Sums) bool {
	if sums != nil {
		*sums = match.Sums{}
	}
	return e.take(matched.Count())
}

func (e *ender) TakeDocs(docs []uint32, _ []float32) bool {
	return len(docs) == 0 || e.take(len(docs))
}

func (e *ender) Prunes() bool            { return e.prunes }
func (e *ender) Threshold() float64      { return e.threshold }
func (e *ender) SkipsWindow(uint32) bool { return false }

// mostAfter bounds the matches that may follow after a context ended: those of a window, or of
// a group of blocks.
const mostAfter = 32 * 256

// TestScansEndWithTheirContext ends the context of random searches, in every way of matching,
// with their first matches.
func TestScansEndWithTheirContext(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 8))
	docs := makeDocuments(r, 60_000, 50)
	snap := snapshot.New(1, []*snapshot.Segment{makeSegment(t, "s", docs, false)}, nil)
	defer snap.Release()
	ended := 0
	for i := range 150 {
		q := askRandomly(r, docs)
		var filters []plan.Node
		if i%3 == 0 {
			filters = []plan.Node{&plan.NumberRange{Structure: "number", Intervals: []plan.Interval{{Min: 0, Max: r.Int64N(5000)}}}}
		}
		ctx, cancel := context.WithCancel(context.Background())
		view := new(match.View)
		view.Reset(snap, nil, nil)
		view.Prepare(ctx, q.node)
		for _, f := range filters {
			view.Prepare(ctx, f)
		}
		scanner, err := view.Scanner(ctx, 0, q.node, filters, i%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		sink := &ender{end: cancel, prunes: i%5 == 0, threshold: -1}
		err = scanner.Run(ctx, 0, uint32(len(docs)), sink)
		scanner.Close()
		if sink.after > mostAfter {
			t.Errorf("%s, filters %d, prunes %v: %d matches came after the context ended", q.name, len(filters), sink.prunes, sink.after)
		}
		if err != nil {
			ended++
		}
		cancel()
	}
	if ended < 20 {
		t.Errorf("only %d scans ended early", ended)
	}
}

// TestEndedContextRunsNothing runs every kind of request under a context that has already
// ended.
func TestEndedContextRunsNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 8))
	docs := makeDocuments(r, 20_000, 50)
	snap := snapshot.New(1, []*snapshot.Segment{makeSegment(t, "s", docs, true)}, nil)
	defer snap.Release()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	word := func(w string) plan.Node {
		return &plan.Term{Structure: "text", Text: w, Scoring: &plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}}
	}
	nodes := map[string]plan.Node{
		"everything": &plan.Everything{},
		"term":       word("wx"),
		"and":        &plan.And{Clauses: []plan.Node{word("wx"), word("wy")}},
		"or":         &plan.Or{Clauses: []plan.Node{word("wx"), word("wy"), word("wz")}},
		"not":        &plan.Not{Clauses: []plan.Node{word("wx")}},
		"prefix":     nearWord(plan.Expand{Structure: "text", Text: "w", Prefix: true}),
		"phrase": &plan.Phrase{Structure: "text", Scoring: plan.Scoring{Weight: 1}, Words: []plan.PhraseWord{
			{Terms: []string{"wx"}}, {Offset: 1, Terms: []string{"wy"}}}},
		"range": &plan.NumberRange{Structure: "number", Intervals: []plan.Interval{{Min: 10, Max: 4000}}},
	}
	requests := map[string]collect.Request{
		"hits":    {Limit: 10, CountTo: 1000},
		"exact":   {Limit: 10, CountTo: collect.Everything},
		"count":   {CountTo: collect.Everything},
		"sets":    {CountTo: collect.Everything, Sets: true},
		"numbers": {Limit: 10, CountTo: 1000, Order: []collect.Key{{Kind: collect.ByNumber, Structure: "number"}}},
		"texts":   {Limit: 10, CountTo: 1000, Order: []collect.Key{{Kind: collect.ByText, Structure: "order"}}},
		"chain": {Limit: 10, CountTo: 1000, Order: []collect.Key{{Kind: collect.ByNumber, Chain: []collect.Source{
			{Structure: "number", When: word("wz")}}}}},
	}
	for name, node := range nodes {
		for kind, request := range requests {
			request.Query = node
			runner := collect.NewRunner(collect.Options{Threads: -1}, nil)
			result, err := runner.Search(snap).Run(ctx, &request)
			if err == nil && result.Exact && result.Total == 0 {
				t.Errorf("%s, %s: an empty answer is not an answer", name, kind)
			}
			if err == nil && len(result.Hits) > 0 {
				t.Errorf("%s, %s: %d hits after the context ended", name, kind, len(result.Hits))
			}
		}
	}
}
