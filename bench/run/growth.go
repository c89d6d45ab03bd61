package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Growth: the same documents and queries at growing sizes, in local mode. Each
// index is committed and merged while loading, as a server does, and searched
// when settled. The exponent of a figure is the slope of its logarithm over
// that of the number of documents: 0 means constant, 1 means proportional to
// the index.

const (
	growthQueries = 50 // of each class
	growthRepeat  = 5
	growthTries   = 5   // of updates and opens; the fastest one counts
	changed       = 100 // documents of an update
	growthRow     = 200 // consecutive updates
	mixedSeconds  = 5
)

// grown is the result for an index of one size.
type grown struct {
	docs    int
	built   grownIndex
	open    opened
	opening float64 // seconds
	update  float64 // seconds from the first of 100 changed documents until a search sees the last one
	commit  float64 // the part of it after the documents are durable
	cost    float64 // seconds of processor time of an update
	steady  float64 // the same for one of many consecutive updates, including merges
	mixed   mixed
	classes map[string]float64 // p50 in microseconds
	found   map[string]float64 // median number of matching documents
	steal   float64
}

// grownIndex is the result of loading.
type grownIndex struct {
	built
	PeakPrivate int64 `json:"peak_private"`
	Segments    int   `json:"segments"` // when the last document was committed
	Debt        int64 `json:"debt"`     // bytes that merges wrote afterwards
}

// growth measures all sizes and writes the report.
func growth(o options, sizes []int) error {
	slices.Sort(sizes)
	o.docs, o.perKind, o.repeat = sizes[len(sizes)-1], growthQueries, growthRepeat
	corpus, ends, queries, err := growingCorpus(o, sizes)
	if err != nil {
		return err
	}
	if !o.built {
		if err := build("quire"); err != nil {
			return err
		}
	}
	var all []*grown
	for i, docs := range sizes {
		g := &grown{docs: docs, classes: make(map[string]float64), found: make(map[string]float64)}
		if err := g.measure(o, corpus, ends[i], queries); err != nil {
			return fmt.Errorf("%d documents: %w", docs, err)
		}
		all = append(all, g)
		if err := os.WriteFile(o.out, []byte(renderGrowth(o, all, queries)), 0o644); err != nil {
			return err
		}
	}
	fmt.Println(renderGrowth(o, all, queries))
	return nil
}

func (g *grown) measure(o options, corpus string, end int64, queries map[string][]query) error {
	directory := filepath.Join(o.work, fmt.Sprintf("growth-%d", g.docs))
	if err := os.RemoveAll(directory); err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	before := stolen()
	fmt.Println("loading", g.docs, "documents")
	if err := once("quire", map[string]any{"do": "index", "corpus": corpus, "bytes": end, "dir": directory, "threads": 2, "commits": true, "rest": 300}, &g.built); err != nil {
		return err
	}
	if g.built.Docs != g.docs {
		return fmt.Errorf("%d documents were added", g.built.Docs)
	}
	fmt.Printf("%d documents: %.0f/s, %+v\n", g.docs, float64(g.docs)/g.built.Seconds, g.built)
	if err := g.search(o, directory, queries); err != nil {
		return err
	}
	documents, err := head(corpus, (growthTries+growthRow)*changed)
	if err != nil {
		return err
	}
	if err := g.change(directory, documents); err != nil {
		return err
	}
	var plain []query
	for _, class := range []string{"term_mid", "and2", "or2"} {
		plain = append(plain, queries[class]...)
	}
	err = once("quire", map[string]any{"do": "mixed", "dir": directory, "documents": documents[:growthTries*changed], "queries": plain, "seconds": mixedSeconds}, &g.mixed)
	g.steal = stolen().since(before)
	return err
}

// change changes 100 documents several times in one process: the first time
// also builds tables that a process builds once.
func (g *grown) change(directory string, documents []json.RawMessage) error {
	e, err := start("quire")
	if err != nil {
		return err
	}
	defer e.close()
	g.update, g.commit, g.cost = math.Inf(1), math.Inf(1), math.Inf(1)
	type updated struct {
		Seconds float64 `json:"seconds"`
		Commit  float64 `json:"commit_seconds"`
		CPU     float64 `json:"cpu_seconds"`
	}
	for part := range slices.Chunk(documents[:growthTries*changed], changed) {
		var a updated
		if err := e.ask(map[string]any{"do": "update", "dir": directory, "documents": part, "verify": true}, &a); err != nil {
			return err
		}
		g.update, g.commit, g.cost = min(g.update, a.Seconds), min(g.commit, a.Commit), min(g.cost, a.CPU)
	}
	var a updated
	err = e.ask(map[string]any{"do": "update", "dir": directory, "documents": documents[growthTries*changed:], "each": changed, "verify": true}, &a)
	g.steady = a.CPU
	return err
}

// search opens the index several times and runs all classes.
func (g *grown) search(o options, directory string, queries map[string][]query) error {
	var opens []float64
	for range growthTries - 1 {
		var a opened
		if err := once("quire", map[string]any{"do": "open", "dir": directory}, &a); err != nil {
			return err
		}
		opens = append(opens, a.Seconds)
	}
	e, err := start("quire")
	if err != nil {
		return err
	}
	defer e.close()
	e.dir = directory
	if err := e.open(); err != nil {
		return err
	}
	g.open, g.opening = e.opened, min(slices.Min(opens), e.opened.Seconds)
	if err := e.warm(o, queries); err != nil {
		return err
	}
	for _, class := range classNames(o, queries) {
		var best, found []float64
		for _, q := range queries[class] {
			var a, counted answer
			if err := e.ask(map[string]any{"do": "query", "query": q, "repeat": o.repeat}, &a); err != nil {
				return err
			}
			q.Exact = true
			if err := e.ask(map[string]any{"do": "query", "query": q, "repeat": 1}, &counted); err != nil {
				return err
			}
			best, found = append(best, a.Micros), append(found, float64(counted.Count))
		}
		g.classes[class], g.found[class] = middle(best), middle(found)
	}
	return nil
}

// growingCorpus prepares a corpus of the largest size and returns the end
// offset of each size in it. After the end of the real corpus, documents are
// generated from its words.
func growingCorpus(o options, sizes []int) (corpus string, ends []int64, queries map[string][]query, err error) {
	real := o
	real.docs = min(o.docs, 1_000_000)
	begin, queries, err := prepare(real)
	if err != nil {
		return "", nil, nil, err
	}
	corpus = filepath.Join(o.work, fmt.Sprintf("growth-words-%d.ndjson", o.docs))
	if _, err := os.Stat(corpus); err != nil {
		fmt.Println("preparing", corpus)
		if err := extend(begin, corpus, o.docs); err != nil {
			return "", nil, nil, err
		}
	}
	ends, err = lineEnds(corpus, sizes)
	return corpus, ends, queries, err
}

// extend copies the documents of a corpus and appends as many generated ones as
// are missing.
func extend(begin, out string, docs int) error {
	text, err := os.ReadFile(begin)
	if err != nil {
		return err
	}
	f, err := os.Create(out + ".part")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for i := range min(docs, len(lines)) {
		if _, err := w.Write(append(bytes.TrimSuffix(lines[i], []byte("\n")), '\n')); err != nil {
			return err
		}
	}
	if docs <= len(lines) {
		return finish(w, f, out)
	}
	made, err := newComposer(lines)
	if err != nil {
		return err
	}
	for i := len(lines); i < docs; i++ {
		line, err := made.document(i)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return finish(w, f, out)
}

func finish(w *bufio.Writer, f *os.File, out string) error {
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), out)
}

// composer generates documents from the words of real ones. A document has the
// length and the fields of a real document and a text made of short runs of
// words from others: words and pairs keep about the same frequency, and words
// that often occur together still do. One word in 200 is a concatenation of
// two, because a growing corpus never stops introducing new words.
type composer struct {
	real   []commitDocument
	random *rand.Rand
}

func newComposer(lines [][]byte) (*composer, error) {
	c := &composer{real: make([]commitDocument, len(lines)), random: rand.New(rand.NewPCG(5, 6))}
	for i, line := range lines {
		if err := json.Unmarshal(line, &c.real[i]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *composer) pick() commitDocument { return c.real[c.random.IntN(len(c.real))] }

// document generates the document with a number.
func (c *composer) document(number int) ([]byte, error) {
	d := c.pick()
	var text []string
	for missing := len(strings.Fields(d.Body)); missing > 0; {
		words := c.run(c.pick().Body)
		text, missing = append(text, words...), missing-len(words)
	}
	for i := range text {
		if i > 0 && c.random.IntN(200) == 0 {
			text[i] += text[i-1]
		}
	}
	d.ID, d.Body = fmt.Sprintf("made%09d", number), strings.Join(text, " ")
	return json.Marshal(d)
}

// run cuts 2 to 15 words out of a text, fewer at its end.
func (c *composer) run(text string) []string {
	if len(text) == 0 {
		return nil
	}
	from := c.random.IntN(len(text))
	if next := strings.IndexByte(text[from:len(text)-1], ' '); next >= 0 {
		from += next + 1
	} else {
		from = 0
	}
	words := strings.SplitN(strings.TrimSpace(text[from:min(len(text), from+200)]), " ", 3+c.random.IntN(14))
	return words[:max(1, len(words)-1)] // the last one may be incomplete
}

// lineEnds returns, for each count, the offset where that many lines of a file
// end.
func lineEnds(path string, counts []int) ([]int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	block := make([]byte, 1<<20)
	ends := make([]int64, 0, len(counts))
	for lines, offset := 0, int64(0); len(ends) < len(counts); {
		n, err := f.Read(block)
		if err == io.EOF {
			return nil, fmt.Errorf("%s has %d lines", path, lines)
		} else if err != nil {
			return nil, err
		}
		for at := 0; len(ends) < len(counts); {
			next := bytes.IndexByte(block[at:n], '\n')
			if next < 0 {
				break
			}
			at += next + 1
			if lines++; lines == counts[len(ends)] {
				ends = append(ends, offset+int64(at))
			}
		}
		offset += int64(n)
	}
	return ends, nil
}

// exponent returns the slope of the logarithm of values over that of sizes, by
// least squares; NaN for a single size.
func exponent(sizes []int, values []float64) float64 {
	if len(sizes) < 2 {
		return math.NaN()
	}
	var x, y, xx, xy float64
	for i, size := range sizes {
		a, b := math.Log(float64(size)), math.Log(values[i])
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	n := float64(len(sizes))
	return (n*xy - x*y) / (n*xx - x*x)
}
