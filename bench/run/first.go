package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// repeatedTexts are the classes that repeat the texts of another class, so that
// none of their texts is searched for the first time.
var repeatedTexts = []string{"filter_or", "filter_or_wide", "filter_phrase", "filter_prefix", "filter_sort", "filter_facet", "filter_only",
	"facet_one_percent", "facet_all", "sort_string", "count_or", "count_and", "count_phrase"}

// firstAsked measures queries that have not been run before: engines warm up
// with the first half of every class, run each query of the second half once,
// and alternate query by query.
func firstAsked(o options) error {
	corpus, queries, err := prepare(o)
	if err != nil {
		return err
	}
	warm, asked := halves(queries)
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
	for _, e := range engines {
		if err := e.warm(o, warm); err != nil {
			return fmt.Errorf("warm %s: %w", e.name, err)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Queries asked for the first time, %s\n\nCommit: %s. %d documents. Engines are warm from other queries of the same classes and are asked each query once, in turn. Times in microseconds, median · 99 %%; the ratio is the median over the queries, above 1 is faster than %s.\n\n",
		time.Now().Format("2006-01-02"), commit(), o.docs, engines[0].name)
	b.WriteString("| class | queries |")
	for _, e := range engines {
		fmt.Fprintf(&b, " %s |", e.name)
	}
	for _, e := range engines[1:] {
		fmt.Fprintf(&b, " %s ÷ |", e.name)
	}
	fmt.Fprintf(&b, "\n|%s\n", strings.Repeat("---|", 1+2*len(engines)))
	for _, class := range classNames(o, asked) {
		times, err := askOnce(engines, asked[class])
		if err != nil {
			return fmt.Errorf("class %s: %w", class, err)
		}
		fmt.Fprintf(&b, "| %s | %d |", class, len(asked[class]))
		for _, t := range times {
			fmt.Fprintf(&b, " %s |", spread(t))
		}
		for _, t := range times[1:] {
			ratios := make([]float64, len(t))
			for j := range t {
				ratios[j] = times[0][j] / t[j]
			}
			fmt.Fprintf(&b, " %.2f |", middle(ratios))
		}
		b.WriteString("\n")
	}
	fmt.Println(b.String())
	return os.WriteFile(strings.TrimSuffix(o.out, ".md")+"-first.md", []byte(b.String()), 0o644)
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
