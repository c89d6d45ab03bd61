package main

import (
	"fmt"
	"math"
	"slices"
)

// row is the result of one class: per engine, the fastest time of each query
// over all rounds, throughput, and the agreement of its results with those of
// the first engine.
type row struct {
	class   string
	p50     []float64
	bare    float64 // p50 of the first engine without reading keys
	p99     []float64
	base    []float64 // p50 of the first engine for the queries sent to this one
	qps     []float64
	qpsAll  []float64
	overlap []float64
	counts  []int // queries whose exact count equals that of the first engine
	asked   []int // queries sent
	remark  string
}

// orderFree are the classes whose top hits are not comparable, with the reason:
// ties or constant scores leave the order undefined.
var orderFree = map[string]string{
	"prefix":        "constant scores: order within ties is free",
	"fuzzy1":        "engines score expansions differently; tantivy has no fixed first letter",
	"filter_prefix": "constant scores: order within ties is free",
	"filter_only":   "no scores",
	"facet_all":     "no scores",
	"count_or":      "count only",
	"count_and":     "count only",
	"count_phrase":  "count only",
	"sort_string":   "many equal values",
}

// samples are the measurements of one engine in a class.
type samples struct {
	best, bare []float64 // by query, the fastest run with and without reading keys
	tops       [][]string
	counts     []int
	qps        float64
	qpsAll     float64
}

// measureClass runs the queries of a class on engines in turns.
func measureClass(o options, queries []query, engines []*engine) ([]samples, error) {
	all := make([]samples, len(engines))
	for i, e := range engines {
		for _, q := range e.share(o, queries) {
			q.Exact = true
			var a answer
			if err := e.ask(map[string]any{"do": "query", "query": q, "repeat": 1}, &a); err != nil {
				return nil, err
			}
			all[i].best, all[i].bare = append(all[i].best, math.MaxFloat64), append(all[i].bare, math.MaxFloat64)
			all[i].tops, all[i].counts = append(all[i].tops, a.Top), append(all[i].counts, a.Count)
		}
	}
	for round := range o.rounds {
		for turn := range engines {
			i := (turn + round) % len(engines)
			if round > 0 && engines[i].isBrief(o) {
				continue
			}
			for j, q := range engines[i].share(o, queries) {
				var a answer
				if err := engines[i].ask(map[string]any{"do": "query", "query": q, "repeat": o.repeat}, &a); err != nil {
					return nil, err
				}
				all[i].best[j] = min(all[i].best[j], a.Micros)
				all[i].bare[j] = min(all[i].bare[j], a.Bare)
			}
		}
	}
	for i, e := range engines {
		if err := all[i].pace(o, e, e.share(o, queries)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// pace measures how many queries per second an engine answers, for at least
// half a second, because short runs are meaningless on a busy machine.
func (s *samples) pace(o options, e *engine, queries []query) error {
	sum := 0.0
	for _, micros := range s.best {
		sum += micros
	}
	rounds := max(1, int(0.5e6/sum))
	for _, threads := range []int{1, o.threads} {
		var t throughput
		if err := e.ask(map[string]any{"do": "throughput", "queries": queries, "threads": threads, "rounds": rounds}, &t); err != nil {
			return err
		}
		if threads == 1 {
			s.qps = float64(t.Queries) / max(t.CPUSeconds, 0.01)
		} else {
			s.qpsAll = float64(t.Queries) / t.Seconds
		}
	}
	return nil
}

// compare builds the row of a class, relative to the first engine.
func compare(class string, all []samples) row {
	r := row{class: class, remark: orderFree[class], bare: middle(all[0].bare)}
	for _, s := range all {
		sorted := sortedCopy(s.best)
		r.p50 = append(r.p50, middle(sorted))
		r.base = append(r.base, middle(all[0].best[:len(sorted)]))
		r.p99 = append(r.p99, slow(sorted))
		r.qps, r.qpsAll = append(r.qps, s.qps), append(r.qpsAll, s.qpsAll)
		same, shared := 0, 0.0
		for j := range sorted {
			if s.counts[j] == all[0].counts[j] {
				same++
			}
			shared += overlap(all[0].tops[j], s.tops[j])
		}
		r.counts, r.asked = append(r.counts, same), append(r.asked, len(sorted))
		r.overlap = append(r.overlap, shared/float64(len(sorted)))
	}
	return r
}

// share returns the queries of a class for an engine: all of them, or only the
// first few for a slow engine.
func (e *engine) share(o options, queries []query) []query {
	if e.isBrief(o) {
		return queries[:min(len(queries), briefQueries)]
	}
	return queries
}

func (e *engine) isBrief(o options) bool { return slices.Contains(o.brief, e.name) }

// briefQueries is the number of queries of a class for a slow engine.
const briefQueries = 20

// middle returns the median.
func middle(values []float64) float64 { return sortedCopy(values)[len(values)/2] }

// slow returns the 99th percentile.
func slow(values []float64) float64 {
	return sortedCopy(values)[min(len(values)-1, len(values)*99/100)]
}

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
