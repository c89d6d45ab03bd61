package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// catalogue indexes Debian packages as a shop indexes its products: sizes are
// quantities that people type.
const catalogue = `{"fields":{"id":{"type":"string","role":"id"},"name":{"type":"string","role":"title"},"title":{"type":"string","role":"description"},
	"section":{"type":"string","role":"tag"},"source":{"type":"string","filter":{},"facet":{}},"tags":{"type":"string","role":"tag","multiple":true},
	"version":{"type":"string","filter":{},"facet":{}},"installed_kb":{"type":"int64","filter":{},"sort":{},"unit":"kilobyte"}}}`

const catalogueSettings = `{"fields":{"section":{"suggest":{},"interpret":{},"values":[{"value":"libs","labels":{"en":"Libraries","sv":"Bibliotek"}}]},
	"source":{"suggest":{}},"version":{"suggest":{}}}}`

// asking is one kind of request of a search box. A pair has four bodies per
// comparison, two of each kind: the second of a kind counts, so that both find
// their data in the processor's caches.
type asking struct {
	name, at        string
	bodies          []any
	isPair          bool
	inside, through []float64
}

// typed measures suggestions, facet values and searches whose text is
// interpreted, in process and through a server.
func typed(o options) error {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	if !o.built {
		if err := build("quire", "quire-http"); err != nil {
			return err
		}
	}
	corpus := filepath.Join(o.work, fmt.Sprintf("typed-%d.ndjson", o.docs))
	names, err := repeatPackages(o, corpus)
	if err != nil {
		return err
	}
	set, err := readPackages(o)
	if err != nil {
		return err
	}
	var texts []string
	for _, q := range set.queries {
		if q.Class == "known_item" && len(texts) < 2*o.perKind {
			texts = append(texts, q.Text)
		}
	}
	all := askings(names, texts)
	dir := filepath.Join(o.work, "typed")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	server, err := start("quire-http")
	if err != nil {
		return err
	}
	defer server.close()
	fmt.Println("indexing", o.docs, "packages")
	var loaded ingest
	if err := server.ask(map[string]any{"do": "index", "corpus": corpus, "dir": dir, "clients": 2, "definition": json.RawMessage(catalogue)}, &loaded); err != nil {
		return err
	}
	if err := askAll(o, server, all, func(a *asking, us []float64) { a.through = us }); err != nil {
		return err
	}
	server.close()
	generation, err := generationIn(dir)
	if err != nil {
		return err
	}
	inside, err := start("quire")
	if err != nil {
		return err
	}
	defer inside.close()
	if err := inside.ask(map[string]any{"do": "open", "dir": generation}, &inside.opened); err != nil {
		return err
	}
	if err := askAll(o, inside, all, func(a *asking, us []float64) { a.inside = us }); err != nil {
		return err
	}
	text := renderTyped(loaded.Docs, inside.opened.Segments, all)
	fmt.Println(text)
	return os.WriteFile(strings.TrimSuffix(o.out, ".md")+"-typed.md", []byte(text), 0o644)
}

// repeatPackages writes packages repeatedly under different keys, and returns
// some of the names of their sources.
func repeatPackages(o options, out string) (names []string, err error) {
	var packages []map[string]any
	err = readPacked(filepath.Join(o.data, "debian_packages.ndjson.zst"), func(line []byte) error {
		var d map[string]any
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		kept := map[string]any{}
		for _, name := range []string{"id", "name", "title", "section", "source", "tags", "version", "installed_kb"} {
			if d[name] != nil && d[name] != "" {
				kept[name] = d[name]
			}
		}
		packages = append(packages, kept)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(packages) && len(names) < o.perKind; i += 101 {
		if name, _ := packages[i]["source"].(string); len(name) > 5 {
			names = append(names, name)
		}
	}
	f, err := os.Create(out)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	encoder := json.NewEncoder(w)
	for i := range o.docs {
		d := packages[i%len(packages)]
		key := d["id"]
		d["id"] = fmt.Sprintf("%v/%d", key, i/len(packages))
		if err == nil {
			err = encoder.Encode(d)
		}
		d["id"] = key
	}
	return names, errors.Join(err, w.Flush(), f.Close())
}

type body = map[string]any

// askings returns the kinds of requests, built from names of sources and texts
// that people search for.
func askings(names, texts []string) []*asking {
	each := func(name, at string, make func(name string) any) *asking {
		a := &asking{name: name, at: at}
		for _, n := range names {
			a.bodies = append(a.bodies, make(n))
		}
		return a
	}
	mistyped := func(name string) string { return name[:2] + name[3:4] + name[2:3] + name[4:] }
	libs := []any{body{"field": "section", "match": body{"value": "libs"}}}
	search := func(text string, more body) body {
		clause := body{"type": "text", "text": text}
		for k, v := range more {
			clause[k] = v
		}
		return body{"query": []any{clause}}
	}
	pair := func(name string, read func(text string) string) *asking {
		a := &asking{name: name, at: "search", isPair: true}
		for _, text := range texts {
			a.bodies = append(a.bodies, search(text, nil), search(text, nil), search(read(text), body{"match": "user"}), search(read(text), body{"match": "user"}))
		}
		return a
	}
	return []*asking{
		each("suggest, nothing typed", "suggest", func(string) any { return body{} }),
		each("suggest, one letter", "suggest", func(n string) any { return body{"text": n[:1]} }),
		each("suggest, three letters", "suggest", func(n string) any { return body{"text": n[:3]} }),
		each("suggest, a whole name", "suggest", func(n string) any { return body{"text": n} }),
		each("suggest, a mistyped name", "suggest", func(n string) any { return body{"text": mistyped(n)} }),
		each("suggest, three letters, 100 values", "suggest", func(n string) any { return body{"text": n[:3], "limit": 100} }),
		each("suggest, three letters under a filter", "suggest", func(n string) any { return body{"text": n[:3], "filters": libs} }),
		each("facet values", "facets/source/values", func(string) any { return body{} }),
		each("facet values, one letter", "facets/source/values", func(n string) any { return body{"prefix": n[:1]} }),
		each("facet values, three letters by value", "facets/source/values", func(n string) any { return body{"prefix": n[:3], "order": "value"} }),
		each("facet values, three letters under a filter", "facets/source/values", func(n string) any { return body{"prefix": n[:3], "filters": libs} }),
		pair("text as people type it", func(text string) string { return text }),
		pair("the same text and a value", func(text string) string { return text + " libraries" }),
		pair("the same text and a quantity", func(text string) string { return text + " under 5000 kb" }),
	}
}

func askAll(o options, e *engine, all []*asking, take func(a *asking, us []float64)) error {
	var done struct{}
	if err := e.ask(map[string]any{"do": "set", "body": json.RawMessage(catalogueSettings)}, &done); err != nil {
		return err
	}
	for _, a := range all {
		var answer struct{ US []float64 }
		if err := e.ask(map[string]any{"do": "ask", "at": a.at, "bodies": a.bodies, "repeat": 2 + o.repeat}, &answer); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		take(a, answer.US)
	}
	return nil
}

func renderTyped(docs, segments int, all []*asking) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Search boxes, %s\n\nCommit: %s. %d Debian packages (each many times under other keys) in %d segments. A request is timed from its body to the body of its answer; of several runs the fastest counts; times in milliseconds.\n\n",
		time.Now().Format("2006-01-02"), commit(), docs, segments)
	b.WriteString("| request | in process, median | 99 % | over HTTP, median | 99 % |\n|---|---|---|---|---|\n")
	share := func(values []float64, q float64) float64 {
		sorted := sortedCopy(values)
		return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))] / 1e3
	}
	for _, a := range all {
		if !a.isPair {
			fmt.Fprintf(&b, "| %s | %.3f | %.3f | %.3f | %.3f |\n", a.name, share(a.inside, 0.5), share(a.inside, 0.99), share(a.through, 0.5), share(a.through, 0.99))
		}
	}
	b.WriteString("\nA plain text clause beside one in user mode whose text is read for quantities and values, in turn. The ratio is the median over the texts.\n\n")
	b.WriteString("| text | plain, median | user mode, median | ratio in process | ratio over HTTP |\n|---|---|---|---|---|\n")
	for _, a := range all {
		if a.isPair {
			plain, read := split(a.inside)
			fmt.Fprintf(&b, "| %s | %.3f | %.3f | %.2f | %.2f |\n", a.name, share(plain, 0.5), share(read, 0.5), slower(a.inside), slower(a.through))
		}
	}
	return b.String()
}

// split separates the times of pairs.
func split(times []float64) (plain, read []float64) {
	for i := 0; i+3 < len(times); i += 4 {
		plain, read = append(plain, times[i+1]), append(read, times[i+3])
	}
	return plain, read
}

// slower returns the median ratio by which the second of each pair takes
// longer.
func slower(times []float64) float64 {
	plain, read := split(times)
	ratios := make([]float64, len(plain))
	for i := range plain {
		ratios[i] = read[i] / plain[i]
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}
