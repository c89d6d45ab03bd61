package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/quiresearch/quire/bench/wire"
)

// The comparison of whole services: one after the other on the same machine,
// each with the same documents, the same client and equivalent requests.

const (
	bulkDocuments = 2000 // per request while loading, about a megabyte
	bulkClients   = 4
	restTime      = 10 * time.Second // between loading and measuring memory and disk
	mixedClass    = "all mixed"
)

// wholeClasses are the classes to run, each from one of the query sets.
var wholeClasses = []struct{ name, from string }{
	{"term", "term_mid"}, {"and", "and2"}, {"or", "or2"}, {"phrase", "phrase"}, {"prefix", "prefix"}, {"fuzzy", "fuzzy1"},
	{"bool with filter", "filter_term"}, {"facets and hits", "facet"}, {"facets alone", "facet"}, {"sort", "sort"},
}

// wholeRun is the result of one service.
type wholeRun struct {
	service       *contender
	version       string
	docs          int
	fresh, again  spent // the first load and the second
	bytes         int64
	rest          memory // after the load
	peak          int64  // peak resident memory during searches
	firstAnswer   spent
	load          string // load average of the machine before the searches
	totals        map[string][]int
	cached, plain map[string][]cell // by class, in the order of connections
	beside        []beside          // in the order of connections
	updates       [][]byte          // requests that write documents again
}

// cell is the result of one class with one number of connections.
type cell struct {
	p50, p99  time.Duration
	perSecond float64
	processor time.Duration // of the service per request
}

// spent is the duration of an operation in wall-clock time and in processor
// time of the service.
type spent struct{ clock, processor float64 }

func (n *node) spentSince(began time.Time, processor time.Duration) spent {
	return spent{time.Since(began).Seconds(), (n.processor() - processor).Seconds()}
}

func (n *node) processor() time.Duration { return processorOf(n.process.Process.Pid) }

var (
	cachedConnections = []int{1, 4, 16, 64}
	plainConnections  = []int{1, 16}
)

// compareServices compares Quire with OpenSearch.
func compareServices(o options) error {
	corpus, queries, err := prepare(o)
	if err != nil {
		return err
	}
	if !o.built {
		if err := build("quire-http"); err != nil {
			return err
		}
	}
	if err := fetchOpenSearch(); err != nil {
		return err
	}
	var runs []*wholeRun
	for _, c := range []*contender{quireContender(), openSearchContender()} {
		if o.apart {
			c.cores = "0"
		}
		r := &wholeRun{service: c, totals: map[string][]int{}}
		if err := r.measure(o, corpus, wholeQueries(queries)); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		runs = append(runs, r)
	}
	text := renderServices(o, runs[0], runs[1])
	fmt.Println(text)
	return os.WriteFile(o.out, []byte(text), 0o644)
}

// wholeQueries returns the queries of every class, and all of them interleaved.
func wholeQueries(queries map[string][]query) map[string][]query {
	all := map[string][]query{}
	longest := 0
	for _, c := range wholeClasses {
		longest = max(longest, len(queries[c.from]))
		for _, q := range queries[c.from] {
			if c.name == "facets alone" {
				q.Mode = "count"
			}
			all[c.name] = append(all[c.name], q)
		}
	}
	for i := range longest {
		for _, c := range wholeClasses {
			if i < len(all[c.name]) {
				all[mixedClass] = append(all[mixedClass], all[c.name][i])
			}
		}
	}
	return all
}

func classNamesOfWhole() []string {
	var names []string
	for _, c := range wholeClasses {
		names = append(names, c.name)
	}
	return append(names, mixedClass)
}

func (r *wholeRun) measure(o options, corpus string, queries map[string][]query) error {
	directory, err := filepath.Abs(filepath.Join(o.work, "whole-"+r.service.name))
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o755)); err != nil {
		return err
	}
	requests := map[string][][]byte{}
	for class, of := range queries {
		for _, q := range of {
			body, err := r.service.request(q)
			if err != nil {
				return err
			}
			requests[class] = append(requests[class], body)
		}
	}
	n, err := startNode(r.service, directory, true)
	if err != nil {
		return err
	}
	err = r.loadAndRest(n, corpus)
	if err == nil {
		err = r.count(n, requests)
	}
	n.stop()
	if err != nil {
		return err
	}
	if r.cached, err = r.searches(o, directory, true, cachedConnections, requests); err != nil {
		return err
	}
	if r.plain, err = r.searches(o, directory, false, plainConnections, requests); err != nil {
		return err
	}
	return os.RemoveAll(directory)
}

// loadAndRest loads the corpus into an empty node twice, the second time after
// the process has seen a load, and measures the resources of the second.
func (r *wholeRun) loadAndRest(n *node, corpus string) error {
	w, err := r.greet(n)
	if err != nil {
		return err
	}
	defer w.Close()
	bodies, err := r.bulks(corpus)
	if err != nil {
		return err
	}
	if r.fresh, err = r.loadOnce(n, w, bodies); err != nil {
		return err
	}
	if err := r.service.removal.do(w); err != nil {
		return err
	}
	if r.again, err = r.loadOnce(n, w, bodies); err != nil {
		return err
	}
	if err := doAll(w, r.service.settle); err != nil {
		return err
	}
	time.Sleep(restTime)
	r.rest = memoryOf(n.process.Process.Pid)
	r.bytes, err = bytesBelow(n.directory)
	return err
}

// greet waits until the node responds and gets its version.
func (r *wholeRun) greet(n *node) (*wire.Conn, error) {
	w, err := n.ready(r.service.versionPath)
	if err != nil {
		return nil, err
	}
	about, err := w.Send("GET", r.service.versionPath, "application/json", nil)
	if err != nil {
		w.Close()
		return nil, err
	}
	r.version = r.service.version(about)
	return w, nil
}

// loadOnce creates the index and returns the cost until everything is
// searchable.
func (r *wholeRun) loadOnce(n *node, w *wire.Conn, bodies [][]byte) (spent, error) {
	if err := r.service.creation.do(w); err != nil {
		return spent{}, err
	}
	fmt.Println("loading into", r.service.name)
	began, processor := time.Now(), n.processor()
	if err := n.each(bulkClients, len(bodies), func(w *wire.Conn, i int) error {
		answer, err := w.Send("POST", r.service.bulkPath, r.service.bulkKind, bodies[i])
		if err != nil {
			return err
		}
		return r.service.bulkFailed(answer)
	}); err != nil {
		return spent{}, err
	}
	err := doAll(w, r.service.visible)
	return n.spentSince(began, processor), err
}

// bulks returns the requests that load the corpus.
func (r *wholeRun) bulks(corpus string) ([][]byte, error) {
	lines, err := head(corpus, 1<<40)
	if err != nil {
		return nil, err
	}
	r.docs = len(lines)
	r.updates = r.requestsOf(lines[:min(len(lines), 20_000)], steadyDocuments)
	return r.requestsOf(lines, bulkDocuments), nil
}

// requestsOf returns requests with this many documents each.
func (r *wholeRun) requestsOf(lines []json.RawMessage, documents int) [][]byte {
	var bodies [][]byte
	for part := range slices.Chunk(lines, documents) {
		raw := make([][]byte, len(part))
		for i, line := range part {
			raw[i] = line
		}
		bodies = append(bodies, r.service.bulk(raw))
	}
	return bodies
}

// count runs every query once to get its total.
func (r *wholeRun) count(n *node, requests map[string][][]byte) error {
	w, err := wire.Dial(n.address)
	if err != nil {
		return err
	}
	defer w.Close()
	for _, class := range classNamesOfWhole() {
		for _, body := range requests[class] {
			total, err := r.ask(w, body)
			if err != nil {
				return fmt.Errorf("%s: %w", class, err)
			}
			r.totals[class] = append(r.totals[class], total)
		}
	}
	return nil
}

func (r *wholeRun) ask(w *wire.Conn, body []byte) (int, error) {
	answer, err := w.Send("POST", r.service.searchPath, "application/json", body)
	if err != nil {
		return 0, err
	}
	return r.service.total(answer)
}

// searches starts the service with its stored data, times its first answer,
// warms it up and measures every class.
func (r *wholeRun) searches(o options, directory string, cached bool, connections []int, requests map[string][][]byte) (map[string][]cell, error) {
	n, err := startNode(r.service, directory, cached)
	if err != nil {
		return nil, err
	}
	defer n.stop()
	w, err := n.firstAnswer(r, requests["term"][0])
	if err != nil {
		return nil, err
	}
	if cached {
		r.firstAnswer = n.spentSince(n.began, 0)
	}
	err = r.service.prepare(w, cached)
	w.Close()
	if err != nil {
		return nil, err
	}
	fmt.Println("asking", r.service.name)
	if err := r.warm(o, n, requests[mixedClass]); err != nil {
		return nil, err
	}
	if cached {
		r.load = loadAverage()
	}
	found := map[string][]cell{}
	for _, class := range classNamesOfWhole() {
		for _, c := range connections {
			one, err := r.cell(n, c, o.cell, requests[class])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", class, err)
			}
			found[class] = append(found[class], one)
			fmt.Printf("%-10s %-17s %2d connections %8.0f/s p50 %v p99 %v\n", r.service.name, class, c, one.perSecond, one.p50, one.p99)
		}
	}
	if cached {
		err = r.besideWrites(o, n, requests[mixedClass])
	}
	r.peak = max(r.peak, memoryOf(n.process.Process.Pid).highest)
	return found, err
}

// warm runs all classes interleaved for the given time, and then until three
// rounds are no faster than the best one before them, up to a limit.
func (r *wholeRun) warm(o options, n *node, requests [][]byte) error {
	best, calm := 0.0, 0
	for began := time.Now(); time.Since(began) < o.warm || calm < 3 && time.Since(began) < 3*o.warm; {
		c, err := r.cell(n, 4, 3*time.Second, requests)
		if err != nil {
			return err
		}
		if calm++; c.perSecond > 1.03*best {
			calm = 0
		}
		best = max(best, c.perSecond)
	}
	return nil
}

// cell sends the requests in turn over this many connections for a while.
func (r *wholeRun) cell(n *node, connections int, long time.Duration, requests [][]byte) (cell, error) {
	var next atomic.Int64
	times := make([][]time.Duration, connections)
	began, processor := time.Now(), n.processor()
	err := n.each(connections, connections, func(w *wire.Conn, client int) error {
		for time.Since(began) < long {
			body := requests[int(next.Add(1))%len(requests)]
			asked := time.Now()
			if _, err := w.Send("POST", r.service.searchPath, "application/json", body); err != nil {
				return err
			}
			times[client] = append(times[client], time.Since(asked))
		}
		return nil
	})
	took := n.spentSince(began, processor)
	all := slices.Concat(times...)
	if err != nil || len(all) == 0 {
		return cell{}, errors.Join(err, errors.New("no answers"))
	}
	slices.Sort(all)
	return cell{p50: all[len(all)/2], p99: all[len(all)*99/100], perSecond: float64(len(all)) / took.clock,
		processor: time.Duration(took.processor / float64(len(all)) * float64(time.Second))}, nil
}

// node is a running service.
type node struct {
	process            *exec.Cmd
	address, directory string
	began              time.Time
	notes              io.Closer
}

func startNode(c *contender, directory string, cached bool) (*node, error) {
	address, port, err := wire.FreeAddress()
	if err != nil {
		return nil, err
	}
	notes, err := os.Create(directory + ".log")
	if err != nil {
		return nil, err
	}
	p := c.command(directory, port, cached)
	if c.cores != "" {
		pinned := exec.Command("taskset", append([]string{"-c", c.cores}, p.Args...)...)
		pinned.Env = p.Env
		p = pinned
	}
	p.Stdout, p.Stderr = notes, notes
	n := &node{process: p, address: address, directory: directory, began: time.Now(), notes: notes}
	if err := p.Start(); err != nil {
		return nil, errors.Join(err, notes.Close())
	}
	return n, nil
}

func (n *node) stop() {
	_ = n.process.Process.Signal(syscall.SIGTERM)
	_ = n.process.Wait()
	_ = n.notes.Close()
}

// ready waits until the node responds at a path.
func (n *node) ready(path string) (*wire.Conn, error) {
	return n.await(func(w *wire.Conn) error {
		_, err := w.Send("GET", path, "application/json", nil)
		return err
	})
}

// firstAnswer waits until a search returns the same total as before.
func (n *node) firstAnswer(r *wholeRun, body []byte) (*wire.Conn, error) {
	return n.await(func(w *wire.Conn) error {
		total, err := r.ask(w, body)
		if err == nil && total != r.totals["term"][0] {
			err = errors.New("not everything is searchable")
		}
		return err
	})
}

func (n *node) await(try func(w *wire.Conn) error) (*wire.Conn, error) {
	for time.Since(n.began) < 5*time.Minute {
		w, err := wire.Dial(n.address)
		if err == nil {
			if err = try(w); err == nil {
				return w, nil
			}
			w.Close()
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil, errors.New("the node did not answer; see " + n.directory + ".log")
}

// each processes the items over this many connections.
func (n *node) each(connections, items int, do func(w *wire.Conn, item int) error) error {
	var next atomic.Int64
	failures := make([]error, connections)
	var wg sync.WaitGroup
	for c := range connections {
		w, err := wire.Dial(n.address)
		if err != nil {
			return err
		}
		wg.Go(func() {
			defer w.Close()
			for i := next.Add(1) - 1; i < int64(items) && failures[c] == nil; i = next.Add(1) - 1 {
				failures[c] = do(w, int(i))
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

func machine() string {
	return fmt.Sprintf("%s, %d cores, %s/%s", cpuName(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}
