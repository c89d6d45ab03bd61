package main

import (
	"fmt"
	"strings"
	"time"
)

func renderSmall(runs []*smallRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Many small indexes on one node, %s\n\n", time.Now().Format("2006-01-02"))
	fmt.Fprintf(&b, "Machine: %s; the client runs on the same cores, and so does the S3 server of object mode. Load average (1, 5, 15 minutes) at the end: %s. Quire: commit %s. %d indexes of %d commit messages. Command: `make bench-small`.\n\n",
		machine(), loadAverage(), commit(), runs[0].indexes, smallDocuments)
	b.WriteString("| | goal |")
	for _, r := range runs {
		fmt.Fprintf(&b, " %s mode |", r.mode)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(runs)) + "\n")
	row := func(name, goal string, value func(*smallRun) string) {
		fmt.Fprintf(&b, "| %s | %s |", name, goal)
		for _, r := range runs {
			b.WriteString(" " + value(r) + " |")
		}
		b.WriteString("\n")
	}
	row("start to ready, s", "≤ 2", func(r *smallRun) string { return fmt.Sprintf("%.2f", r.ready.clock) })
	row("processor time of that, s", "", func(r *smallRun) string { return fmt.Sprintf("%.2f", r.ready.processor) })
	each := func(f func(*smallRun) footprint) func(*smallRun) string {
		return func(r *smallRun) string {
			return fmt.Sprintf("%.0f", float64(f(r).private-r.empty.private)/float64(r.indexes)/1e3)
		}
	}
	row("private memory of an index after the start, kB", "≤ 100", each(func(r *smallRun) footprint { return r.started }))
	row("of one that was searched, kB", "≤ 100", each(func(r *smallRun) footprint { return r.asked }))
	row("of one that was written, kB", "≤ 100", each(func(r *smallRun) footprint { return r.loaded }))
	latency := func(values func(*smallRun) []float64) func(*smallRun) string {
		return func(r *smallRun) string {
			v := values(r)
			return fmt.Sprintf("%.2f · %.2f · %.2f", quantile(v, 50), quantile(v, 99), quantile(v, 100))
		}
	}
	row("first search of an index after the start, ms p50 · p99 · longest", "≤ 10", latency(func(r *smallRun) []float64 { return r.first }))
	row("next search of it, ms p50 · p99 · longest", "≤ 10", latency(func(r *smallRun) []float64 { return r.again }))
	row("goroutines of the node after all were searched", "none for an index", func(r *smallRun) string { return fmt.Sprint(r.asked.goroutines) })
	both := func(value func(footprint) string) func(*smallRun) string {
		return func(r *smallRun) string { return value(r.empty) + " · " + value(r.started) + " · " + value(r.asked) }
	}
	row("descriptors: empty node · after the start · after all were searched", "", both(func(f footprint) string { return fmt.Sprint(f.descriptors) }))
	row("mappings, the same", "", both(func(f footprint) string { return fmt.Sprint(f.mappings) }))
	row("processor time of an idle node, ms a second, the same", "", both(func(f footprint) string { return fmt.Sprintf("%.1f", f.processor*1e3) }))
	row("private memory of the node, MB, the same", "", both(func(f footprint) string { return fmt.Sprintf("%.0f", float64(f.private)/1e6) }))
	row("create, load and commit, indexes/s", "", func(r *smallRun) string { return fmt.Sprintf("%.0f", float64(r.indexes)/r.load) })
	row("stop after the load, s", "", func(r *smallRun) string { return fmt.Sprintf("%.2f", r.stop) })
	row("on disk after the load, kB an index", "", func(r *smallRun) string { return fmt.Sprintf("%.0f", float64(r.bytes)/float64(r.indexes)/1e3) })
	fmt.Fprintf(&b, "\nMemory is private memory (RssAnon) beyond that of the empty node, once the node is idle. An index is searched for one word over one connection, one index after the other; the first %d were opened by the start already. In object mode the node starts from an empty directory: the first search of an index fetches it. Goroutines are counted in the stacks that the runtime prints at SIGQUIT.\n", 32)
	return b.String()
}
