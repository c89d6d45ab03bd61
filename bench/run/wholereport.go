package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

func renderServices(o options, ours, theirs *wholeRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The whole service beside OpenSearch, %s\n\n", time.Now().Format("2006-01-02"))
	cores := "the load generator runs on the same cores"
	if o.apart {
		cores = "the services run on one core and the load generator on another"
	}
	fmt.Fprintf(&b, "Machine: %s; %s. Load average (1, 5, 15 minutes) before the searches: %s with Quire, %s with OpenSearch; a service that is warmed adds its own. ",
		machine(), cores, ours.load, theirs.load)
	fmt.Fprintf(&b, "Quire: commit %s. OpenSearch: %s. %d commit messages. Command: `make bench-service`.\n\n", ours.version, theirs.version, ours.docs)
	b.WriteString("| | Quire | OpenSearch | OpenSearch ÷ Quire |\n|---|---|---|---|\n")
	both := func(name, format string, a, c float64) {
		fmt.Fprintf(&b, "| %s | "+format+" | "+format+" | %.2f |\n", name, a, c, c/a)
	}
	both("first load of a fresh process to searchable, documents/s", "%.0f", float64(ours.docs)/ours.fresh.clock, float64(theirs.docs)/theirs.fresh.clock)
	both("the same load again into a new index, documents/s", "%.0f", float64(ours.docs)/ours.again.clock, float64(theirs.docs)/theirs.again.clock)
	both("processor time of the second load, s", "%.2f", ours.again.processor, theirs.again.processor)
	both("on disk after the load, MB", "%.1f", float64(ours.bytes)/1e6, float64(theirs.bytes)/1e6)
	both("resident after the load, MB", "%.0f", float64(ours.rest.resident)/1e6, float64(theirs.rest.resident)/1e6)
	both("of it private, MB", "%.0f", float64(ours.rest.private)/1e6, float64(theirs.rest.private)/1e6)
	both("highest resident during searches, MB", "%.0f", float64(ours.peak)/1e6, float64(theirs.peak)/1e6)
	both("start of the process to the first answer, s", "%.3f", ours.firstAnswer.clock, theirs.firstAnswer.clock)
	both("processor time until then, s", "%.2f", ours.firstAnswer.processor, theirs.firstAnswer.processor)
	renderCells(&b, phase{"Caches as they come", cachedConnections, func(r *wholeRun) map[string][]cell { return r.cached }}, ours, theirs)
	renderCells(&b, phase{"Caches off", plainConnections, func(r *wholeRun) map[string][]cell { return r.plain }}, ours, theirs)
	renderBeside(&b, ours, theirs)
	renderTotals(&b, ours, theirs)
	fmt.Fprintf(&b, wholeSettings, bulkDocuments, bulkClients, restTime, o.warm, o.cell, ours.service.withoutCaches, theirs.service.withoutCaches, openSearchFlags)
	return b.String()
}

// phase is a part of a run that measures every class.
type phase struct {
	title       string
	connections []int
	cells       func(*wholeRun) map[string][]cell // by class, in the order of connections
}

// renderCells writes one table per number of connections.
func renderCells(b *strings.Builder, p phase, ours, theirs *wholeRun) {
	fmt.Fprintf(b, "\n## %s\n", p.title)
	a, c := p.cells(ours), p.cells(theirs)
	for i, n := range p.connections {
		fmt.Fprintf(b, "\nConnections: %d. Requests per second · p50 ms · p99 ms · µs of the service's processor time for a request.\n\n| class | %s | %s | throughput, Quire ÷ OpenSearch | p99, OpenSearch ÷ Quire | processor time, OpenSearch ÷ Quire |\n|---|---|---|---|---|---|\n", n, ours.service.name, theirs.service.name)
		rates, tails, costs, classes := 0.0, 0.0, 0.0, 0
		for _, class := range classNamesOfWhole() {
			x, y := a[class][i], c[class][i]
			rate, tail := x.perSecond/y.perSecond, y.p99.Seconds()/x.p99.Seconds()
			cost := y.processor.Seconds() / x.processor.Seconds()
			fmt.Fprintf(b, "| %s | %s | %s | %.2f | %.2f | %.2f |\n", class, x, y, rate, tail, cost)
			if class != mixedClass {
				rates, tails, costs, classes = rates+math.Log(rate), tails+math.Log(tail), costs+math.Log(cost), classes+1
			}
		}
		mean := func(logs float64) float64 { return math.Exp(logs / float64(classes)) }
		fmt.Fprintf(b, "| geometric mean of the classes | | | **%.2f** | **%.2f** | **%.2f** |\n", mean(rates), mean(tails), mean(costs))
	}
}

func (c cell) String() string {
	return fmt.Sprintf("%.0f · %.2f · %.2f · %d", c.perSecond, c.p50.Seconds()*1e3, c.p99.Seconds()*1e3, c.processor.Microseconds())
}

// renderTotals shows how far the results of both services agree.
func renderTotals(b *strings.Builder, ours, theirs *wholeRun) {
	b.WriteString("\n## Agreement\n\nBoth count every hit. Queries of a class whose totals are equal, and the sums of all totals:\n\n| class | queries | equal totals | Quire | OpenSearch |\n|---|---|---|---|---|\n")
	for _, class := range classNamesOfWhole() {
		if class == mixedClass {
			continue
		}
		same, mine, other := 0, 0, 0
		for i, total := range ours.totals[class] {
			mine, other = mine+total, other+theirs.totals[class][i]
			if total == theirs.totals[class][i] {
				same++
			}
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", class, len(ours.totals[class]), same, mine, other)
	}
}

const wholeSettings = `
## Settings

- The services run one after the other, never at the same time, on one node with one shard and without replicas. Documents are the prepared commits of the other benchmarks: the words of title and body stand apart under one analysed field, so that both find the same words. Both keep the source of documents and return it with the ten hits.
- One client for both: HTTP/1.1 with keep-alive, one request at a time on each connection, answers read whole and not parsed. Its own processor time is spent on the same cores, for both alike, and is not counted as the service's.
- Load: %d documents a request over %d connections, then a commit (Quire) or a refresh (OpenSearch); time ends when that is answered. Both acknowledge a request when it is durable: OpenSearch's ` + "`index.translog.durability`" + ` is ` + "`request`" + ` as it comes. The load runs twice in the same process, with the index removed between: the first shows a fresh process, the second one whose code a just-in-time compiler has seen. OpenSearch is flushed afterwards, so that its translog does not count on disk; then both rest for %v before memory and disk are looked at. No index is force-merged.
- Start to the first answer: the process is started again on what it stored, and a search is tried every 2 ms until it gives the right total. OpenSearch starts from the classes of its Maven artifacts, compiled before.
- Warm-up of either service after each start: all classes in turn over four connections for at least %v, and longer, up to three times that, as long as one of the last three rounds of three seconds was the fastest so far. Then every class runs for %v with each number of connections. A class asks its queries (100 where the query set has as many) again and again, so caches that come with a service help it; neither caches a list of hits. Quire keeps 8 MB of returned documents, also where caches are off. OpenSearch's request cache serves requests without hits only: the class "facets alone".
- "Caches off": %s (Quire); %s (OpenSearch).
- The JVM runs with ` + "`%s`" + `: heap 4 GB with equal least and greatest size, collector and vector module as the [` + "`jvm.options`" + ` that OpenSearch ships](https://github.com/opensearch-project/OpenSearch/blob/main/distribution/src/config/jvm.options) set them. Of its flags that bear on speed or memory, compact object headers (Java 25) and the limit of shared arenas are not set. ` + "`AlwaysPreTouch`" + ` is not set: it would make the whole heap resident at the start.
- Requests: ` + "`match`" + ` with operator and/or, ` + "`match_phrase`" + `, ` + "`prefix`" + `, ` + "`fuzzy`" + ` with one edit and a fixed first letter, ` + "`bool`" + ` with a term and a range filter, ` + "`terms`" + ` aggregations of ten values over three fields, sort by a timestamp; ` + "`track_total_hits`" + ` is true and Quire's ` + "`total`" + ` is ` + "`exact`" + `.
- Nearest neighbours with filters have a page of their own: ` + "`make bench-knn`" + `.
`
