package main

import (
	"fmt"
	"strings"
	"time"
)

func renderGrowth(o options, all []*grown, queries map[string][]query) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Growth, %s\n\n", time.Now().Format("2006-01-02"))
	fmt.Fprintf(&b, "Machine: %s. Load average (1, 5, 15 minutes) at the end: %s. Quire: commit %s, local mode, in process. Commit messages; behind the first million, documents made of their words. Command: `make bench-growth`.\n\n",
		machine(), loadAverage(), commit())
	b.WriteString("Documents are committed every 10,000 and every 5 seconds and merged while they load, as a server does; searches run at rest, on one thread, the fastest of five runs of a query counts and the table shows the median of a class. Of opens and updates the fastest of five counts too. Processor time says more than the clock where a machine is shared. The exponent is the slope of the logarithm of a figure over that of the number of documents, by least squares: 0 stays the same, 1 grows with the index.\n\n| |")
	sizes := make([]int, len(all))
	for i, g := range all {
		sizes[i] = g.docs
		fmt.Fprintf(&b, " %.1f M |", float64(g.docs)/1e6)
	}
	b.WriteString(" exponent | goal |\n|---|" + strings.Repeat("---|", len(all)+2) + "\n")
	row := func(name, format, goal string, value func(*grown) float64) {
		fmt.Fprintf(&b, "| %s |", name)
		values := make([]float64, len(all))
		for i, g := range all {
			values[i] = value(g)
			fmt.Fprintf(&b, " "+format+" |", values[i])
		}
		fmt.Fprintf(&b, " %.2f | %s |\n", exponent(sizes, values), goal)
	}
	row("load, documents/s", "%.0f", "at 10 M ≥ 80 % of 1 M", func(g *grown) float64 { return float64(g.docs) / g.built.Seconds })
	row("documents for a second of processor time, with all merges up to the rest", "%.0f", "at 10 M ≥ 80 % of 1 M", func(g *grown) float64 { return float64(g.docs) / g.built.CPUSeconds })
	row("highest private memory, MB", "%.0f", "≤ 1,000", func(g *grown) float64 { return float64(g.built.PeakPrivate) / 1e6 })
	row("size, MB", "%.1f", "", func(g *grown) float64 { return float64(g.built.Bytes) / 1e6 })
	row("bytes written for segments ÷ size", "%.2f", "≤ 8", func(g *grown) float64 { return float64(g.built.Flushed+g.built.Merged) / float64(g.built.Bytes) })
	row("merge debt: segments at the last commit", "%.0f", "", func(g *grown) float64 { return float64(g.built.Segments) })
	row("merge debt: bytes merged after it, MB", "%.1f", "", func(g *grown) float64 { return float64(g.built.Debt) / 1e6 })
	row("merge debt: seconds until no merge was due", "%.1f", "", func(g *grown) float64 { return g.built.RestSeconds })
	row("segments at rest", "%.0f", "", func(g *grown) float64 { return float64(g.open.Segments) })
	row("open, ms", "%.1f", "≤ 200", func(g *grown) float64 { return g.opening * 1e3 })
	row("100 documents changed until a search sees them, ms", "%.1f", "≤ 50, the same at all sizes", func(g *grown) float64 { return g.update * 1e3 })
	row("of it the commit, ms", "%.1f", "", func(g *grown) float64 { return g.commit * 1e3 })
	row("processor time of it, ms", "%.1f", "the same at all sizes", func(g *grown) float64 { return g.cost * 1e3 })
	row(fmt.Sprintf("of one of %d such changes in a row, with merges, ms", growthRow), "%.1f", "the same at all sizes", func(g *grown) float64 { return g.steady * 1e3 })
	row("searches/s while documents are written", "%.0f", "", func(g *grown) float64 { return float64(g.mixed.Searches) / g.mixed.Seconds })
	row("documents/s written meanwhile", "%.0f", "", func(g *grown) float64 { return float64(g.mixed.Documents) / g.mixed.Seconds })
	row("processor time that other machines took, %", "%.1f", "", func(g *grown) float64 { return max(100*g.steal, 0.1) })
	header := func(goal string) {
		b.WriteString("| class |")
		for _, size := range sizes {
			fmt.Fprintf(&b, " %.1f M |", float64(size)/1e6)
		}
		fmt.Fprintf(&b, " exponent | %s |\n|---|%s\n", goal, strings.Repeat("---|", len(all)+2))
	}
	b.WriteString("\nTop-10 latency, p50 in µs:\n\n")
	header("goal")
	for _, class := range classNames(o, queries) {
		goal := "≤ 1"
		if strings.HasPrefix(class, "term") || strings.HasPrefix(class, "and") {
			goal = "< 1"
		}
		row(class, "%.1f", goal, func(g *grown) float64 { return g.classes[class] })
	}
	b.WriteString("\nMatching documents, median of a class (at least 1):\n\n")
	header("")
	for _, class := range classNames(o, queries) {
		row(class, "%.0f", "", func(g *grown) float64 { return max(g.found[class], 1) })
	}
	return b.String()
}
