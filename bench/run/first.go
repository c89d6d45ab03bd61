package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// repeatedTexts are the classes that repeat the texts of another class, so that
// none of their texts is searched for the first time.
var repeatedTexts = []string{"filter_or", "filter_or_wide", "filter_phrase", "filter_prefix", "filter_sort", "filter_facet", "filter_only",
	"facet_one_percent", "facet_all", "sort_string", "count_or", "count_and", "count_phrase"}

// askedFirst holds the times of queries that were not run before, in microseconds.
type askedFirst struct {
	engines []*engine
	classes []string
	times   [][][]float64 // by class, engine and query
}

// firstAsked measures queries that have not been run before on merged indexes.
func firstAsked(o options) error {
	corpus, queries, err := prepare(o)
	if err != nil {
		return err
	}
	if !o.built {
		if err := build(o.engines...); err != nil {
			return err
		}
	}
	var engines []*engine
	for _, name := range o.engines {
		e, err := start(name)
		if err != nil {
			return fmt.Errorf("start %s: %w", name, err)
		}
		defer e.close()
		engines = append(engines, e)
	}
	for _, e := range engines {
		if err := e.index(o, corpus, true); err != nil {
			return fmt.Errorf("index with %s: %w", e.name, err)
		}
		if err := e.open(); err != nil {
			return fmt.Errorf("open with %s: %w", e.name, err)
		}
	}
	first, err := askFirst(o, engines, queries)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Queries asked for the first time, %s\n\nCommit: %s. %d documents, merged into one segment. ", time.Now().Format("2006-01-02"), commit(), o.docs)
	first.render(&b)
	fmt.Println(b.String())
	return os.WriteFile(strings.TrimSuffix(o.out, ".md")+"-first.md", []byte(b.String()), 0o644)
}

// askFirst warms engines up with the first half of every class, runs each query of the
// second half once, and alternates query by query.
func askFirst(o options, engines []*engine, queries map[string][]query) (*askedFirst, error) {
	warm, asked := halves(queries)
	for _, e := range engines {
		if err := e.warm(o, warm); err != nil {
			return nil, fmt.Errorf("warm %s: %w", e.name, err)
		}
	}
	first := &askedFirst{engines: engines, classes: classNames(o, asked)}
	for _, class := range first.classes {
		times, err := askOnce(engines, asked[class])
		if err != nil {
			return nil, fmt.Errorf("class %s: %w", class, err)
		}
		first.times = append(first.times, times)
	}
	return first, nil
}

// render writes the table. The ratio of a class is the median over its queries; that of the
// 99th percentiles is the ratio of the slowest ones.
func (f *askedFirst) render(b *strings.Builder) {
	base := f.engines[0].name
	fmt.Fprintf(b, "Engines are warm from other queries of the same classes and are asked each query once, in turn. Times in microseconds, median · 99 %%; the ratio is the median over the queries, above 1 is faster than %s.\n\n| class | queries |", base)
	for _, e := range f.engines {
		fmt.Fprintf(b, " %s |", e.name)
	}
	for _, e := range f.engines[1:] {
		fmt.Fprintf(b, " %s ÷ |", e.name)
	}
	fmt.Fprintf(b, "\n|%s\n", strings.Repeat("---|", 1+2*len(f.engines)))
	medians, slowest := make([]float64, len(f.engines)), make([]float64, len(f.engines))
	for at, class := range f.classes {
		times := f.times[at]
		fmt.Fprintf(b, "| %s | %d |", class, len(times[0]))
		for _, t := range times {
			fmt.Fprintf(b, " %s |", spread(t))
		}
		for i, t := range times[1:] {
			ratios := make([]float64, len(t))
			for j := range t {
				ratios[j] = times[0][j] / t[j]
			}
			fmt.Fprintf(b, " %.2f |", middle(ratios))
			medians[1+i] += math.Log(middle(ratios))
			slowest[1+i] += math.Log(slow(times[0]) / slow(t))
		}
		b.WriteString("\n")
	}
	f.renderMean(b, "geometric mean", medians)
	f.renderMean(b, "geometric mean, 99 %", slowest)
}

// renderMean writes a row of geometric means from sums of logarithms by engine.
func (f *askedFirst) renderMean(b *strings.Builder, name string, sums []float64) {
	fmt.Fprintf(b, "| %s |%s", name, strings.Repeat(" |", 1+len(f.engines)))
	for _, sum := range sums[1:] {
		fmt.Fprintf(b, " **%.2f** |", math.Exp(sum/float64(len(f.classes))))
	}
	b.WriteString("\n")
}

// halves splits every class into queries for warm-up and queries for
// measurement. A text used in another class is left out.
func halves(queries map[string][]query) (warm, asked map[string][]query) {
	warm, asked = map[string][]query{}, map[string][]query{}
	seen := map[string]bool{}
	for class, all := range queries {
		if slices.Contains(repeatedTexts, class) {
			continue
		}
		warm[class] = all[:len(all)/2]
		for _, q := range warm[class] {
			seen[strings.Join(q.Terms, " ")] = true
		}
	}
	for _, class := range order {
		all := queries[class]
		for _, q := range all[len(warm[class]):] {
			text := strings.Join(q.Terms, " ")
			if !seen[text] && warm[class] != nil {
				seen[text] = true
				asked[class] = append(asked[class], q)
			}
		}
	}
	return warm, asked
}

// askOnce runs each query once on every engine and returns the times by engine,
// alternating which engine is first.
func askOnce(engines []*engine, queries []query) ([][]float64, error) {
	times := make([][]float64, len(engines))
	for at, q := range queries {
		for turn := range engines {
			i := (at + turn) % len(engines)
			var a answer
			if err := engines[i].ask(map[string]any{"do": "query", "query": q, "repeat": 1}, &a); err != nil {
				return nil, err
			}
			times[i] = append(times[i], a.Micros)
		}
	}
	return times, nil
}
