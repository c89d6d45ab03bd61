// Command run measures several search engines on the same corpus and queries in
// one run and prints a comparison. Each engine is a driver process that speaks
// the line protocol of bench/README.md.
//
// The engines take turns class by class, so that noise of the machine affects
// all alike, and only ratios between them are reported as findings.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

type options struct {
	data    string
	work    string
	out     string
	engines []string
	brief   []string // engines that run fewer queries
	loose   bool     // also measure without a forced merge
	trickle time.Duration
	docs    int
	perKind int
	rounds  int
	repeat  int
	classes []string
	threads int
	warm    time.Duration
	cell    time.Duration
	profile string
	service bool
	built   bool
	apart   bool // a service on one core, the load generator on another
}

func main() {
	var o options
	var engines, classes, brief string
	var quick, judged, vectors, typing, twoFields, first, serviceAlone, restAlone, whole, knn, loading, refreshing, writing, overHTTP, cores bool
	var small int
	var growing string
	flag.StringVar(&o.data, "data", "../shared/data", "directory of the corpora; a generated corpus stands in when it is absent")
	flag.StringVar(&o.work, "work", "bench/data", "directory for unpacked corpora and indexes")
	flag.StringVar(&o.out, "out", "", "file of the report (default bench/results/<date>.md)")
	flag.StringVar(&engines, "engines", "lucene,tantivy,bleve,quire", "engines, the first is the one others are compared with")
	flag.StringVar(&brief, "brief", "bleve", "engines that are asked the first 20 queries of a class only, because they take long")
	flag.BoolVar(&o.loose, "loose", true, "measure the indexes as their engines leave them too, without a forced merge")
	flag.DurationVar(&o.trickle, "trickle", time.Minute, "how long searches run beside a trickle of updates; 0 leaves that out")
	flag.BoolVar(&restAlone, "rest", false, "measure only Quire's indexes at rest beside force-merged ones, and during a trickle of updates")
	flag.StringVar(&classes, "classes", "", "query classes, judged sets, modes of small indexes, or parts of -knn (Quire, OpenSearch, OpenSearch merged; the others as they were measured last), or stores of -writes (quire, opensearch, sqlite, quire-in-process) (default all)")
	flag.IntVar(&o.docs, "docs", 1_000_000, "documents of the corpus")
	flag.IntVar(&o.perKind, "queries", 100, "queries of each class")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds in which engines take turns")
	flag.IntVar(&o.repeat, "repeat", 5, "runs of a query in a round; the fastest counts")
	flag.IntVar(&o.threads, "threads", 2, "threads of the throughput part")
	flag.DurationVar(&o.warm, "warm", 20*time.Second, "how long each engine runs all queries before anything is measured")
	flag.BoolVar(&quick, "quick", false, "a run of minutes: fewer documents, queries and rounds")
	flag.BoolVar(&judged, "relevance", false, "measure ranking quality on the judged sets instead of speed")
	flag.BoolVar(&vectors, "vectors", false, "measure nearest neighbours beside hnswlib instead of text search")
	flag.BoolVar(&typing, "typed", false, "measure what a search box asks: suggestions, facet values, typed text that is read")
	flag.BoolVar(&twoFields, "fields", false, "measure texts over two fields beside the same texts over one, asked for the first time and again")
	flag.BoolVar(&first, "first", false, "measure queries that were never asked before, by engines that are warm from others")
	flag.BoolVar(&o.service, "service", true, "measure Quire's own server too: latency over loopback, ingest over HTTP")
	flag.BoolVar(&serviceAlone, "ingest", false, "measure Quire's own server alone and print it")
	flag.BoolVar(&whole, "opensearch", false, "measure Quire's whole service beside OpenSearch 3 instead")
	flag.BoolVar(&knn, "knn", false, "measure nearest neighbours of Quire's whole service beside OpenSearch 3 instead")
	flag.BoolVar(&o.apart, "apart", false, "run the services beside OpenSearch on the first core alone; the load generator is to be kept off it, as by taskset -c 1")
	flag.BoolVar(&loading, "load", false, "measure quire load of a CSV file beside curl with the same rows as NDJSON instead")
	flag.BoolVar(&refreshing, "signals", false, "measure refreshing signals beside adding the documents again instead")
	flag.IntVar(&small, "small", 0, "measure so many small indexes on one node instead")
	flag.StringVar(&growing, "growth", "", "measure Quire alone at these numbers of documents instead, as 100000,1000000")
	flag.BoolVar(&overHTTP, "http", false, "measure what HTTP adds to a search of one term instead")
	flag.BoolVar(&writing, "writes", false, "measure durable writes of one document beside SQLite FTS5 and OpenSearch 3 instead")
	flag.DurationVar(&o.cell, "cell", 2*time.Second, "how long each class runs with each number of connections beside OpenSearch, and each measurement of writes")
	flag.BoolVar(&cores, "cores", false, "measure one search on several cores beside one core instead, and both under load")
	flag.BoolVar(&o.built, "built", false, "take the drivers as they were built last")
	flag.StringVar(&o.profile, "profile", "", "write CPU and allocation profiles of this query class instead")
	flag.Parse()
	if quick {
		o.docs, o.perKind, o.rounds, o.repeat = min(o.docs, 100_000), min(o.perKind, 20), 2, 5
		o.warm, o.trickle = min(o.warm, 8*time.Second), min(o.trickle, 30*time.Second)
	}
	o.engines, o.brief = strings.Split(engines, ","), strings.Split(brief, ",")
	if restAlone {
		o.engines, o.service, o.loose = []string{"quire"}, false, true
	}
	if classes != "" {
		o.classes = strings.Split(classes, ",")
	}
	if o.out == "" {
		name := time.Now().Format("2006-01-02")
		if quick {
			name += "-quick"
		}
		if restAlone {
			name += "-rest"
		}
		if whole {
			name += "-service"
		}
		if knn {
			name += "-knn"
		}
		if loading {
			name += "-load"
		}
		if refreshing {
			name += "-signals"
		}
		if writing {
			name += "-writes"
		}
		if overHTTP {
			name += "-http"
		}
		if small > 0 {
			name += "-small"
		}
		if growing != "" {
			name += "-growth"
		}
		if cores {
			name += "-cores"
		}
		o.out = filepath.Join("bench", "results", name+".md")
	}
	work := measure
	switch {
	case judged:
		work = func(o options) error { return judge(o, quick) }
	case vectors:
		work = func(o options) error { return nearest(o, quick) }
	case typing:
		work = typed
	case twoFields:
		work = fields
	case first:
		work = firstAsked
	case serviceAlone:
		work = serve
	case whole:
		work = compareServices
	case knn:
		work = compareNearest
	case loading:
		work = loadFiles
	case refreshing:
		work = signals
	case growing != "":
		sizes, err := numbers(growing)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(2)
		}
		work = func(o options) error { return growth(o, sizes) }
	case writing:
		work = writeDurably
	case overHTTP:
		work = searchOverHTTP
	case small > 0:
		work = func(o options) error { return smallIndexes(o, small) }
	case cores:
		work = measureCores
	case o.profile != "":
		work = profile
	}
	if err := work(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// numbers parses a list of positive numbers.
func numbers(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%q is not a positive number", part)
		}
		all = append(all, n)
	}
	return all, nil
}

func measure(o options) error {
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
	defer func() {
		for _, e := range engines {
			e.close()
		}
	}()
	for _, name := range o.engines {
		e, err := start(name)
		if err != nil {
			return fmt.Errorf("start %s: %w", name, err)
		}
		engines = append(engines, e)
	}
	r := &report{options: o, engines: engines}
	for _, e := range engines {
		if err := e.index(o, corpus, true); err != nil {
			return fmt.Errorf("index with %s: %w", e.name, err)
		}
	}
	if o.loose {
		defer r.closeRested()
		if err := r.startRested(o, corpus); err != nil {
			return err
		}
	}
	all := append(slices.Clone(engines), r.rested...)
	for _, e := range all {
		if err := e.open(); err != nil {
			return fmt.Errorf("open with %s: %w", e.name, err)
		}
	}
	if len(r.rested) > 0 { // before any engine knows the second half of the queries
		if r.first, err = askFirst(o, r.rested, queries); err != nil {
			return err
		}
	}
	for _, e := range all {
		if err := e.warm(o, queries); err != nil {
			return fmt.Errorf("warm %s: %w", e.name, err)
		}
	}
	for _, class := range classNames(o, queries) {
		found, err := measureClass(o, queries[class], all)
		if err != nil {
			return fmt.Errorf("class %s: %w", class, err)
		}
		r.add(class, found)
	}
	if err := r.trickles(o, corpus, queries); err != nil {
		return err
	}
	if err := r.updates(o, corpus, queries); err != nil {
		return err
	}
	if o.service {
		if err := r.throughServer(o, corpus, queries); err != nil {
			fmt.Fprintln(os.Stderr, "bench: without the server:", err)
		}
	}
	text := r.render()
	fmt.Println(text)
	return r.write(text)
}

// serve measures the overhead of Quire's server over the engine.
func serve(o options) error {
	corpus, queries, err := prepare(o)
	if err != nil {
		return err
	}
	var r report
	if err := r.throughServer(o, corpus, queries); err != nil {
		return err
	}
	var b strings.Builder
	r.service.render(&b)
	fmt.Println(b.String())
	return nil
}

// profile runs one class with Quire and writes profiles of time and memory.
func profile(o options) error {
	o.engines, o.classes = []string{"quire"}, []string{o.profile}
	corpus, queries, err := prepare(o)
	if err != nil {
		return err
	}
	if len(queries[o.profile]) == 0 {
		return fmt.Errorf("no class %q; there are %s", o.profile, strings.Join(order, ", "))
	}
	if err := build("quire"); err != nil {
		return err
	}
	e, err := start("quire")
	if err != nil {
		return err
	}
	defer e.close()
	if err := e.index(o, corpus, true); err != nil {
		return err
	}
	if err := e.open(); err != nil {
		return err
	}
	cpu, allocs := "bench/data/"+o.profile+".cpu.prof", "bench/data/"+o.profile+".allocs.prof"
	var a throughput
	err = e.ask(map[string]any{"do": "profile", "queries": queries[o.profile], "threads": 1, "rounds": 1, "seconds": 10, "cpu": cpu, "allocs": allocs}, &a)
	if err == nil {
		fmt.Printf("%d queries; go tool pprof %s, go tool pprof -sample_index=alloc_space %s\n", a.Queries, cpu, allocs)
	}
	return err
}
