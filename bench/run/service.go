package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// service is the overhead of Quire's server over the engine.
type service struct {
	docs              int
	inside, through   []float64 // µs of one-term searches
	insideQPS, viaQPS [2]float64
	insideCPU, viaCPU float64 // microseconds per search with one thread; over HTTP, those of the server
	openSeconds       float64
	restBytes         int64
	ingest            []ingest
}

// ingest is the result of one method of loading documents.
type ingest struct {
	corpus, way  string
	clients      int
	Seconds      float64 `json:"seconds"`
	Acknowledged float64 `json:"acknowledged"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	PeakPrivate  int64   `json:"peak_private"` // private memory of the process
	PeakMapped   int64   `json:"peak_mapped"`  // pages of files, which the kernel can reclaim
	Docs         int     `json:"docs"`
	Sent         int64   `json:"sent"`
}

// packages indexes the members of a Debian package as a shop would index its
// products.
const packages = `{"fields":{"id":{"type":"string","role":"id"},"name":{"type":"string","role":"title"},"title":{"type":"string","role":"description"},
	"body":{"type":"string","role":"description"},"section":{"type":"string","role":"tag"},"priority":{"type":"string","role":"tag"},
	"arch":{"type":"string","role":"tag"},"source":{"type":"string","stored":true},"version":{"type":"string","stored":true},
	"size":{"type":"int64","filter":{},"sort":{}},"installed_kb":{"type":"int64","filter":{},"sort":{}},
	"tags":{"type":"string","role":"tag","multiple":true},"depends":{"type":"string","filter":{},"multiple":true},"homepage":{"type":"string","stored":true}}}`

// messages indexes complete commit messages: all members, with the source
// stored.
const messages = `{"fields":{"id":{"type":"string","role":"id"},"repo":{"type":"string","role":"tag"},"component":{"type":"string","role":"tag"},
	"author":{"type":"string","filter":{}},"ts":{"type":"int64","filter":{},"sort":{}},"year":{"type":"int32","filter":{},"facet":{}},
	"labels":{"type":"string","role":"tag","multiple":true},"size":{"type":"int32","filter":{},"sort":{}},
	"title":{"type":"string","role":"title"},"body":{"type":"string","role":"description"}}}`

// throughServer measures the same one-term searches in process and through a
// server with the same files, and loading documents both ways.
func (r *report) throughServer(o options, corpus string, queries map[string][]query) error {
	if !o.built {
		if err := build("quire", "quire-http"); err != nil {
			return err
		}
	}
	s := &service{}
	if err := s.latency(o, corpus, queries["term_mid"]); err != nil {
		return err
	}
	if err := s.loads(o, corpus); err != nil {
		return err
	}
	r.service = s
	return nil
}

// loads measures loading the corpora, or the generated documents if they are
// missing.
func (s *service) loads(o options, corpus string) error {
	commits := filepath.Join(o.data, "commits.ndjson.zst")
	if _, err := os.Stat(commits); errors.Is(err, os.ErrNotExist) {
		return s.load(o, "generated", corpus, messages)
	}
	for _, l := range []struct{ name, packed, definition string }{
		{"commit messages", commits, messages},
		{"Debian packages", filepath.Join(o.data, "debian_packages.ndjson.zst"), packages},
	} {
		part := filepath.Join(o.work, strings.ReplaceAll(l.name, " ", "-")+".ndjson")
		if err := unpack(l.packed, part, min(o.docs, 200_000), withoutEmpty); err != nil {
			return err
		}
		if err := s.load(o, l.name, part, l.definition); err != nil {
			return err
		}
	}
	if o.docs < million {
		return nil
	}
	return s.loadMillion(o, commits)
}

// latency loads a part of the corpus into a server, searches it, stops it, and
// runs the same searches with the engine on the files that the server wrote.
func (s *service) latency(o options, corpus string, queries []query) error {
	part := filepath.Join(o.work, "service.ndjson")
	documents, err := head(corpus, min(o.docs, 100_000))
	if err != nil {
		return err
	}
	if err := writeLines(part, documents); err != nil {
		return err
	}
	dir := filepath.Join(o.work, "service")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	server, err := start("quire-http")
	if err != nil {
		return err
	}
	defer server.close()
	var loaded ingest
	if err := server.ask(map[string]any{"do": "index", "corpus": part, "dir": dir, "clients": 1, "rest": restLimit}, &loaded); err != nil {
		return err
	}
	s.docs = loaded.Docs
	if s.through, s.viaQPS, s.viaCPU, err = asked(o, server, queries); err != nil {
		return err
	}
	server.close()
	again, err := start("quire-http")
	if err != nil {
		return err
	}
	err = again.ask(map[string]any{"do": "open", "dir": dir}, &again.opened)
	s.openSeconds, s.restBytes = again.opened.Seconds, again.opened.RSS
	again.close()
	if err != nil {
		return err
	}
	inside, err := start("quire")
	if err != nil {
		return err
	}
	defer inside.close()
	generation, err := generationIn(dir)
	if err != nil {
		return err
	}
	if err := inside.ask(map[string]any{"do": "open", "dir": generation}, &inside.opened); err != nil {
		return err
	}
	s.inside, s.insideQPS, s.insideCPU, err = asked(o, inside, queries)
	return err
}

// asked returns the median time of every query, queries per second with one and
// with two threads, and the processor time of a query with one thread.
func asked(o options, e *engine, queries []query) (micros []float64, qps [2]float64, processor float64, err error) {
	for i, threads := range []int{1, 2} {
		var t throughput
		for range 2 { // the first one warms up
			if err := e.ask(map[string]any{"do": "throughput", "queries": queries, "threads": threads, "rounds": 100}, &t); err != nil {
				return nil, qps, 0, err
			}
		}
		qps[i] = float64(t.Queries) / t.Seconds
		if threads == 1 {
			processor = t.CPUSeconds / float64(t.Queries) * 1e6
		}
	}
	for _, q := range queries {
		var a answer
		if err := e.ask(map[string]any{"do": "query", "query": q, "repeat": 25}, &a); err != nil {
			return nil, qps, 0, err
		}
		runs := sortedCopy(a.All)
		micros = append(micros, runs[len(runs)/2])
	}
	return sortedCopy(micros), qps, processor, nil
}

// generationIn returns the directory of the only generation below the directory
// of a node.
func generationIn(dir string) (string, error) {
	found := ""
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".seg") {
			found = filepath.Dir(path)
		}
		return err
	})
	if err == nil && found == "" {
		err = errors.New("no segments below " + dir)
	}
	return found, err
}

func writeLines(path string, documents []json.RawMessage) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for _, d := range documents {
		if _, err := f.Write(append(d, '\n')); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// load measures loading documents over HTTP with one and with four clients, and
// in process with the same commits and merges as the server. The methods
// alternate; the smallest figures of each count.
func (s *service) load(o options, name, part, definition string) error {
	ways := []ingest{{way: inProcess}, {way: "HTTP, 1 client", clients: 1}, {way: "HTTP, 4 clients", clients: 4}}
	for range loadRounds {
		for i := range ways {
			in, err := loadOnce(o, part, definition, ways[i].clients)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", name, ways[i].way, err)
			}
			ways[i].take(in)
		}
	}
	for _, in := range ways {
		in.corpus = name
		s.ingest = append(s.ingest, in)
	}
	return nil
}

const (
	inProcess  = "in process, 2 threads"
	loadRounds = 3
	million    = 1_000_000
)

// take keeps the smaller figures of two loads.
func (in *ingest) take(other ingest) {
	if in.Docs == 0 {
		other.way, other.clients = in.way, in.clients
		*in = other
		return
	}
	in.Seconds, in.CPUSeconds = min(in.Seconds, other.Seconds), min(in.CPUSeconds, other.CPUSeconds)
	in.PeakPrivate, in.PeakMapped = min(in.PeakPrivate, other.PeakPrivate), min(in.PeakMapped, other.PeakMapped)
}

// loadOnce loads a file into an empty index: in process without clients,
// otherwise over HTTP.
func loadOnce(o options, part, definition string, clients int) (ingest, error) {
	dir := filepath.Join(o.work, "ingest")
	if err := os.RemoveAll(dir); err != nil {
		return ingest{}, err
	}
	name := "quire"
	if clients > 0 {
		name = "quire-http"
	}
	var in ingest
	err := once(name, map[string]any{"do": "index", "corpus": part, "dir": dir, "threads": 2, "clients": clients, "commits": true, "definition": json.RawMessage(definition)}, &in)
	if info, failed := os.Stat(part); err == nil && failed == nil {
		in.Sent = info.Size()
	}
	return in, errors.Join(err, os.RemoveAll(dir))
}

// loadMillion sends a million lines in one request, after a part of them, to
// show that private memory does not grow with the number of lines.
func (s *service) loadMillion(o options, packed string) error {
	part := filepath.Join(o.work, "million-lines.ndjson")
	for _, lines := range []int{million * 3 / 10, million} {
		if err := unpack(packed, part, lines, withoutEmpty); err != nil {
			return err
		}
		in, err := loadOnce(o, part, messages, 1)
		if err != nil {
			return fmt.Errorf("%d lines: %w", lines, err)
		}
		in.corpus, in.way = "commit messages", "HTTP, one request"
		s.ingest = append(s.ingest, in)
	}
	return os.Remove(part)
}

// withoutEmpty removes members with empty strings, which carry no information.
func withoutEmpty(line []byte) ([]byte, error) {
	var d map[string]any
	if err := json.Unmarshal(line, &d); err != nil {
		return nil, err
	}
	for name, value := range d {
		if text, ok := value.(string); ok && text == "" {
			delete(d, name)
		}
	}
	return json.Marshal(d)
}

// searchOverHTTP measures only the overhead of HTTP for a search, and writes
// the report.
func searchOverHTTP(o options) error {
	corpus, queries, err := prepare(o)
	if err != nil {
		return err
	}
	if !o.built {
		if err := build("quire", "quire-http"); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What HTTP adds to a search, %s\n\nMachine: %s. Quire: commit %s. Command: `make bench-http`.\n\n", time.Now().Format("2006-01-02"), machine(), commit())
	for range o.rounds {
		s := &service{}
		if err := s.latency(o, corpus, queries["term_mid"]); err != nil {
			return err
		}
		s.renderLatency(&b)
	}
	fmt.Fprintf(&b, "Load average (1, 5, 15 minutes) at the end: %s.\n", loadAverage())
	fmt.Println(b.String())
	return os.WriteFile(o.out, []byte(b.String()), 0o644)
}

func (s *service) renderLatency(b *strings.Builder) {
	fmt.Fprintf(b, "One-term searches (term_mid) on the same files of %d documents: in process %.0f µs at the median, over HTTP on loopback %.0f µs: **%.0f µs added** (bound: 100). Processor time of a search, one thread: in process %.0f µs, in the server %.0f µs: **%.0f µs added** (bound: 60). The server was asked when it had merged what the load left. Client and server share the processors; the client is one connection, written and read by the one who asks.\n\n",
		s.docs, middle(s.inside), middle(s.through), middle(s.through)-middle(s.inside), s.insideCPU, s.viaCPU, s.viaCPU-s.insideCPU)
	fmt.Fprintf(b, "| | queries/s, 1 thread | 2 threads |\n|---|---|---|\n| in process | %.0f | %.0f |\n| HTTP | %.0f | %.0f |\n\n", s.insideQPS[0], s.insideQPS[1], s.viaQPS[0], s.viaQPS[1])
}

func (s *service) render(b *strings.Builder) {
	b.WriteString("\n## Quire's server\n\n")
	s.renderLatency(b)
	fmt.Fprintf(b, "The server starts on that data in %.0f ms until ready, and takes %.0f MB at rest.\n\n", s.openSeconds*1e3, float64(s.restBytes)/1e6)
	fmt.Fprintf(b, "Loading documents until they are committed and visible, the sender on the same processors; commits and merges as a server makes them, smallest figures of %d loads:\n\n| corpus | way | documents | documents/s | MB/s | CPU s of the server | peak MB, private | mapped | share of HTTP |\n|---|---|---|---|---|---|---|---|---|\n", loadRounds)
	inside := 0.0
	for _, in := range s.ingest {
		share := ""
		switch {
		case in.way == inProcess:
			inside = in.CPUSeconds
		case in.clients > 0:
			share = fmt.Sprintf("%.0f %%", 100*(in.CPUSeconds-inside)/in.CPUSeconds)
		}
		fmt.Fprintf(b, "| %s | %s | %d | %.0f | %.1f | %.1f | %.0f | %.0f | %s |\n", in.corpus, in.way, in.Docs, float64(in.Docs)/in.Seconds, float64(in.Sent)/1e6/in.Seconds, in.CPUSeconds,
			float64(in.PeakPrivate)/1e6, float64(in.PeakMapped)/1e6, share)
	}
	b.WriteString("\nThe share of HTTP is how much of the processor time is above that of the same load in process (bound: 25 %). Private memory is what only the process can give back; mapped pages of index files are taken back by the system when it needs them.\n")
}
