package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// query is one line of a query set. The drivers receive its members unchanged.
type query struct {
	ID     string         `json:"id"`
	Class  string         `json:"class"`
	Op     string         `json:"op"`
	Terms  []string       `json:"terms"`
	Hits   int            `json:"hits"`
	Filter map[string]any `json:"filter,omitempty"`
	Facets []string       `json:"facets,omitempty"`
	Sort   string         `json:"sort,omitempty"`
	Mode   string         `json:"mode,omitempty"`
	Exact  bool           `json:"exact,omitempty"`
}

// prepare unpacks the first documents of the corpus and loads the queries by
// class.
func prepare(o options) (corpus string, queries map[string][]query, err error) {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return "", nil, err
	}
	packed := filepath.Join(o.data, "commits.ndjson.zst")
	generated := false
	if _, err := os.Stat(packed); errors.Is(err, fs.ErrNotExist) {
		generated = true
	}
	name := "commits"
	if generated {
		name = "generated"
	}
	corpus = filepath.Join(o.work, fmt.Sprintf("%s-words-%d.ndjson", name, o.docs))
	if _, err := os.Stat(corpus); errors.Is(err, fs.ErrNotExist) {
		fmt.Println("preparing", corpus)
		if generated {
			err = generate(corpus, o.docs)
		} else {
			err = unpack(packed, corpus, o.docs, apart)
		}
		if err != nil {
			return "", nil, err
		}
	}
	all := generatedQueries()
	if !generated {
		if all, err = readQueries(filepath.Join(o.data, "commits.queries.jsonl")); err != nil {
			return "", nil, err
		}
	}
	queries = make(map[string][]query)
	for _, q := range all {
		if len(queries[q.Class]) < o.perKind {
			queries[q.Class] = append(queries[q.Class], q)
		}
	}
	addClasses(queries)
	return corpus, queries, nil
}

// commitDocument is a document of the corpus as all engines receive it.
type commitDocument struct {
	ID        string `json:"id"`
	Repo      string `json:"repo,omitempty"`
	Component string `json:"component,omitempty"`
	TS        int64  `json:"ts"`
	Year      int64  `json:"year"`
	Title     string `json:"title,omitempty"`
	Body      string `json:"body"`
}

// apart combines title and body into one text with separated words: runs of
// letters and digits, each followed by a space. Every engine then finds the
// same words, however it tokenizes.
func apart(line []byte) ([]byte, error) {
	var d commitDocument
	if err := json.Unmarshal(line, &d); err != nil {
		return nil, err
	}
	d.Title, d.Body = "", string(words(words(nil, d.Title), d.Body))
	return json.Marshal(d)
}

func words(dst []byte, text string) []byte {
	inside := false
	for _, c := range text {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			dst = utf8.AppendRune(dst, c)
			inside = true
		} else if inside {
			dst = append(dst, ' ')
			inside = false
		}
	}
	if inside {
		dst = append(dst, ' ')
	}
	return dst
}

// unpack writes the first documents of a packed corpus, each transformed by
// change.
func unpack(packed, out string, docs int, change func([]byte) ([]byte, error)) error {
	in, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		return err
	}
	defer z.Close()
	temporary := out + ".part"
	f, err := os.Create(temporary)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	lines := bufio.NewReaderSize(z, 1<<20)
	for range docs {
		line, end := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if line, err = change(line); err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if end != nil {
			break
		}
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, out)
}

func readQueries(path string) ([]query, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []query
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var q query
		if err := json.Unmarshal(line, &q); err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, nil
}

// addClasses derives missing classes from those in the query file: classes that
// begin with filter use the filters of filter_term; filter_or_wide and
// filter_sort use only their years.
func addClasses(queries map[string][]query) {
	derive := func(class, from string, change func(*query)) {
		for _, q := range queries[from] {
			q.Class = class
			change(&q)
			queries[class] = append(queries[class], q)
		}
	}
	derive("filter_only", "filter_term", func(q *query) { q.Op, q.Terms, q.Hits = "all", nil, -1 })
	filters := queries["filter_term"]
	behind := func(class, from string, change func(*query)) {
		next := 0
		derive(class, from, func(q *query) {
			q.Hits, q.Filter = -1, maps.Clone(filters[next%len(filters)].Filter)
			change(q)
			next++
		})
	}
	if len(filters) > 0 {
		behind("filter_or", "or3_4", func(*query) {})
		behind("filter_or_wide", "or3_4", func(q *query) { delete(q.Filter, "repo") })
		behind("filter_phrase", "phrase", func(*query) {})
		behind("filter_prefix", "prefix", func(*query) {})
		behind("filter_sort", "or3_4", func(q *query) { q.Sort = "-ts"; delete(q.Filter, "repo") })
		behind("filter_facet", "and2", func(q *query) { q.Facets = []string{"component"} })
	}
	derive("facet_one_percent", "term_mid", func(q *query) { q.Facets = []string{"repo", "year", "component"} })
	derive("sort_string", "sort", func(q *query) { q.Sort = "component" })
	derive("count_or", "or2", func(q *query) { q.Mode = "count" })
	derive("count_and", "and2", func(q *query) { q.Mode = "count" })
	derive("count_phrase", "phrase", func(q *query) { q.Mode = "count" })
	queries["facet_all"] = []query{{Class: "facet_all", Op: "all", Hits: -1, Facets: []string{"repo", "year", "component"}}}
}

var order = []string{"term_high", "term_mid", "term_low", "and2", "and3_4", "and_high", "or2", "or3_4", "or_high",
	"phrase", "prefix", "fuzzy1", "filter_term", "filter_or", "filter_or_wide", "filter_phrase", "filter_prefix", "filter_sort", "filter_facet", "filter_only",
	"facet", "facet_one_percent", "facet_all", "sort", "sort_string", "count_or", "count_and", "count_phrase"}

func classNames(o options, queries map[string][]query) []string {
	var names []string
	for _, c := range order {
		if len(queries[c]) > 0 && (len(o.classes) == 0 || slices.Contains(o.classes, c)) {
			names = append(names, c)
		}
	}
	return names
}

// generate writes documents whose words follow Zipf's law, for machines without
// the real corpus.
func generate(out string, docs int) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 2, 400_000)
	word := func() string { return fmt.Sprintf("w%d", zipf.Uint64()) }
	enc := json.NewEncoder(w)
	for i := range docs {
		words := make([]string, 5+random.IntN(40))
		for j := range words {
			words[j] = word()
		}
		d := map[string]any{"id": fmt.Sprintf("d%08d", i), "repo": fmt.Sprintf("r%d", random.IntN(11)),
			"component": fmt.Sprintf("c%d", zipf.Uint64()%5000), "ts": 1_000_000_000 + random.IntN(700_000_000),
			"year": 2000 + random.IntN(25), "body": strings.Join(words, " ")}
		if err := enc.Encode(d); err != nil {
			return err
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

func generatedQueries() []query {
	random := rand.New(rand.NewPCG(3, 4))
	var all []query
	add := func(class, op string, n int, terms func() []string, change func(*query)) {
		for i := range n {
			q := query{ID: fmt.Sprintf("%s-%d", class, i), Class: class, Op: op, Terms: terms(), Hits: -1}
			if change != nil {
				change(&q)
			}
			all = append(all, q)
		}
	}
	pick := func(count, low, high int) func() []string {
		return func() []string {
			terms := make([]string, count)
			for i := range terms {
				terms[i] = fmt.Sprintf("w%d", low+random.IntN(high-low))
			}
			return terms
		}
	}
	add("term_high", "term", 100, pick(1, 0, 40), nil)
	add("term_mid", "term", 100, pick(1, 200, 2000), nil)
	add("term_low", "term", 100, pick(1, 20_000, 60_000), nil)
	add("and2", "and", 100, pick(2, 0, 500), nil)
	add("and_high", "and", 100, pick(2, 0, 30), nil)
	add("or2", "or", 100, pick(2, 0, 500), nil)
	add("or3_4", "or", 100, pick(3, 0, 1000), nil)
	add("or_high", "or", 100, pick(3, 0, 30), nil)
	add("phrase", "phrase", 100, pick(2, 0, 20), nil)
	add("prefix", "prefix", 100, pick(1, 10, 99), nil)
	add("fuzzy1", "fuzzy", 100, pick(1, 10_000, 30_000), nil)
	add("filter_term", "and", 100, pick(1, 0, 100), func(q *query) {
		q.Filter = map[string]any{"repo": "r3", "year_gte": 2005, "year_lte": 2007}
	})
	add("facet", "term", 100, pick(1, 0, 40), func(q *query) { q.Facets = []string{"repo", "year", "component"} })
	add("sort", "term", 100, pick(1, 0, 40), func(q *query) { q.Sort = "-ts" })
	return all
}
