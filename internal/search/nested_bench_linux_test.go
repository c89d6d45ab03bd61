package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processTime is the processor time that the process used so far.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// products makes an index of products with so many variants each.
func products(b *testing.B, variants int, mode string) *index {
	x := newIndex(b, fmt.Sprintf(`{"fields":{"id":{"type":"int32","primaryKey":true},"title":{"type":"string","matching":{}},
		"v":{"type":"object","multiple":true,"mode":%q,"fields":{"c":{"type":"string","filter":{},"facet":{}},"s":{"type":"string","filter":{},"facet":{}},
		"t":{"type":"string","matching":{}}}}}}`, mode))
	r := rand.New(rand.NewPCG(1, 2))
	var docs []string
	for i := range 30_000 {
		var v []string
		for range variants {
			v = append(v, fmt.Sprintf(`{"c":"c%d","s":"s%d","t":"w%d w%d"}`, r.IntN(12), r.IntN(6), r.IntN(40), r.IntN(40)))
		}
		docs = append(docs, fmt.Sprintf(`{"id":%d,"title":"w%d w%d","v":[%s]}`, i, r.IntN(20), r.IntN(20), strings.Join(v, ",")))
	}
	x.add(b, docs, nil)
	x.searcher.counts = newCountCache(0, nil)
	return x
}

// BenchmarkNested compares whole searches over products with five nested
// variants each with those over products with five flattened variants and with
// one. They take turns; each query counts with its least processor time, which
// other work on the machine hardly moves. At most two and a half times the time
// of flattened ones is the aim.
func BenchmarkNested(b *testing.B) {
	one, flattened, nested := products(b, 1, "flattened"), products(b, 5, "flattened"), products(b, 5, "nested")
	const queries = 20
	for _, c := range []struct {
		name string
		body func(n int, clause func(fields string) string) string
	}{
		{"title", func(n int, _ func(string) string) string { return fmt.Sprintf(`"query":[%s]`, word("title", n)) }},
		{"filter", func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s],"filters":[%s]`, word("title", n), clause(exactly("v.c", "c", n%12)+","+exactly("v.s", "s", n%6)))
		}},
		{"text", func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s]`, clause(word("v.t", n)))
		}},
		{"text and filter", func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s]`, clause(word("v.t", n)+","+exactly("v.c", "c", n%12)))
		}},
		{"facet", func(n int, _ func(string) string) string {
			return fmt.Sprintf(`"query":[%s],"facets":[{"field":"v.c"}]`, word("title", n))
		}},
		{"filter and facets", func(n int, clause func(string) string) string {
			return fmt.Sprintf(`"query":[%s],"filters":[%s],"facets":[{"field":"v.c"},{"field":"v.s"}]`, word("title", n), clause(exactly("v.s", "s", n%6)))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var least [3][queries]time.Duration
			run := 0
			for b.Loop() {
				at := run % queries
				for side, x := range []*index{one, flattened, nested} {
					body := "{" + c.body(at, func(fields string) string {
						if x == nested {
							return `{"type":"nested","path":"v","clauses":[` + fields + `]}`
						}
						return fields
					}) + "}"
					began := processTime()
					x.mustSearch(b, body)
					if took := processTime() - began; run < queries || took < least[side][at] {
						least[side][at] = took
					}
				}
				run++
			}
			var total [3]time.Duration
			for side := range least {
				for _, took := range least[side] {
					total[side] += took
				}
			}
			b.ReportMetric(float64(total[2].Nanoseconds())/float64(min(run, queries)), "nested-cpu-ns")
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
