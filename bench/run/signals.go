package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/bench/wire"
)

// Signals: refreshing the signal of documents compared with adding the
// documents again with the new value. The methods alternate on one node. Each
// is timed until its last commit is visible; every response on the way confirms
// that its changes are durable.

const (
	signalBatch   = 5000 // lines per request
	signalChanged = 20_000
	signalPasses  = 10 // passes over the changed documents in one measurement of refreshes
	signalClients = 2
	signalPath    = "/v1alpha1/indexes/messages/"
	besideTime    = 4 * time.Second
	besideRate    = 20_000 // refreshes per second of the calm writer
)

const signalDefinition = `{"fields":{
	"id":{"type":"string","role":"id"},
	"title":{"type":"string","role":"title"},
	"repo":{"type":"string","role":"tag"},
	"popularity":{"type":"int64","signal":{}}}}`

// signalLoad is the result of one measurement.
type signalLoad struct {
	way       string
	writes    int
	seconds   float64
	processor float64 // of the node
	steal     float64
}

var signalWays = []string{"add again", "refresh", "refresh at random over all"}

// signals measures all methods and writes the report.
func signals(o options) error {
	r, err := startSignals(o)
	if err != nil {
		return err
	}
	defer r.server.stop()
	if err := r.load(); err != nil {
		return err
	}
	var loads []signalLoad
	for range o.rounds {
		for _, way := range signalWays {
			one, err := r.quietly(way)
			if err != nil {
				return err
			}
			fmt.Println(one)
			loads = append(loads, one)
		}
	}
	var beside []besideSearch
	for range o.rounds {
		for _, writer := range []string{"none", "refreshes, 20,000/s", "refreshes, one client, as fast as it can", "adding again, one client, as fast as it can"} {
			one, err := r.beside(writer)
			if err != nil {
				return err
			}
			fmt.Println(one)
			beside = append(beside, one)
		}
	}
	if err := r.check(); err != nil {
		return err
	}
	text := renderSignals(loads, beside)
	fmt.Println(text)
	return os.WriteFile(o.out, []byte(text), 0o644)
}

type signalRun struct {
	server *server
	lines  []message // id, repo and title only
	value  int64     // the last value used
	random *rand.Rand
	latest map[string]int64
}

func startSignals(o options) (*signalRun, error) {
	directory, err := filepath.Abs(filepath.Join(o.work, "signals"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(directory, "commits.ndjson")
	if err := unpack(filepath.Join(o.data, "commits.ndjson.zst"), file, o.docs, func(line []byte) ([]byte, error) { return bytes.TrimSpace(line), nil }); err != nil {
		return nil, err
	}
	raw, err := head(file, 1<<40)
	if err != nil {
		return nil, err
	}
	r := &signalRun{random: rand.New(rand.NewPCG(1, 2)), latest: map[string]int64{}}
	for _, line := range raw {
		m, _, err := parseMessage(line)
		if err != nil {
			return nil, err
		}
		r.lines = append(r.lines, message{ID: m.ID, Repo: m.Repo, Title: m.Title})
	}
	r.server, err = startServer(o)
	return r, err
}

func (r *signalRun) load() error {
	if _, err := r.server.send("PUT", "/v1alpha1/admin/indexes/messages", "application/json", strings.NewReader(signalDefinition)); err != nil {
		return err
	}
	if err := r.send(signalClients, r.bodies("add again", r.lines)); err != nil {
		return err
	}
	return r.commit()
}

func (r *signalRun) commit() error {
	_, err := r.server.send("POST", "/v1alpha1/admin/indexes/messages/actions/commit", "application/json", nil)
	return err
}

// signalRequest is a body and its operation.
type signalRequest struct {
	operation string
	body      []byte
}

// bodies returns the requests that give the documents new values.
func (r *signalRun) bodies(way string, documents []message) (all []signalRequest) {
	operation := "documents?onError=skip"
	if way != signalWays[0] {
		operation = "documents/actions/update?missing=skip"
	}
	for part := range slices.Chunk(documents, signalBatch) {
		var body []byte
		for _, m := range part {
			r.value++
			r.latest[m.ID] = r.value
			id, _ := json.Marshal(m.ID) // strings always encode
			if way == signalWays[0] {
				repo, _ := json.Marshal(m.Repo)
				title, _ := json.Marshal(m.Title)
				body = fmt.Appendf(body, "{\"id\":%s,\"repo\":%s,\"title\":%s,\"popularity\":%d}\n", id, repo, title, r.value)
			} else {
				body = fmt.Appendf(body, "{\"id\":%s,\"popularity\":%d}\n", id, r.value)
			}
		}
		all = append(all, signalRequest{operation, body})
	}
	return all
}

// send sends requests over several connections. The order of two changes to one
// document is kept only with a single connection.
func (r *signalRun) send(clients int, requests []signalRequest) error {
	var next atomic.Int64
	failures := make([]error, clients)
	var wg sync.WaitGroup
	for c := range clients {
		w, err := wire.Dial(strings.TrimPrefix(r.server.url, "http://"))
		if err != nil {
			return err
		}
		wg.Go(func() {
			defer w.Close()
			for i := next.Add(1) - 1; i < int64(len(requests)) && failures[c] == nil; i = next.Add(1) - 1 {
				_, failures[c] = w.Send("POST", signalPath+requests[i].operation, "application/x-ndjson", requests[i].body)
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

// quietly measures a method, and repeats that while other machines take too
// much time.
func (r *signalRun) quietly(way string) (one signalLoad, err error) {
	for range stealRounds {
		if one, err = r.measure(way); err != nil || one.steal <= stealLimit {
			return one, err
		}
		fmt.Println("repeated:", one)
	}
	return one, nil
}

// measure gives documents new values with one method, up to and including the
// commit.
func (r *signalRun) measure(way string) (one signalLoad, err error) {
	// Passes over the same documents run one after the other: which of two values
	// for one document is the last must not depend on the connections.
	var passes [][]signalRequest
	switch way {
	case signalWays[0]:
		passes = append(passes, r.bodies(way, r.lines[:signalChanged]))
	case signalWays[1]:
		for range signalPasses {
			passes = append(passes, r.bodies(way, r.lines[:signalChanged]))
		}
	default:
		for range signalPasses {
			some := slices.Clone(r.lines)
			r.random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			passes = append(passes, r.bodies(way, some[:signalChanged]))
		}
	}
	one = signalLoad{way: way, writes: len(passes) * signalChanged}
	pid := r.server.process.Process.Pid
	began, before, spent := time.Now(), stolen(), processorOf(pid)
	for _, requests := range passes {
		if err := r.send(signalClients, requests); err != nil {
			return one, err
		}
	}
	if err := r.commit(); err != nil {
		return one, err
	}
	one.seconds = time.Since(began).Seconds()
	one.processor = (processorOf(pid) - spent).Seconds()
	one.steal = stolen().since(before)
	return one, nil
}

// besideSearch is the time of searches during writes.
type besideSearch struct {
	writer   string
	p50, p99 time.Duration
	searches int
	writes   float64 // per second
}

// beside runs one-term searches, ordered by relevance and the signal, over one
// connection while documents are written.
func (r *signalRun) beside(writer string) (one besideSearch, err error) {
	w, err := wire.Dial(strings.TrimPrefix(r.server.url, "http://"))
	if err != nil {
		return one, err
	}
	defer w.Close()
	way := signalWays[1]
	if strings.HasPrefix(writer, "adding") {
		way = signalWays[0]
	}
	requests := r.bodies(way, r.lines[:signalChanged])
	var stop atomic.Bool
	var written atomic.Int64
	var wg sync.WaitGroup
	var failure error
	began := time.Now()
	if writer != "none" {
		wg.Go(func() {
			for i := 0; !stop.Load() && failure == nil; i++ {
				failure = r.send(1, requests[i%len(requests):i%len(requests)+1])
				total := written.Add(signalBatch)
				if strings.Contains(writer, "/s") {
					time.Sleep(time.Until(began.Add(time.Duration(total) * time.Second / besideRate)))
				}
			}
		})
	}
	words := []string{"fix", "add", "test", "error", "update", "memory", "default", "remove"}
	var times []time.Duration
	for i := 0; time.Since(began) < besideTime && err == nil; i++ {
		body := fmt.Appendf(nil, `{"query":[{"type":"text","text":%q}],"signals":[{"field":"popularity","saturation":{"pivot":1000},"weight":0.5}]}`, words[i%len(words)])
		asked := time.Now()
		_, err = w.Send("POST", signalPath+"search", "application/json", body)
		times = append(times, time.Since(asked))
	}
	seconds := time.Since(began).Seconds()
	stop.Store(true)
	wg.Wait()
	slices.Sort(times)
	one = besideSearch{writer: writer, p50: times[len(times)/2], p99: times[len(times)*99/100], searches: len(times), writes: float64(written.Load()) / seconds}
	return one, errors.Join(err, failure, r.commit())
}

// check compares the stored values of some documents with the last values
// written.
func (r *signalRun) check() error {
	for range 200 {
		m := r.lines[r.random.IntN(len(r.lines))]
		text, err := r.server.send("GET", signalPath+"documents/"+m.ID, "", nil)
		if err != nil {
			if strings.Contains(err.Error(), " 404 ") {
				continue // the corpus has a few titles that are rejected
			}
			return err
		}
		if want := fmt.Appendf(nil, `"popularity":%d`, r.latest[m.ID]); !bytes.Contains(text, want) {
			return fmt.Errorf("document %s: %s where %s was given last", m.ID, text, want)
		}
	}
	return nil
}

func (l signalLoad) String() string {
	return fmt.Sprintf("| %s | %d | %.2f | %.0f | %.2f | %.2f | %.0f %% |", l.way, l.writes, l.seconds, float64(l.writes)/l.seconds, l.processor, l.each(), 100*l.steal)
}

// each returns the processor time of one write in microseconds.
func (l signalLoad) each() float64 { return l.processor / float64(l.writes) * 1e6 }

func (b besideSearch) String() string {
	return fmt.Sprintf("| %s | %.0f | %d | %d | %d |", b.writer, b.writes, b.searches, b.p50.Microseconds(), b.p99.Microseconds())
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func renderSignals(loads []signalLoad, beside []besideSearch) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Refreshing signals, %s\n\nMachine: %s; the sender runs on the same cores. Load average (1, 5, 15 minutes) at the end: %s. Quire: commit %s. Commit messages: id, repo, title and one signal. Command: `make bench-signals`.\n\n",
		time.Now().Format("2006-01-02"), machine(), loadAverage(), commit())
	fmt.Fprintf(&b, "Each measurement sends NDJSON, %d lines in a request, over %d connections, and ends with a commit; the commits that come by themselves are in it. Adding again sends %d whole documents; refreshing gives the same documents new values %d times, or as many taken at random from all. Every answer says that its lines are durable.\n\n",
		signalBatch, signalClients, signalChanged, signalPasses)
	b.WriteString("| way | writes | seconds | writes/s | CPU s of the node | CPU µs each | steal |\n|---|---|---|---|---|---|---|\n")
	each := map[string][]float64{}
	for _, l := range loads {
		fmt.Fprintln(&b, l)
		each[l.way] = append(each[l.way], l.each())
	}
	b.WriteString("\nProcessor time of a refresh relative to adding again, by the medians (aim: at least 8):\n\n| way | CPU µs each | times cheaper |\n|---|---|---|\n")
	added := median(each[signalWays[0]])
	for _, way := range signalWays {
		fmt.Fprintf(&b, "| %s | %.2f | %.1f |\n", way, median(each[way]), added/median(each[way]))
	}
	b.WriteString("\nSearches of one term with a signal in their ranking, one connection, beside a writer on the same two cores:\n\n| writer | writes/s | searches | p50 µs | p99 µs |\n|---|---|---|---|---|\n")
	for _, one := range beside {
		fmt.Fprintln(&b, one)
	}
	return b.String()
}
