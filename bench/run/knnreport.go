package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/quiresearch/quire/bench/neighbours"
)

func renderNearest(o options, set *neighbours.Set, runs []*knnRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Nearest neighbours of the whole service beside OpenSearch, %s\n\n", time.Now().Format("2006-01-02"))
	fmt.Fprintf(&b, "Machine: %s; the load generator runs on the same cores. Command: `make bench-knn`. Vectors: %s, 100 numbers each, cosine similarity; %d queries, %d neighbours.\n\n",
		machine(), set.Name, knnQueries, neighbours.K)
	b.WriteString("| |")
	for _, r := range runs {
		fmt.Fprintf(&b, " %s |", r.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(runs)) + "\n")
	each := func(name string, value func(r *knnRun) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, r := range runs {
			fmt.Fprintf(&b, " %s |", value(r))
		}
		b.WriteString("\n")
	}
	number := func(format string, value float64) string {
		if value == 0 {
			return "–"
		}
		return fmt.Sprintf(format, value)
	}
	each("version", func(r *knnRun) string { return r.Version })
	each("load to searchable, vectors/s", func(r *knnRun) string {
		if r.LoadClock == 0 {
			return "–"
		}
		return number("%.0f", float64(r.Documents)/r.LoadClock)
	})
	each("the same, s", func(r *knnRun) string { return number("%.1f", r.LoadClock) })
	each("processor time of the load, s", func(r *knnRun) string { return number("%.1f", r.LoadProcessor) })
	each("work after the load, or the forced merge, s", func(r *knnRun) string { return number("%.1f", r.CalmClock) })
	each("its processor time, s", func(r *knnRun) string { return number("%.1f", r.CalmProcessor) })
	each("segments then", func(r *knnRun) string { return strconv.Itoa(r.Segments) })
	each("on disk, MB", func(r *knnRun) string { return number("%.1f", float64(r.Bytes)/1e6) })
	each("resident, MB", func(r *knnRun) string { return number("%.0f", float64(r.Resident)/1e6) })
	each("of it private, MB", func(r *knnRun) string { return number("%.0f", float64(r.Private)/1e6) })
	each("resident after the searches, MB", func(r *knnRun) string { return number("%.0f", float64(r.Searched)/1e6) })
	each("load average (1, 5, 15 minutes) before the searches", func(r *knnRun) string { return r.Load })
	for i, connections := range knnConnections {
		fmt.Fprintf(&b, "\n## Connections: %d\n", connections)
		renderNearestCells(&b, i, runs)
	}
	fmt.Fprintf(&b, knnSettings, bulkDocuments, bulkClients, o.warm, o.cell, openSearchFlags)
	return b.String()
}

// renderNearestCells writes the table for the i-th number of connections. Rows
// are compared with the first row of their filter.
func renderNearestCells(b *strings.Builder, i int, runs []*knnRun) {
	first := runs[0].Name
	fmt.Fprintf(b, "\n| filter | service | setting | recall@10 | requests/s | p50 ms | p99 ms | processor time for a request, µs | throughput, %s ÷ this | p99, this ÷ %s | processor time, this ÷ %s |\n|---|---|---|---|---|---|---|---|---|---|---|\n", first, first, first)
	for _, f := range knnFilters {
		var base *knnCell
		for _, r := range runs {
			for _, row := range r.Rows {
				if row.Filter != f.name {
					continue
				}
				c := row.Cells[i]
				if base == nil {
					base = &c
				}
				setting := row.Setting
				if row.Width > 0 {
					setting += fmt.Sprintf(", ef_search %d", row.Width)
				}
				fmt.Fprintf(b, "| %s | %s | %s | %.3f | %.0f | %.2f | %.2f | %.0f | %.2f | %.2f | %.2f |\n", f.name, r.Name, setting, row.Recall,
					c.PerSecond, c.P50*1e3, c.P99*1e3, c.Processor*1e6, base.PerSecond/c.PerSecond, c.P99/base.P99, c.Processor/base.Processor)
			}
		}
	}
}

const knnSettings = `
## Settings

- The services run one after the other, never at the same time, on one node with one shard and without replicas, with caches as they come. Both build graphs with 16 links and 100 candidates, their defaults, and keep the source of documents; answers hold the keys of the hits and no vectors. OpenSearch runs its k-NN plugin from Maven with the engine ` + "`lucene`" + `; its native libraries (faiss) are not part of that.
- Load: %d documents a request over %d connections into a fresh process, then a commit (Quire) or a refresh (OpenSearch); time ends when that is answered. Then OpenSearch is flushed, and both are left alone until they took less than 100 ms of processor time in every two of ten seconds; merges are the services' own, and a refresh makes them visible. "OpenSearch merged" is OpenSearch started again on what it stored and force-merged into one segment; Quire has no request for that.
- Filters are integer fields that are 1 in what is kept. "By region" keeps the vectors around some of 64 others, as in ` + "`make bench-vectors`" + `, so that most queries lie away from what is kept. Recall is the share of the ten exact neighbours under the filter, found by comparing all vectors.
- Settings: as it comes, both take k alone. ` + "`ef_search`" + ` of OpenSearch is raised step by step until the recall is at least that in the setting's name; a setting that an earlier row reaches has no row. Quire chooses the width of a search by itself and has no such option.
- Client: HTTP/1.1 with keep-alive, one request at a time on each connection, answers read whole and not parsed. Its processor time is spent on the same cores and not counted as the service's. Warm-up: all rows in turn over four connections for at least %v, then until three rounds of three seconds are no faster; then every row for %v with each number of connections.
- The JVM runs with ` + "`%s`" + `, as in ` + "`make bench-service`" + `.
`
