package collect_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// Lists of every length, some over several windows, in a segment large enough for every way of
// matching them.

type product struct {
	title    []string
	variants [][]string
	number   uint32
	live     bool
}

func makeProducts(r *rand.Rand, n int) []product {
	text := func(most int) []string {
		var words []string
		for range r.IntN(most + 1) {
			words = append(words, fmt.Sprint("w", int(300*r.Float64()*r.Float64()*r.Float64())))
		}
		return words
	}
	products := make([]product, n)
	for i := range products {
		p := &products[i]
		p.title, p.live = text(6), r.IntN(8) > 0
		count := r.IntN(6)
		if i == n/3 || i == n/2 {
			count = 9000
		}
		for range count {
			p.variants = append(p.variants, text(4))
		}
	}
	return products
}

func openProducts(t *testing.T, products []product) *snapshot.Snapshot {
	fs := vfs.Memory()
	b := segment.NewBuilder()
	words := segment.FieldOptions{Kind: segment.Terms, Freqs: true, Positions: true, Lengths: true}
	field := func(name string, o segment.FieldOptions) segment.FieldID {
		o.Name = name
		return b.Field(o)
	}
	title, text := field(layout.Matching("title", ""), words), field(layout.Matching("variants.text", ""), words)
	lists := field(layout.Lists, segment.FieldOptions{Kind: segment.Terms})
	write := func(id segment.FieldID, all []string) {
		for i, w := range all {
			b.Term(id, []byte(w), uint32(i))
		}
		if len(all) > 0 {
			b.Length(id, uint32(len(all)))
		}
	}
	number := uint32(0)
	var dead [][2]uint32
	for i := range products {
		p := &products[i]
		first := number
		for _, v := range p.variants {
			b.StartDoc()
			b.Term(lists, []byte("variants"), 0)
			write(text, v)
			b.EndDoc(false)
			number++
		}
		b.StartDoc()
		write(title, p.title)
		b.EndDoc(true)
		p.number = number
		number++
		if !p.live {
			dead = append(dead, [2]uint32{first, number})
		}
	}
	if _, err := b.Finish(fs, "products"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, "products", blockfile.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	live := bitset.NewFull(number)
	for _, d := range dead {
		for doc := d[0]; doc < d[1]; doc++ {
			live.Clear(doc)
		}
	}
	return snapshot.New(1, []*snapshot.Segment{snapshot.NewSegment(reader, live, nil, nil)}, nil)
}

// wants is a node and the products that it matches.
type wants struct {
	node  plan.Node
	holds func(p *product) bool
}

// inVariant is a clause over variants and the variants that it matches.
func inVariant(r *rand.Rand, scoring *plan.Scoring) (plan.Node, func(words []string) bool) {
	word := func() string { return fmt.Sprint("w", int(300*r.Float64()*r.Float64()*r.Float64())) }
	term := func(w string, s *plan.Scoring) plan.Node {
		return &plan.Term{Structure: layout.Matching("variants.text", ""), Text: w, Scoring: s}
	}
	one, two := word(), word()
	switch r.IntN(5) {
	case 0:
		return term(one, scoring), func(words []string) bool { return slices.Contains(words, one) }
	case 1:
		return &plan.And{Clauses: []plan.Node{term(one, scoring), term(two, nil)}}, func(words []string) bool {
			return slices.Contains(words, one) && slices.Contains(words, two)
		}
	case 2:
		return &plan.Or{Clauses: []plan.Node{term(one, scoring), term(two, scoring)}}, func(words []string) bool {
			return slices.Contains(words, one) || slices.Contains(words, two)
		}
	case 3:
		return &plan.And{Clauses: []plan.Node{term(one, scoring), &plan.Not{Clauses: []plan.Node{term(two, nil)}}}}, func(words []string) bool {
			return slices.Contains(words, one) && !slices.Contains(words, two)
		}
	}
	return &plan.And{Clauses: []plan.Node{&plan.Not{Clauses: []plan.Node{term(one, nil)}}}, Optional: []plan.Node{term(two, scoring)}},
		func(words []string) bool { return !slices.Contains(words, one) }
}

func wantRandomly(r *rand.Rand) wants {
	scoring := &plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}
	nested := func(s *plan.Scoring) wants {
		clause, holds := inVariant(r, s)
		return wants{&plan.Nested{Path: "variants", Clause: clause, Fold: plan.Fold(r.IntN(4))}, func(p *product) bool {
			return slices.ContainsFunc(p.variants, holds)
		}}
	}
	title := func() wants {
		w := fmt.Sprint("w", int(300*r.Float64()*r.Float64()))
		return wants{&plan.Term{Structure: layout.Matching("title", ""), Text: w, Scoring: scoring}, func(p *product) bool { return slices.Contains(p.title, w) }}
	}
	all := func(parts ...wants) wants {
		and := &plan.And{}
		for _, p := range parts {
			and.Clauses = append(and.Clauses, p.node)
		}
		return wants{and, func(p *product) bool {
			return !slices.ContainsFunc(parts, func(w wants) bool { return !w.holds(p) })
		}}
	}
	switch r.IntN(7) {
	case 0:
		return nested(scoring)
	case 1:
		return all(title(), nested(nil))
	case 2:
		return all(title(), nested(scoring))
	case 3:
		return all(nested(scoring), nested(scoring))
	case 4:
		return all(nested(scoring), nested(nil), title())
	case 5:
		inner := nested(scoring)
		inner.node = &plan.Scale{Weight: 2.5, Clause: inner.node}
		return inner
	}
	one, two := title(), nested(scoring)
	return wants{&plan.Or{Clauses: []plan.Node{one.node, two.node}}, func(p *product) bool { return one.holds(p) || two.holds(p) }}
}

func TestListsOfEveryLength(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 4))
	products := makeProducts(r, 12_000)
	snap := openProducts(t, products)
	defer snap.Release()
	for i := range 300 {
		runner := collect.NewRunner(collect.Options{Threads: -1, FilterCacheQueries: i%3 - 1}, nil)
		w := wantRandomly(r)
		var want []uint32
		for j := range products {
			if p := &products[j]; p.live && w.holds(p) {
				want = append(want, p.number)
			}
		}
		all, err := runner.Search(snap).Run(context.Background(), &collect.Request{Query: w.node, Limit: len(want) + 1, CountTo: collect.Everything})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint32, len(all.Hits))
		for j, h := range all.Hits {
			got[j] = h.Doc
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || all.Total != len(want) || !all.Exact {
			t.Fatalf("%d: %d matches (%d counted), want %d\n%+v", i, len(got), all.Total, len(want), w.node)
		}
		for _, countTo := range []int{0, 10, 1000} {
			few := 1 + r.IntN(10)
			some, err := runner.Search(snap).Run(context.Background(), &collect.Request{Query: w.node, Limit: few, CountTo: countTo})
			if err != nil {
				t.Fatal(err)
			}
			best := all.Hits[:min(few, len(all.Hits))]
			if !slices.EqualFunc(best, some.Hits, func(a, b collect.Hit) bool { return a.Doc == b.Doc && a.Score == b.Score }) {
				t.Fatalf("%d: skipping changes the hits:\n%v\n%v\n%+v", i, best, some.Hits, w.node)
			}
			if some.Total > len(want) || some.Exact && some.Total != len(want) || !some.Exact && some.Total < countTo {
				t.Fatalf("%d: counted %d (exact: %v) of %d up to %d", i, some.Total, some.Exact, len(want), countTo)
			}
		}
	}
}
