package main

import (
	"fmt"
	"math"
	"slices"
)

// row is what one class showed: per engine, the fastest time of each query
// over all rounds, throughput, and how far results agree with the first.
type row struct {
	class   string
	p50     []float64
	bare    float64 // p50 of the first engine without reading keys
	p99     []float64
	base    []float64 // p50 of the first engine over the queries that this one was asked
	qps     []float64
	qpsAll  []float64
	overlap []float64
	counts  []int // queries whose exact count equals the first engine's
	asked   []int // queries
	remark  string
}

// orderFree are the classes whose top hits are not comparable, with the
// reason: ties or constant scores leave the order free.
var orderFree = map[string]string{
	"prefix":      "constant scores: order within ties is free",
	"fuzzy1":      "engines score expansions differently; tantivy has no fixed first letter",
	"filter_only": "no scores",
	"facet_all":   "no scores",
	"count_or":    "count only",
	"count_and":   "count only",
	"sort_string": "many equal values",
}

func measureClass(o options, class string, queries []query, engines []*engine) (row, error) {
	r := row{class: class, remark: orderFree[class]}
	n := len(engines)
	best := make([][]float64, n)
	tops := make([][][]string, n)
	counts := make([][]int, n)
	bare := make([]float64, len(queries))
	for j := range bare {
		bare[j] = math.MaxFloat64
	}
	for i, e := range engines {
		asked := e.share(o, queries)
		best[i] = make([]float64, len(asked))
		for j, q := range asked {
			best[i][j] = math.MaxFloat64
			q.Exact = true
			var a answer
			if err := e.ask(map[string]any{"do": "query", "query": q, "repeat": 1}, &a); err != nil {
				return r, err
			}
			tops[i] = append(tops[i], a.Top)
			counts[i] = append(counts[i], a.Count)
		}
	}
	for round := range o.rounds {
		for turn := range n {
			i := (turn + round) % n
			if round > 0 && engines[i].isBrief(o) {
				continue
			}
			for j, q := range engines[i].share(o, queries) {
				var a answer
				if err := engines[i].ask(map[string]any{"do": "query", "query": q, "repeat": o.repeat}, &a); err != nil {
					return r, err
				}
				best[i][j] = min(best[i][j], a.Micros)
				if i == 0 {
					bare[j] = min(bare[j], a.Bare)
				}
			}
		}
	}
	r.bare = middle(bare)
	for i, e := range engines {
		sorted := sortedCopy(best[i])
		r.p50 = append(r.p50, middle(sorted))
		r.base = append(r.base, middle(best[0][:len(sorted)]))
		r.p99 = append(r.p99, sorted[min(len(sorted)-1, len(sorted)*99/100)])
		// Half a second at least: short runs say nothing on a busy machine.
		sum := 0.0
		for _, micros := range best[i] {
			sum += micros
		}
		rounds := max(1, int(0.5e6/sum))
		for _, threads := range []int{1, o.threads} {
			var t throughput
			if err := e.ask(map[string]any{"do": "throughput", "queries": e.share(o, queries), "threads": threads, "rounds": rounds}, &t); err != nil {
				return r, err
			}
			if threads == 1 {
				r.qps = append(r.qps, float64(t.Queries)/max(t.CPUSeconds, 0.01))
			} else {
				r.qpsAll = append(r.qpsAll, float64(t.Queries)/t.Seconds)
			}
		}
		same, shared := 0, 0.0
		for j := range sorted {
			if counts[i][j] == counts[0][j] {
				same++
			}
			shared += overlap(tops[0][j], tops[i][j])
		}
		r.counts = append(r.counts, same)
		r.asked = append(r.asked, len(sorted))
		r.overlap = append(r.overlap, shared/float64(len(sorted)))
	}
	return r, nil
}

// share is what an engine is asked of a class: everything, or the first few
// when it is one of those that take too long.
func (e *engine) share(o options, queries []query) []query {
	if e.isBrief(o) {
		return queries[:min(len(queries), briefQueries)]
	}
	return queries
}

func (e *engine) isBrief(o options) bool { return slices.Contains(o.brief, e.name) }

// briefQueries is how many queries of a class a slow engine is asked.
const briefQueries = 20

// middle is the median.
func middle(values []float64) float64 { return sortedCopy(values)[len(values)/2] }

func overlap(a, b []string) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	seen := make(map[string]bool, len(a))
	for _, id := range a {
		seen[id] = true
	}
	both := 0
	for _, id := range b {
		if seen[id] {
			both++
		}
	}
	return float64(both) / float64(max(len(a), len(b)))
}

func ratio(base, ours float64) string {
	if ours <= 0 || base <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", base/ours)
}
