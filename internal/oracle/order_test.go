package oracle

import (
	"context"
	"fmt"
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
			if r.IntN(2) == 0 {
				key.Required = []*plan.Nested{{Path: "v", Clause: &plan.Term{Structure: "v.tag", Text: "t1"}}}
			}
		case 5:
			key.Kind, key.Structure = collect.ByNumber, "years"
			key.Descending = false // several values: the lowest orders
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

// exactScores replaces the naive scores by those of the engine, whose last
// digit decides an order by score.
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

func position(h collect.Hit) *collect.Position { return h.Position() }

// page walks an order by position cursors, forwards and back again.
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

func TestValueHitsAgree(t *testing.T) {
	runner := collect.NewRunner(collect.Options{}, nil)
	for seed := range runs(t) {
		r := rand.New(rand.NewPCG(uint64(seed), 13))
		var roots []*Document
		for range 1 + r.IntN(60) {
			roots = append(roots, randomDocument(r, true))
		}
		c := NewCollection(roots)
		snap := open(t, r, c)
		inside := &generator{Rand: r, inside: true}
		required := []*plan.Nested{{Path: "v", Clause: inside.node(1)}, {Path: "v", Clause: inside.filter()}}[:r.IntN(3)]
		query := &plan.And{Clauses: []plan.Node{(&generator{Rand: r}).node(1)}}
		for _, n := range required {
			query.Clauses = append(query.Clauses, n)
		}
		order := []collect.Key{{Kind: collect.ByScore, Descending: true}}
		if seed%2 == 0 {
			order = []collect.Key{{Kind: collect.ByNumber, Structure: "v.size", Descending: seed%4 == 0}}
		}
		s := runner.Search(snap)
		result, err := s.Run(context.Background(), &collect.Request{Query: query, Order: order, Limit: 1000, CountTo: collect.Everything, NeedScores: true, Values: &collect.Values{Path: "v", Required: required}})
		if err != nil {
			t.Fatal(err)
		}
		documents := c.Matches(query, nil)
		want := c.Values(documents, "v", required)
		if result.Total != len(want) || result.Documents != len(documents) || len(result.Hits) != len(want) {
			t.Fatalf("seed %d: %d hits of %d documents, want %d of %d\n%s", seed, result.Total, result.Documents, len(want), len(documents), dump(query))
		}
		scores := map[uint32]float64{}
		for _, h := range want {
			scores[uint32(h.Document.Number)] = h.Score
		}
		for _, h := range result.Hits {
			score, ok := scores[h.Doc]
			if !ok || result.Scored && !close64(score, float64(h.Score)) {
				t.Fatalf("seed %d: value %d scores %v, want %v (%v)\n%s", seed, h.Doc, h.Score, score, ok, dump(query))
			}
			if !h.IsItem || h.Parent != uint32(c.All[h.Doc].Parent.Number) {
				t.Fatalf("seed %d: value %d of %d", seed, h.Doc, h.Parent)
			}
		}
		if order[0].Kind == collect.ByNumber {
			if got, want := docs(result.Hits), numbers(c.Sorted(want, order)); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
		}
		snap.Release()
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
