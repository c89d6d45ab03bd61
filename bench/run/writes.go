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

// Writes: one document at a time, each answered when it is durable, by one client
// and by 64. Services are asked over HTTP; SQLite runs in the process of its
// clients, a thread with a connection of its own for each, so that it pays for no
// HTTP.

// writeClients are the numbers of clients.
var writeClients = []int{1, 64}

// writeTimes is what one store did with one number of clients.
type writeTimes struct {
	Store     string
	Clients   int
	Writes    int
	Seconds   float64
	P50, P99  float64 // milliseconds
	processor float64 // microseconds of the service for a write, 0 where it runs in the clients
}

// writer is a store that takes documents.
type writer struct {
	name    string
	service *contender
	path    func(client, number int) (method, path string)
	body    func(line []byte) []byte
}

var writers = []writer{
	{"Quire", quireContender(), func(int, int) (string, string) { return "POST", "/v1alpha1/indexes/bench/documents" },
		func(line []byte) []byte { return fmt.Appendf(nil, `{"documents":[%s]}`, line) }},
	{"OpenSearch", openSearchContender(), func(client, number int) (string, string) {
		return "PUT", fmt.Sprintf("/bench/_doc/%d-%d", client, number)
	}, func(line []byte) []byte { return line }},
}

// writeDurably measures every store and writes the report.
func writeDurably(o options) error {
	corpus, _, err := prepare(o)
	if err != nil {
		return err
	}
	if err := fetchOpenSearch(); err != nil {
		return err
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
	for range o.rounds {
		for _, w := range writers {
			times, err := w.measure(o, lines)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			all = append(all, times...)
		}
		times, err := writeSQLite(o, corpus)
		if err != nil {
			return fmt.Errorf("SQLite: %w", err)
		}
		all = append(all, times...)
	}
	text := renderWrites(o, floor, all)
	fmt.Println(text)
	return os.WriteFile(o.out, []byte(text), 0o644)
}

// measure starts a service on an empty directory and writes to it.
func (w *writer) measure(o options, lines []json.RawMessage) ([]writeTimes, error) {
	directory, err := filepath.Abs(filepath.Join(o.work, "writes-"+w.name))
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
		fmt.Println(one)
		all = append(all, one)
	}
	return all, nil
}

// write sends documents over so many connections for a while.
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
		processor: took.processor / float64(len(all)) * 1e6}, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// writeSQLite runs the driver of SQLite, which prints a line of JSON for each
// number of clients.
func writeSQLite(o options, corpus string) ([]writeTimes, error) {
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
		fmt.Println(one)
		all = append(all, one)
	}
	return all, nil
}

// syncTime is the median time to append 4 KB to a file and sync it, which no durable
// write on this disk is below.
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
	processor := "in the clients"
	if w.processor > 0 {
		processor = fmt.Sprintf("%.0f", w.processor)
	}
	return fmt.Sprintf("| %s | %d | %d | %.0f | %.2f | %.2f | %s |", w.Store, w.Clients, w.Writes, float64(w.Writes)/w.Seconds, w.P50, w.P99, processor)
}

func renderWrites(o options, floor time.Duration, all []writeTimes) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Durable writes of one document, %s\n\nMachine: %s; the clients run on the same cores. Load average (1, 5, 15 minutes) at the end: %s. Quire: commit %s. Command: `make bench-writes`.\n\n",
		time.Now().Format("2006-01-02"), machine(), loadAverage(), commit())
	fmt.Fprintf(&b, "Each client sends one commit message, waits until it is acknowledged as durable, and sends the next, for %v, after the services were written to by eight clients for %v. Quire: local mode. OpenSearch 3: one shard, no replica, `index.translog.durability: request`, which is what it comes with, heap 4 GB. SQLite: FTS5 beside a table of the other fields, `journal_mode=WAL`, `synchronous=FULL`, one transaction for each document, by Python's sqlite3 in the process of the clients, a thread and a connection each: it pays for no HTTP. To append 4 KB to a file here and sync it takes %.2f ms at the median.\n\n",
		o.cell, o.warm, milliseconds(floor))
	b.WriteString("| store | clients | writes | writes/s | p50 ms | p99 ms | CPU µs of the service for a write |\n|---|---|---|---|---|---|---|\n")
	for _, w := range all {
		fmt.Fprintln(&b, w)
	}
	b.WriteString("\nMedians of the rounds:\n\n| clients | store | writes/s | p50 ms | p99 ms |\n|---|---|---|---|---|\n")
	for _, clients := range writeClients {
		var stores []string
		rates, p50, p99 := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
		for _, w := range all {
			if w.Clients != clients {
				continue
			}
			if !slices.Contains(stores, w.Store) {
				stores = append(stores, w.Store)
			}
			rates[w.Store], p50[w.Store], p99[w.Store] = append(rates[w.Store], float64(w.Writes)/w.Seconds), append(p50[w.Store], w.P50), append(p99[w.Store], w.P99)
		}
		for _, s := range stores {
			fmt.Fprintf(&b, "| %d | %s | %.0f | %.2f | %.2f |\n", clients, s, median(rates[s]), median(p50[s]), median(p99[s]))
		}
	}
	return b.String()
}
