package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// looseClasses are measured without a forced merge: one of each kind.
var looseClasses = []string{"term_mid", "and2", "or3_4", "phrase", "prefix", "filter_term", "facet", "sort", "count_or"}

// unmerged measures the engines on indexes as they leave them after a load,
// with their own merge policies and without a forced merge. Slow engines are
// left out.
func (r *report) unmerged(o options, corpus string, queries map[string][]query) error {
	o.rounds = min(o.rounds, 2)
	o.classes = looseClasses
	defer func() {
		for _, e := range r.loose {
			e.close()
		}
	}()
	for _, name := range o.engines {
		if slices.Contains(o.brief, name) {
			continue
		}
		e, err := start(name)
		if err != nil {
			return fmt.Errorf("start %s: %w", name, err)
		}
		r.loose = append(r.loose, e)
		if err := e.index(o, corpus, false); err != nil {
			return fmt.Errorf("index with %s without merge: %w", name, err)
		}
		if err := e.open(); err != nil {
			return fmt.Errorf("open with %s: %w", name, err)
		}
	}
	for _, e := range r.loose {
		if err := e.warm(o, queries); err != nil {
			return fmt.Errorf("warm %s: %w", e.name, err)
		}
	}
	for _, class := range classNames(o, queries) {
		row, err := measureClass(o, class, queries[class], r.loose)
		if err != nil {
			return fmt.Errorf("class %s without merge: %w", class, err)
		}
		r.looser = append(r.looser, row)
	}
	return nil
}

func (r *report) renderUnmerged(b *strings.Builder) {
	if len(r.looser) == 0 {
		return
	}
	b.WriteString("\n## Without a forced merge\n\nThe same documents as each engine leaves them after a load, by its own merge policy.\n\n| engine | segments | documents/s | CPU s | size MB | open ms |\n|---|---|---|---|---|---|\n")
	for _, e := range r.loose {
		fmt.Fprintf(b, "| %s | %d | %.0f | %.1f | %.1f | %.1f |\n", e.name, e.opened.Segments, float64(e.built.Docs)/e.built.Seconds, e.built.CPUSeconds,
			float64(e.built.Bytes)/1e6, e.opened.Seconds*1e3)
	}
	b.WriteString("\nTop-10 latency, one thread, µs p50 · p99:\n\n| class |")
	for _, e := range r.loose {
		fmt.Fprintf(b, " %s |", e.name)
	}
	for _, e := range r.loose[1:] {
		fmt.Fprintf(b, " %s ÷ |", e.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", 2*len(r.loose)-1) + "\n")
	means := make([]float64, len(r.loose))
	for _, row := range r.looser {
		fmt.Fprintf(b, "| %s |", row.class)
		for i := range r.loose {
			fmt.Fprintf(b, " %.0f · %.0f |", row.p50[i], row.p99[i])
		}
		for i := 1; i < len(r.loose); i++ {
			fmt.Fprintf(b, " %s |", ratio(row.base[i], row.p50[i]))
			means[i] += math.Log(row.base[i] / row.p50[i])
		}
		b.WriteString("\n")
	}
	b.WriteString("| geometric mean |" + strings.Repeat(" |", len(r.loose)))
	for i := 1; i < len(r.loose); i++ {
		fmt.Fprintf(b, " **%.2f** |", math.Exp(means[i]/float64(len(r.looser))))
	}
	b.WriteString("\n")
}
