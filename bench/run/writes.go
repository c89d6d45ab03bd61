package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quiresearch/quire/bench/wire"
)

// Writes: one document at a time, each acknowledged when durable, by one client
// and by 64. Services are called over HTTP. SQLite runs in the process of its
// clients, with a thread and a connection per client, and so does Quire's
// engine, with a goroutine per client: these rows do not include the cost of
// HTTP.

// writeClients are the numbers of clients.
var writeClients = []int{1, 64}

// writeTimes is the result of one store with one number of clients.
type writeTimes struct {
	Round     int
	Store     string
	Clients   int
	Writes    int
	Seconds   float64
	P50, P99  float64 // milliseconds
	Processor float64 // microseconds of the service per write; in process, including the clients
}

// writeStore is one way to write documents, with the name used by -classes.
type writeStore struct {
	name    string
	measure func(o options, corpus string, lines []json.RawMessage) ([]writeTimes, error)
}

var writeStores = []writeStore{
	{"quire", quireWriter.measure},
	{"opensearch", openSearchWriter.measure},
	{"sqlite", writeSQLite},
	{"quire-in-process", writeInProcess},
}

// writer is a service that accepts documents over HTTP.
type writer struct {
	name    string
	service *contender
	path    func(client, number int) (method, path string)
	body    func(line []byte) []byte
}

var (
	quireWriter = &writer{"Quire, over HTTP", quireContender(), func(int, int) (string, string) { return "POST", "/v1alpha1/indexes/bench/documents" },
		func(line []byte) []byte { return fmt.Appendf(nil, `{"documents":[%s]}`, line) }}
	openSearchWriter = &writer{"OpenSearch, over HTTP", openSearchContender(), func(client, number int) (string, string) {
		return "PUT", fmt.Sprintf("/bench/_doc/%d-%d", client, number)
	}, func(line []byte) []byte { return line }}
)

// writeDurably measures all stores and writes the report.
func writeDurably(o options) error {
	corpus, _, err := prepare(o)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(writeStores), func(s writeStore) bool { return len(o.classes) > 0 && !slices.Contains(o.classes, s.name) })
	if len(chosen) == 0 {
		return fmt.Errorf("no store is one of %s", strings.Join(o.classes, ", "))
	}
	if slices.ContainsFunc(chosen, func(s writeStore) bool { return s.name == "opensearch" }) {
		if err := fetchOpenSearch(); err != nil {
			return err
		}
	}
	if !o.built {
		if err := build("quire"); err != nil {
			return err
		}
	}
	lines, err := head(corpus, 20_000)
	if err != nil {
		return err
	}
	floor, err := syncTime(o)
	if err != nil {
		return err
	}
	var all []writeTimes
	for round := range o.rounds {
		for i := range chosen {
			s := chosen[(i+round)%len(chosen)] // no store always follows the same one
			times, err := s.measure(o, corpus, lines)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			for _, t := range times {
				t.Round = round + 1
				fmt.Println(t)
				all = append(all, t)
			}
		}
	}
	text := renderWrites(o, floor, all)
	fmt.Println(text)
	return os.WriteFile(o.out, []byte(text), 0o644)
}

// measure starts a service on an empty directory and writes to it.
func (w *writer) measure(o options, _ string, lines []json.RawMessage) ([]writeTimes, error) {
	directory, err := filepath.Abs(filepath.Join(o.work, "writes-"+w.service.name))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o755)); err != nil {
		return nil, err
	}
	n, err := startNode(w.service, directory, true)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	defer n.stop()
	c, err := n.ready(w.service.versionPath)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := w.service.creation.do(c); err != nil {
		return nil, err
	}
	if _, err := w.write(n, 8, o.warm, lines); err != nil {
		return nil, err
	}
	var all []writeTimes
	for _, clients := range writeClients {
		one, err := w.write(n, clients, o.cell, lines)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// write sends documents over this many connections for a while.
func (w *writer) write(n *node, clients int, long time.Duration, lines []json.RawMessage) (writeTimes, error) {
	times := make([][]time.Duration, clients)
	began, processor := time.Now(), n.processor()
	err := n.each(clients, clients, func(c *wire.Conn, client int) error {
		for number := 0; time.Since(began) < long; number++ {
			line := lines[(number*clients+client)%len(lines)]
			method, path := w.path(client, number)
			asked := time.Now()
			if _, err := c.Send(method, path, "application/json", w.body(line)); err != nil {
				return err
			}
			times[client] = append(times[client], time.Since(asked))
		}
		return nil
	})
	took := n.spentSince(began, processor)
	all := slices.Sorted(slices.Values(slices.Concat(times...)))
	if err != nil || len(all) == 0 {
		return writeTimes{}, errors.Join(err, errors.New("nothing was written"))
	}
	return writeTimes{Store: w.name, Clients: clients, Writes: len(all), Seconds: took.clock, P50: milliseconds(all[len(all)/2]), P99: milliseconds(all[len(all)*99/100]),
		Processor: took.processor / float64(len(all)) * 1e6}, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// writeSQLite runs the driver of SQLite, which prints a line of JSON per number
// of clients.
func writeSQLite(o options, corpus string, _ []json.RawMessage) ([]writeTimes, error) {
	directory := filepath.Join(o.work, "writes-sqlite")
	if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o755)); err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	args := []string{"bench/sqlite/writes.py", corpus, directory, strconv.FormatFloat(o.cell.Seconds(), 'f', -1, 64)}
	for _, clients := range writeClients {
		args = append(args, strconv.Itoa(clients))
	}
	out, err := exec.Command("python3", args...).Output()
	if err != nil {
		return nil, err
	}
	var all []writeTimes
	for line := range bytes.Lines(out) {
		var one writeTimes
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		all = append(all, one)
	}
	return all, nil
}

// writeInProcess lets the driver of Quire write to its engine, with the
// definition, the documents and the warm-up of the service.
func writeInProcess(o options, _ string, lines []json.RawMessage) ([]writeTimes, error) {
	directory := filepath.Join(o.work, "writes-in-process")
	if err := os.RemoveAll(directory); err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	e, err := start("quire")
	if err != nil {
		return nil, err
	}
	defer e.close()
	command := map[string]any{"do": "write", "dir": directory, "definition": json.RawMessage(wholeDefinition), "documents": lines,
		"warm": o.warm.Seconds(), "seconds": o.cell.Seconds()}
	var all []writeTimes
	for _, clients := range writeClients {
		command["clients"] = clients
		var a struct {
			Writes  int     `json:"writes"`
			Seconds float64 `json:"seconds"`
			P50     float64 `json:"p50_ms"`
			P99     float64 `json:"p99_ms"`
			CPU     float64 `json:"cpu_us"`
		}
		if err := e.ask(command, &a); err != nil {
			return nil, err
		}
		all = append(all, writeTimes{Store: "Quire, in process", Clients: clients, Writes: a.Writes, Seconds: a.Seconds, P50: a.P50, P99: a.P99, Processor: a.CPU})
		command = map[string]any{"do": "write", "seconds": o.cell.Seconds()} // to the same index
	}
	return all, nil
}

// syncTime returns the median time to append 4 KB to a file and sync it, a
// lower bound for durable writes on this disk.
func syncTime(o options) (time.Duration, error) {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return 0, err
	}
	f, err := os.Create(filepath.Join(o.work, "writes-sync"))
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	page := make([]byte, 4096)
	var times []time.Duration
	for range 300 {
		began := time.Now()
		if _, err := f.Write(page); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

func (w writeTimes) String() string {
	return fmt.Sprintf("| %d | %s | %d | %d | %.0f | %.3f | %.2f | %.0f |", w.Round, w.Store, w.Clients, w.Writes, float64(w.Writes)/w.Seconds, w.P50, w.P99, w.Processor)
}

func renderWrites(o options, floor time.Duration, all []writeTimes) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Durable writes of one document, %s\n\nMachine: %s; the clients run on the same cores. Load average (1, 5, 15 minutes) at the end: %s. Quire: commit %s. Command: `make bench-writes`.\n\n",
		time.Now().Format("2006-01-02"), machine(), loadAverage(), commit())
	fmt.Fprintf(&b, "Each client writes one commit message, waits until it is acknowledged as durable, and writes the next, for %v. Stores take turns, each round beginning with another. To append 4 KB to a file here and sync it takes %.2f ms at the median. What a row pays for:\n\n",
		o.cell, milliseconds(floor))
	fmt.Fprintf(&b, "- Quire, over HTTP: local mode. A request over a kept connection, checking and reading the JSON, the log and its sync. Indexing, commits and merges run beside the writes on the same cores.\n"+
		"- OpenSearch, over HTTP: version 3, one shard, no replica, `index.translog.durability: request`, which is what it comes with, heap 4 GB.\n"+
		"- SQLite, in process: FTS5 beside a table of the other fields, `journal_mode=WAL`, `synchronous=FULL`, one transaction for each document, by Python's sqlite3, a thread and a connection for each client. It pays for the Python between the calls and for checkpoints, which the client that reaches one makes. It pays neither for HTTP nor for JSON: documents are parsed before.\n"+
		"- Quire, in process: the engine with the options of the service, a goroutine for each client, and the same definition, so everything that the service does except HTTP, routing, permissions and the answer. It pays for the JSON.\n\n")
	fmt.Fprintf(&b, "Before it is measured, eight clients write to each store except SQLite for %v. Quire gets documents under their own keys, 20,000 of them again and again, so that it replaces documents; OpenSearch gets a key for each client and number, of which the warm-up has written some; SQLite starts with an empty database for each number of clients and gets only new keys. A document of SQLite is searchable when it is acknowledged, one of Quire with the next commit, after 10,000 changes or 5 seconds, one of OpenSearch with the next refresh. In process, the processor time is that of the whole process, clients included.\n\n", o.warm)
	b.WriteString("| round | store | clients | writes | writes/s | p50 ms | p99 ms | CPU µs for a write |\n|---|---|---|---|---|---|---|---|\n")
	for _, w := range all {
		fmt.Fprintln(&b, w)
	}
	b.WriteString("\nMedians of the rounds:\n\n| clients | store | writes/s | p50 ms | p99 ms | CPU µs for a write |\n|---|---|---|---|---|---|\n")
	for _, clients := range writeClients {
		var names []string
		of := map[string][]writeTimes{}
		for _, w := range all {
			if w.Clients != clients {
				continue
			}
			if of[w.Store] == nil {
				names = append(names, w.Store)
			}
			of[w.Store] = append(of[w.Store], w)
		}
		for _, name := range names {
			middle := func(figure func(writeTimes) float64) float64 {
				var values []float64
				for _, w := range of[name] {
					values = append(values, figure(w))
				}
				return median(values)
			}
			fmt.Fprintf(&b, "| %d | %s | %.0f | %.3f | %.2f | %.0f |\n", clients, name, middle(func(w writeTimes) float64 { return float64(w.Writes) / w.Seconds }),
				middle(func(w writeTimes) float64 { return w.P50 }), middle(func(w writeTimes) float64 { return w.P99 }), middle(func(w writeTimes) float64 { return w.Processor }))
		}
	}
	return b.String()
}
