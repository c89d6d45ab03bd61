package collect_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// valueSearch is a search whose hits are variants, and the variants that it matches.
type valueSearch struct {
	request   collect.Request
	documents []func(p *product) bool
	variants  []func(words []string) bool // of the required nested nodes
	expands   func(p *product) bool       // nil: all
}

func valuesRandomly(r *rand.Rand) *valueSearch {
	s := &valueSearch{}
	titleWith := func(scoring *plan.Scoring) wants {
		w := fmt.Sprint("w", int(300*r.Float64()*r.Float64()*r.Float64()))
		return wants{&plan.Term{Structure: layout.Matching("title", ""), Text: w, Scoring: scoring}, func(p *product) bool { return slices.Contains(p.title, w) }}
	}
	scoring := &plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}
	var nodes []plan.Node
	switch r.IntN(5) {
	case 0:
		one := titleWith(scoring)
		nodes, s.documents = append(nodes, one.node), append(s.documents, one.holds)
	case 1:
		one, two := titleWith(scoring), titleWith(scoring)
		nodes = append(nodes, &plan.Or{Clauses: []plan.Node{one.node, two.node}})
		s.documents = append(s.documents, func(p *product) bool { return one.holds(p) || two.holds(p) })
	case 2:
		one, two := titleWith(scoring), titleWith(nil)
		nodes, s.documents = append(nodes, one.node, two.node), append(s.documents, one.holds, two.holds)
	case 3:
		one := titleWith(nil)
		nodes, s.documents = append(nodes, one.node), append(s.documents, one.holds)
	}
	nested := func(scoring *plan.Scoring) *plan.Nested {
		clause, holds := inVariant(r, scoring)
		s.variants = append(s.variants, holds)
		s.documents = append(s.documents, func(p *product) bool { return slices.ContainsFunc(p.variants, holds) })
		return &plan.Nested{Path: "variants", Clause: clause, Fold: plan.Fold(r.IntN(4))}
	}
	for range r.IntN(3) {
		nodes = append(nodes, nested([]*plan.Scoring{nil, scoring}[r.IntN(2)]))
	}
	switch len(nodes) {
	case 0:
	case 1:
		s.request.Query = nodes[0]
	default:
		s.request.Query = &plan.And{Clauses: nodes}
	}
	if r.IntN(3) == 0 {
		s.request.Filters = []plan.Node{nested(nil)}
	}
	s.request.Values = &collect.Values{Path: "variants", Required: plan.RequiredNested("variants", append([]plan.Node{s.request.Query}, s.request.Filters...)...)}
	if r.IntN(3) == 0 {
		when := titleWith(nil)
		s.request.Values.When, s.expands = when.node, when.holds
	}
	return s
}

// wanted returns the hits of a product: its matching variants, or itself.
func (s *valueSearch) wanted(p *product) (hits []uint32, matches bool) {
	if !p.live || slices.ContainsFunc(s.documents, func(holds func(*product) bool) bool { return !holds(p) }) {
		return nil, false
	}
	if s.expands != nil && !s.expands(p) {
		return []uint32{p.number}, true
	}
	first := p.number - uint32(len(p.variants))
	for i, words := range p.variants {
		if !slices.ContainsFunc(s.variants, func(holds func([]string) bool) bool { return !holds(words) }) {
			hits = append(hits, first+uint32(i))
		}
	}
	return hits, true
}

// Hits are values of lists over several windows, in several segments, and are the same however
// much is skipped.
func TestValueHitsOfListsOfEveryLength(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 5))
	products := makeProducts(r, 9_000)
	var segments []*snapshot.Segment
	base := uint32(0)
	for part := range slices.Chunk(products, 5_000) {
		snap := openProducts(t, part)
		for i := range part {
			part[i].number += base
		}
		base += snap.MaxDoc
		segments = append(segments, snap.Segments...)
	}
	snap := snapshot.New(1, segments, nil)
	defer snap.Release()
	for i := range 200 {
		runner := collect.NewRunner(collect.Options{Threads: i % 3, FilterCacheQueries: i%3 - 1}, nil)
		s := valuesRandomly(r)
		var want []uint32
		documents := 0
		for j := range products {
			hits, matches := s.wanted(&products[j])
			want = append(want, hits...)
			if matches {
				documents++
			}
		}
		run := func(limit, countTo int) *collect.Result {
			request := s.request
			request.Limit, request.CountTo = limit, countTo
			result, err := runner.Search(snap).Run(context.Background(), &request)
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
		all := run(len(want)+1, collect.Everything)
		got := make([]uint32, len(all.Hits))
		for j, h := range all.Hits {
			got[j] = h.Doc
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || all.Total != len(want) || !all.Exact || all.Documents != documents {
			t.Fatalf("%d: %d hits (%d counted) of %d documents, want %d of %d\n%+v", i, len(got), all.Total, all.Documents, len(want), documents, s.request)
		}
		for _, countTo := range []int{0, 10, 1000, collect.Everything} {
			few := r.IntN(30)
			some := run(few, countTo)
			best := all.Hits[:min(few, len(all.Hits))]
			if !slices.EqualFunc(best, some.Hits, func(a, b collect.Hit) bool { return a.Doc == b.Doc && a.Parent == b.Parent && a.Score == b.Score }) {
				t.Fatalf("%d: skipping changes the hits:\n%v\n%v\n%+v", i, best, some.Hits, s.request)
			}
			if some.Total > len(want) || some.Exact && some.Total != len(want) || !some.Exact && some.Total < countTo {
				t.Fatalf("%d: counted %d (exact: %v) of %d up to %d", i, some.Total, some.Exact, len(want), countTo)
			}
			if s.expands != nil && some.Documents != documents {
				t.Fatalf("%d: %d documents, want %d", i, some.Documents, documents)
			}
		}
	}
}
