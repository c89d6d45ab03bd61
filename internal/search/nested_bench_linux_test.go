package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/search/faceting"
)

// processTime returns the processor time used by the process.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// product is a title and its variants as JSON.
type product struct {
	title    string
	variants []string
}

// catalogue returns products with that many variants each.
func catalogue(variants int) []product {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]product, 30_000)
	for i := range all {
		for range variants {
			all[i].variants = append(all[i].variants, fmt.Sprintf(`{"c":"c%d","s":"s%d","t":"w%d w%d","p":%d}`, r.IntN(12), r.IntN(6), r.IntN(40), r.IntN(40), r.IntN(10_000)))
		}
		all[i].title = fmt.Sprintf("w%d w%d", r.IntN(20), r.IntN(20))
	}
	return all
}

// price declares the number p of a variant; flattened lists cannot be sorted by it.
var price = map[string]string{"nested": `,"p":{"type":"int32","sort":{}}`, "flattened": `,"p":{"type":"int32","filter":{}}`}

// products returns an index of products with that many variants each.
func products(b *testing.B, variants int, mode string) *index {
	x := newIndex(b, fmt.Sprintf(`{"fields":{"id":{"type":"int32","primaryKey":true},"title":{"type":"string","matching":{}},
		"v":{"type":"object","multiple":true,"mode":%q,"fields":{"c":{"type":"string","filter":{},"facet":{}},"s":{"type":"string","filter":{},"facet":{}},
		"t":{"type":"string","matching":{}}%s}}}}`, mode, price[mode]))
	var docs []string
	for i, p := range catalogue(variants) {
		docs = append(docs, fmt.Sprintf(`{"id":%d,"title":%q,"v":[%s]}`, i, p.title, strings.Join(p.variants, ",")))
	}
	x.add(b, docs, nil)
	x.searcher.counter = faceting.New(0, nil, func() {})
	return x
}

// variants returns an index in which every variant of the products is a document,
// with the title of its product.
func variants(b *testing.B, each int) *index {
	x := newIndex(b, `{"fields":{"id":{"type":"int32","primaryKey":true},"title":{"type":"string","matching":{}},
		"v":{"type":"object","fields":{"c":{"type":"string","filter":{},"facet":{}},"s":{"type":"string","filter":{},"facet":{}},"t":{"type":"string","matching":{}}`+price["nested"]+`}}}}`)
	var docs []string
	for _, p := range catalogue(each) {
		for _, v := range p.variants {
			docs = append(docs, fmt.Sprintf(`{"id":%d,"title":%q,"v":%s}`, len(docs), p.title, v))
		}
	}
	x.add(b, docs, nil)
	x.searcher.counter = faceting.New(0, nil, func() {})
	return x
}

// BenchmarkNested compares whole searches over products with five nested variants
// each with searches over flat documents: over products with five flattened
// variants, where more match, over products with one, where fewer match, and over
// the variants as documents, where the same variants match. They take turns. Each
// query counts with its lowest processor time, which other work on the machine
// hardly affects. The aim is at most two and a half times the time for the same
// hits.
func BenchmarkNested(b *testing.B) {
	one, flattened, nested, same := products(b, 1, "flattened"), products(b, 5, "flattened"), products(b, 5, "nested"), variants(b, 5)
	const queries = 20
	textAndFilter := func(n int, clause func(string) string) string {
		return fmt.Sprintf(`"query":[%s]`, clause(word("v.t", n)+","+exactly("v.c", "c", n%12)))
	}
	for _, c := range []struct {
		name   string
		body   func(n int, clause func(fields string) string) string
		nested string // added to the query on nested variants
		order  string // of nested variants and of variants as documents
	}{
		{name: "title", body: func(n int, _ func(string) string) string { return fmt.Sprintf(`"query":[%s]`, word("title", n)) }},
		{name: "filter", body: func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s],"filters":[%s]`, word("title", n), clause(exactly("v.c", "c", n%12)+","+exactly("v.s", "s", n%6)))
		}},
		{name: "text", body: func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s]`, clause(word("v.t", n)))
		}},
		{name: "text and filter", body: textAndFilter},
		{name: "values as hits", body: textAndFilter, nested: `,"hits":{"path":"v"}`},
		{name: "values of few as hits", body: func(n int, _ func(string) string) string {
			return fmt.Sprintf(`"query":[%s,%s]`, word("title", n), word("title", (n+1)%20))
		}, nested: `,"hits":{"path":"v"}`},
		{name: "values of many as hits", body: func(n int, _ func(string) string) string { return fmt.Sprintf(`"query":[%s]`, word("title", n)) },
			nested: `,"hits":{"path":"v"}`},
		{name: "ordered by values", body: func(n int, _ func(string) string) string { return fmt.Sprintf(`"query":[%s]`, word("title", n)) },
			order: `,"sort":[{"field":"v.p"}]`},
		{name: "ordered by values that match", body: func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s],"filters":[%s]`, word("title", n), clause(exactly("v.c", "c", n%12)))
		}, order: `,"sort":[{"field":"v.p"}]`},
		{name: "values shown", body: textAndFilter, nested: `,"matched":{"fields":{"v":{}}}`},
		{name: "facet", body: func(n int, _ func(string) string) string {
			return fmt.Sprintf(`"query":[%s],"facets":[{"field":"v.c"}]`, word("title", n))
		}},
		{name: "facet of few", body: func(n int, _ func(string) string) string {
			return fmt.Sprintf(`"query":[%s,%s],"facets":[{"field":"v.c"}]`, word("title", n), word("title", (n+1)%20))
		}},
		{name: "filter and facet of few", body: func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s,%s],"filters":[%s],"facets":[{"field":"v.c"}]`, word("title", n), word("title", (n+1)%20), clause(exactly("v.s", "s", n%6)))
		}},
		{name: "few ordered by values", body: func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s,%s],"filters":[%s]`, word("title", n), word("title", (n+1)%20), clause(exactly("v.c", "c", n%12)))
		}, order: `,"sort":[{"field":"v.p"}]`},
		{name: "filter and facets", body: func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s],"filters":[%s],"facets":[{"field":"v.c"},{"field":"v.s"}]`, word("title", n), clause(exactly("v.s", "s", n%6)))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var least [4][queries]time.Duration
			run := 0
			for b.Loop() {
				at := run % queries
				for side, x := range []*index{one, flattened, nested, same} {
					body := "{" + c.body(at, func(fields string) string {
						if x == nested {
							return `{"type":"nested","path":"v","clauses":[` + fields + `]}`
						}
						return fields
					})
					if x == nested {
						body += c.nested
					}
					if x == nested || x == same {
						body += c.order
					}
					body += "}"
					began := processTime()
					x.mustSearch(b, body)
					if took := processTime() - began; run < queries || took < least[side][at] {
						least[side][at] = took
					}
				}
				run++
			}
			var total [4]time.Duration
			for side := range least {
				for _, took := range least[side] {
					total[side] += took
				}
			}
			b.ReportMetric(float64(total[2].Nanoseconds())/float64(min(run, queries)), "nested-cpu-ns")
			b.ReportMetric(float64(total[2])/float64(total[3]), "x-same-hits")
			b.ReportMetric(float64(total[2])/float64(total[1]), "x-flattened")
			b.ReportMetric(float64(total[2])/float64(total[0]), "x-one-variant")
		})
	}
}

func word(field string, n int) string {
	return fmt.Sprintf(`{"type":"text","text":"w%d","typos":"off","prefix":"off","fields":{%q:1}}`, n, field)
}

func exactly(field, prefix string, n int) string {
	return fmt.Sprintf(`{"field":%q,"match":{"value":"%s%d"}}`, field, prefix, n)
}
