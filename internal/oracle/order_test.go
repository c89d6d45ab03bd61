package oracle

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
)

func randomOrder(r *rand.Rand, nested bool) []collect.Key {
	var order []collect.Key
	for range 1 + r.IntN(3) {
		key := collect.Key{Descending: r.IntN(2) == 0, MissingFirst: r.IntN(2) == 0}
		switch r.IntN(6) {
		case 0:
			key.Kind, key.Structure = collect.ByNumber, "price"
		case 1:
			key.Kind, key.Structure = collect.ByText, "key"
		case 2:
			key = collect.Key{Kind: collect.ByDistance, Structure: "loc", Lat: 1, Lon: 2}
		case 3:
			key.Kind = collect.ByScore
		case 4:
			if !nested {
				continue
			}
			key.Kind, key.Structure, key.List = collect.ByNumber, "v.size", "v"
			key.Required = requirements(r, "v")
		case 5:
			key.Kind, key.Structure = collect.ByNumber, "years"
			key.Descending = false // several values: the lowest determines the order
		}
		order = append(order, key)
	}
	if len(order) == 0 {
		order = []collect.Key{{Kind: collect.ByScore, Descending: true}}
	}
	return order
}

func numbers(hits []Hit) []uint32 {
	all := make([]uint32, len(hits))
	for i, h := range hits {
		all[i] = uint32(h.Document.Number)
	}
	return all
}

func docs(hits []collect.Hit) []uint32 {
	all := make([]uint32, len(hits))
	for i, h := range hits {
		all[i] = h.Doc
	}
	return all
}

// exactScores replaces the naive scores by those of the engine, because the last
// digit can decide an order by score.
func exactScores(t *testing.T, s *collect.Search, query plan.Node, filters []plan.Node, hits []Hit) {
	t.Helper()
	result, err := s.Run(context.Background(), &collect.Request{Query: query, Filters: filters, Limit: len(hits) + 1, CountTo: collect.Everything, NeedScores: true})
	if err != nil {
		t.Fatal(err)
	}
	scores := map[uint32]float32{}
	for _, h := range result.Hits {
		scores[h.Doc] = h.Score
	}
	for i := range hits {
		got, ok := scores[uint32(hits[i].Document.Number)]
		if !ok || result.Scored && !close64(float64(got), hits[i].Score) {
			t.Fatalf("document %d scores %v, want %v", hits[i].Document.Number, got, hits[i].Score)
		}
		hits[i].Score = float64(got)
	}
}

// position returns the position of a hit in the order in which it was found.
func position(h collect.Hit) *collect.Position {
	values := h.Values
	if values == nil { // the score alone orders
		values = []collect.Value{{Float: float64(h.Score)}}
	}
	return &collect.Position{Values: values, Doc: int64(h.Doc)}
}

// page pages through an order by position cursors, forwards and back.
func page(t *testing.T, s *collect.Search, request collect.Request, want []uint32) {
	t.Helper()
	run := func() []collect.Hit {
		result, err := s.Run(context.Background(), &request)
		if err != nil {
			t.Fatal(err)
		}
		return result.Hits
	}
	request.Limit = 1 + len(want)/4
	var seen []uint32
	var last []collect.Hit
	for {
		hits := run()
		if len(hits) == 0 {
			break
		}
		seen = append(seen, docs(hits)...)
		last = hits
		request.After = position(hits[len(hits)-1])
		if len(seen) > len(want) {
			break
		}
	}
	if !slices.Equal(seen, want) {
		t.Fatalf("pages forwards\n%v, want\n%v", seen, want)
	}
	if len(want) == 0 {
		return
	}
	request.After = nil
	back := docs(last)
	request.Before = position(last[0])
	for len(back) <= len(want) {
		hits := run()
		if len(hits) == 0 {
			break
		}
		back = append(docs(hits), back...)
		request.Before = position(hits[0])
	}
	if !slices.Equal(back, want) {
		t.Fatalf("pages backwards\n%v, want\n%v", back, want)
	}
}

func TestOrdersAndCursorsAgree(t *testing.T) {
	runner := collect.NewRunner(collect.Options{Threads: 2}, nil)
	for seed := range runs(t) {
		nested := seed%2 == 1
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		var roots []*Document
		for range 1 + r.IntN(100) {
			roots = append(roots, randomDocument(r, nested))
		}
		c := NewCollection(roots)
		snap := open(t, r, c)
		g := &generator{Rand: r, nested: nested}
		for i := range 4 {
			query, order := g.node(2), randomOrder(r, nested)
			ok := t.Run(fmt.Sprintf("seed %d query %d", seed, i), func(t *testing.T) {
				s := runner.Search(snap)
				hits := c.Matches(query, nil)
				exactScores(t, s, query, nil, hits)
				want := numbers(c.Sorted(hits, order))
				page(t, s, collect.Request{Query: query, Order: order, CountTo: 0}, want)
				page(t, s, collect.Request{Query: query, Order: order, CountTo: collect.Everything}, want)
			})
			if !ok {
				t.Fatalf("order %+v\n%s", order, dump(query))
			}
		}
		snap.Release()
	}
}

// requirements returns up to two nodes that one value of a list has to satisfy.
func requirements(r *rand.Rand, list string) []*plan.Nested {
	inside := &generator{Rand: r, list: list}
	return []*plan.Nested{{Path: list, Clause: inside.node(1)}, {Path: list, Clause: inside.filter()}}[:r.IntN(3)]
}

// TestValueHitsAgree compares list values as hits, mixed hits, their pages and the
// matched values of documents with the naive search.
func TestValueHitsAgree(t *testing.T) {
	runner := collect.NewRunner(collect.Options{Threads: 2}, nil)
	for seed := range runs(t) {
		r := rand.New(rand.NewPCG(uint64(seed), 13))
		var roots []*Document
		for range 1 + r.IntN(60) {
			roots = append(roots, randomDocument(r, true))
		}
		for i := 0; seed%15 == 0 && i < len(roots); i += 1 + r.IntN(20) {
			for range r.IntN(6000) { // more than a window holds
				roots[i].Children = append(roots[i].Children, randomValue(r))
			}
		}
		c := NewCollection(roots)
		snap := open(t, r, c)
		values := &collect.Values{Path: []string{"v", "w"}[r.IntN(5)/4]}
		values.Required = requirements(r, values.Path)
		query := &plan.And{Clauses: []plan.Node{(&generator{Rand: r, nested: seed%3 == 0}).node(1)}}
		for _, n := range values.Required {
			query.Clauses = append(query.Clauses, n)
		}
		order := []collect.Key{{Kind: collect.ByScore, Descending: true}}
		switch {
		case seed%4 == 3:
			values.When = (&generator{Rand: r}).filter()
		case seed%2 == 0 && values.Path == "v":
			order = []collect.Key{{Kind: collect.ByNumber, Structure: "v.size", Descending: seed%4 == 0}}
		}
		ok := t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			s := runner.Search(snap)
			checkValues(t, s, c, &collect.Request{Query: query, Order: order, Limit: len(c.All), CountTo: collect.Everything, NeedScores: true, Values: values})
			checkMatched(t, s, c, values.Path, values.Required)
		})
		if !ok {
			t.Fatalf("values %+v\n%s", values, dump(query))
		}
		snap.Release()
	}
}

func checkValues(t *testing.T, s *collect.Search, c *Collection, request *collect.Request) {
	t.Helper()
	result, err := s.Run(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	values := request.Values
	documents := c.Matches(request.Query, nil)
	want := c.Values(documents, values.Path, values.Required)
	if values.When != nil {
		want = c.Mixed(documents, values.Path, values.Required, values.When)
	}
	if result.Total != len(want) || result.Documents != len(documents) || len(result.Hits) != len(want) {
		t.Fatalf("%d hits of %d documents, want %d of %d", result.Total, result.Documents, len(want), len(documents))
	}
	scores := map[uint32]float64{}
	for _, h := range want {
		scores[uint32(h.Document.Number)] = h.Score
	}
	for i, h := range result.Hits {
		score, ok := scores[h.Doc]
		if !ok || result.Scored && !close64(score, float64(h.Score)) {
			t.Fatalf("hit %d scores %v, want %v (%v)", h.Doc, h.Score, score, ok)
		}
		of := c.All[h.Doc]
		if h.IsItem != (of.List != "") || h.Parent != uint32(of.Parent.Number) {
			t.Fatalf("hit %d of %d", h.Doc, h.Parent)
		}
		if i > 0 && request.Order[0].Kind == collect.ByScore && result.Hits[i-1].Score == h.Score && result.Hits[i-1].Doc > h.Doc {
			t.Fatalf("equal hits %d and %d out of order", result.Hits[i-1].Doc, h.Doc)
		}
		if i > 0 && request.Order[0].Kind == collect.ByScore && result.Scored && result.Hits[i-1].Score < h.Score {
			t.Fatalf("hits %d and %d out of order", result.Hits[i-1].Doc, h.Doc)
		}
	}
	whole := docs(result.Hits)
	if request.Order[0].Kind == collect.ByNumber {
		if want := numbers(c.Sorted(want, request.Order)); !slices.Equal(whole, want) {
			t.Fatalf("%v, want %v", whole, want)
		}
	}
	page(t, s, *request, whole)
	for _, limit := range []int{0, 1, 3, len(whole)} {
		few := *request
		few.Limit, few.CountTo, few.NeedScores = limit, limit/2, false
		got, err := s.Run(context.Background(), &few)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(docs(got.Hits), whole[:min(limit, len(whole))]) {
			t.Fatalf("the first %d are %v, want those of %v", limit, docs(got.Hits), whole)
		}
		if got.Total > len(whole) || got.Exact && got.Total != len(whole) || got.Total < min(few.CountTo, len(whole)) {
			t.Fatalf("total %d (exact %v) of %d", got.Total, got.Exact, len(whole))
		}
	}
	page(t, s, collect.Request{Query: request.Query, Order: request.Order, Values: request.Values}, whole)
}

// checkMatched compares the matched values of every document, best first, and the
// set of all of them.
func checkMatched(t *testing.T, s *collect.Search, c *Collection, path string, required []*plan.Nested) {
	t.Helper()
	var roots []Hit
	var all []uint32
	for _, d := range c.All {
		if d.List == "" && !d.Deleted {
			roots, all = append(roots, Hit{Document: d}), append(all, uint32(d.Number))
		}
	}
	found, err := s.MatchedValues(context.Background(), path, required, all)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := s.ValueSets(context.Background(), path, required)
	if err != nil {
		t.Fatal(err)
	}
	inSets := 0
	for _, set := range sets {
		inSets += int(set.Count())
	}
	for i, root := range roots {
		want := c.Values([]Hit{root}, path, required)
		if len(found[i]) != len(want) {
			t.Fatalf("document %d: %d matched values, want %d", all[i], len(found[i]), len(want))
		}
		inSets -= len(want)
		slices.SortStableFunc(want, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
		for j, value := range found[i] {
			at := slices.IndexFunc(want, func(h Hit) bool { return uint32(h.Document.Number) == value })
			if at < 0 || !close64(want[at].Score, want[j].Score) {
				t.Fatalf("document %d: value %d stands at %d", all[i], value, j)
			}
		}
	}
	if inSets != 0 {
		t.Fatalf("the sets hold %d values more than documents have", inSets)
	}
}

func TestExplanationsAddUp(t *testing.T) {
	runner := collect.NewRunner(collect.Options{}, nil)
	for seed := range runs(t) / 3 {
		r := rand.New(rand.NewPCG(uint64(seed), 17))
		var roots []*Document
		for range 1 + r.IntN(40) {
			roots = append(roots, randomDocument(r, true))
		}
		c := NewCollection(roots)
		snap := open(t, r, c)
		query := (&generator{Rand: r, nested: true}).node(3)
		s := runner.Search(snap)
		var all []uint32
		for _, d := range c.All {
			if d.List != "" {
				continue
			}
			all = append(all, uint32(d.Number))
			step, err := s.Explain(context.Background(), query, uint32(d.Number))
			if err != nil {
				t.Fatal(err)
			}
			matched, score := c.Match(query, d)
			if step.Matched != matched || !close64(step.Score, score) {
				t.Fatalf("seed %d document %d: %v %v, want %v %v\n%s", seed, d.Number, step.Matched, step.Score, matched, score, dump(query))
			}
			if d.Deleted {
				continue // its list values are gone
			}
			if err := addsUp(step); err != nil {
				t.Fatalf("seed %d document %d: %v\n%s", seed, d.Number, err, dump(query))
			}
		}
		matches, err := s.Matches(context.Background(), query, all)
		if err != nil {
			t.Fatal(err)
		}
		for i, number := range all {
			matched, score := c.Match(query, c.All[number])
			if matches[i].Matched != matched || !close64(float64(matches[i].Score), score) {
				t.Fatalf("seed %d document %d: %+v, want %v %v", seed, number, matches[i], matched, score)
			}
		}
		snap.Release()
	}
}

// addsUp checks every step of an explanation against the steps below it.
func addsUp(step *collect.Step) error {
	sum, best, lowest := 0.0, 0.0, math.Inf(1)
	_, isFuse := step.Node.(*plan.Fuse)
	for _, child := range step.Children {
		inner := child
		if isFuse {
			inner = child.Children[0] // a ranking contributes by its rank, whatever its clause scores
		}
		if err := addsUp(inner); err != nil {
			return err
		}
		sum, best, lowest = sum+child.Score, max(best, child.Score), min(lowest, child.Score)
	}
	for _, filter := range step.Filters {
		if err := addsUp(filter); err != nil {
			return err
		}
		if step.Matched && !filter.Matched {
			return fmt.Errorf("%T matches, its filter %s does not", step.Node, dump(filter.Node))
		}
	}
	if !step.Matched {
		if step.Score != 0 {
			return fmt.Errorf("%T does not match and scores %v", step.Node, step.Score)
		}
		return nil
	}
	want := step.Score
	switch n := step.Node.(type) {
	case *plan.And, *plan.Or, *plan.Fuse:
		want = sum
	case *plan.Best:
		want = best
	case *plan.Not:
		want = 0
	case *plan.Scale:
		want = n.Weight * sum
	case *plan.Constant:
		want = n.Score
	case *plan.Nested:
		want = []float64{plan.FoldMax: best, plan.FoldMin: lowest, plan.FoldAvg: sum / float64(step.Detail.Values), plan.FoldTotal: sum}[n.Fold]
	}
	if !close64(step.Score, want) {
		return fmt.Errorf("%T scores %v, what is below it makes %v", step.Node, step.Score, want)
	}
	return nil
}
