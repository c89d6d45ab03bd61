package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// service is what Quire's own server adds to the engine.
type service struct {
	docs              int
	inside, through   []float64 // µs of one-term searches
	insideQPS, viaQPS [2]float64
	openSeconds       float64
	restBytes         int64
	ingest            []ingest
}

// ingest is one way of loading documents.
type ingest struct {
	corpus, way  string
	docs         int
	sent         int64
	Seconds      float64 `json:"seconds"`
	Acknowledged float64 `json:"acknowledged"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	PeakRSS      int64   `json:"peak_rss"`
	Docs         int     `json:"docs"`
	Sent         int64   `json:"sent"`
}

// packages indexes the members of a Debian package as a shop would.
const packages = `{"fields":{"id":{"type":"string","role":"id"},"name":{"type":"string","role":"title"},"title":{"type":"string","role":"description"},
	"body":{"type":"string","role":"description"},"section":{"type":"string","role":"tag"},"priority":{"type":"string","role":"tag"},
	"arch":{"type":"string","role":"tag"},"source":{"type":"string","stored":true},"version":{"type":"string","stored":true},
	"size":{"type":"int64","filter":{},"sort":{}},"installed_kb":{"type":"int64","filter":{},"sort":{}},
	"tags":{"type":"string","role":"tag","multiple":true},"depends":{"type":"string","filter":{},"multiple":true},"homepage":{"type":"string","stored":true}}}`

// messages indexes commit messages whole: every member, source kept.
const messages = `{"fields":{"id":{"type":"string","role":"id"},"repo":{"type":"string","role":"tag"},"component":{"type":"string","role":"tag"},
	"author":{"type":"string","filter":{}},"ts":{"type":"int64","filter":{},"sort":{}},"year":{"type":"int32","filter":{},"facet":{}},
	"labels":{"type":"string","role":"tag","multiple":true},"size":{"type":"int32","filter":{},"sort":{}},
	"title":{"type":"string","role":"title"},"body":{"type":"string","role":"description"}}}`

// throughServer measures the same one-term searches in process and through a
// server on the same files, and loading documents both ways.
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
	loads := []struct{ name, packed, definition string }{
		{"commit messages", "commits.ndjson.zst", messages},
		{"Debian packages", "debian_packages.ndjson.zst", packages},
	}
	for _, l := range loads {
		if err := s.load(o, l.name, filepath.Join(o.data, l.packed), l.definition); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	r.service = s
	return nil
}

// latency loads a part of the corpus into a server, asks it, stops it, and
// asks the engine on the very files that the server wrote.
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
	if err := server.ask(map[string]any{"do": "index", "corpus": part, "dir": dir, "clients": 1}, &loaded); err != nil {
		return err
	}
	s.docs = loaded.Docs
	if s.through, s.viaQPS, err = asked(o, server, queries); err != nil {
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
	s.inside, s.insideQPS, err = asked(o, inside, queries)
	return err
}

// asked is the median time of every query, and queries per second with one
// and with two threads.
func asked(o options, e *engine, queries []query) (micros []float64, qps [2]float64, err error) {
	for i, threads := range []int{1, 2} {
		var t throughput
		for range 2 { // the first warms
			if err := e.ask(map[string]any{"do": "throughput", "queries": queries, "threads": threads, "rounds": 20}, &t); err != nil {
				return nil, qps, err
			}
		}
		qps[i] = float64(t.Queries) / t.Seconds
	}
	for _, q := range queries {
		var a answer
		if err := e.ask(map[string]any{"do": "query", "query": q, "repeat": 25}, &a); err != nil {
			return nil, qps, err
		}
		runs := sortedCopy(a.All)
		micros = append(micros, runs[len(runs)/2])
	}
	return sortedCopy(micros), qps, nil
}

// generationIn finds the directory of the only generation below a node's.
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

// load measures documents through HTTP with one and with four clients, and in
// process.
func (s *service) load(o options, name, packed, definition string) error {
	part := filepath.Join(o.work, strings.ReplaceAll(name, " ", "-")+".ndjson")
	same := func(line []byte) ([]byte, error) { return withoutEmpty(line) }
	if err := unpack(packed, part, min(o.docs, 200_000), same); err != nil {
		return err
	}
	for _, way := range []struct {
		name, engine string
		clients      int
	}{{"in process, 2 threads", "quire", 0}, {"HTTP, 1 client", "quire-http", 1}, {"HTTP, 4 clients", "quire-http", 4}} {
		dir := filepath.Join(o.work, "ingest")
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		in := ingest{corpus: name, way: way.name}
		if err := once(way.engine, map[string]any{"do": "index", "corpus": part, "dir": dir, "threads": 2, "clients": way.clients, "definition": json.RawMessage(definition)}, &in); err != nil {
			return fmt.Errorf("%s, %s: %w", name, way.name, err)
		}
		if in.Sent == 0 {
			if info, err := os.Stat(part); err == nil {
				in.Sent = info.Size()
			}
		}
		s.ingest = append(s.ingest, in)
	}
	return os.RemoveAll(filepath.Join(o.work, "ingest"))
}

// withoutEmpty drops members with empty text, which say nothing.
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

func (s *service) render(b *strings.Builder) {
	middle := func(v []float64) float64 { return v[len(v)/2] }
	fmt.Fprintf(b, "\n## Quire's server\n\nOne-term searches (term_mid) on the same files of %d documents: in process %.0f µs at the median, over HTTP on loopback %.0f µs: **%.0f µs added** (bound: 150). Client and server share the processors.\n\n",
		s.docs, middle(s.inside), middle(s.through), middle(s.through)-middle(s.inside))
	fmt.Fprintf(b, "| | queries/s, 1 thread | 2 threads |\n|---|---|---|\n| in process | %.0f | %.0f |\n| HTTP | %.0f | %.0f |\n\n", s.insideQPS[0], s.insideQPS[1], s.viaQPS[0], s.viaQPS[1])
	fmt.Fprintf(b, "The server starts on that data in %.0f ms until ready, and takes %.0f MB at rest.\n\n", s.openSeconds*1e3, float64(s.restBytes)/1e6)
	b.WriteString("Loading documents until they are committed and visible, the sender on the same processors:\n\n| corpus | way | documents | documents/s | MB/s | CPU s of the server | peak MB |\n|---|---|---|---|---|---|---|\n")
	for _, in := range s.ingest {
		fmt.Fprintf(b, "| %s | %s | %d | %.0f | %.1f | %.1f | %.0f |\n", in.corpus, in.way, in.Docs, float64(in.Docs)/in.Seconds, float64(in.Sent)/1e6/in.Seconds, in.CPUSeconds, float64(in.PeakRSS)/1e6)
	}
}
