package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// The definition that does the same work as the other engines: one analysed
// text, two keywords, two numbers, nothing kept but the key.
const definitionText = `{"source":"none","fields":{
	"id":{"type":"string","primaryKey":true,"stored":true},
	"text":{"type":"string","matching":{"analyzer":{"custom":%s},"typoTolerance":{"minLengthOneTypo":1,"minLengthTwoTypos":100}}},
	"repo":{"type":"string","filter":{},"facet":{},"keyword":{"caseFolding":false}},
	"component":{"type":"string","filter":{},"facet":{},"sort":{"collation":"binary"},"keyword":{"caseFolding":false}},
	"year":{"type":"int32","filter":{},"facet":{}},
	"ts":{"type":"int64","filter":{},"sort":{}}}}`

// Words are found in the driver exactly as the corpus's reference analysis
// does (runs of letters and digits); the chain then splits at spaces and
// lower-cases.
const wordsChain = `{"tokenizer":{"whitespace":{}},"filters":[{"normalize":{}}]}`
const englishChain = `{"filters":[{"normalize":{}},{"stopwords":{}},{"stemming":{}}]}`

type driver struct {
	builder  *analysis.Builder
	searcher *search.Searcher
	open     *engine.Generation
	english  bool
}

func newDriver() *driver {
	runner := collect.NewRunner(collect.Options{Threads: 1}, nil)
	return &driver{
		builder:  analysis.NewBuilder(analysis.Options{}),
		searcher: search.New(runner, nil, search.Options{}),
	}
}

func (d *driver) run(c command) (any, error) {
	d.english = d.english || c.Analysis == "english"
	switch c.Do {
	case "hello":
		return map[string]any{"engine": "quire", "version": "head", "runtime": runtime.Version()}, nil
	case "index":
		return d.index(c)
	case "open":
		return d.openIndex(c)
	case "query":
		return d.query(c)
	case "throughput":
		return d.throughput(c)
	case "update":
		return d.update(c)
	}
	return nil, fmt.Errorf("unknown command %q", c.Do)
}

func (d *driver) storage(dir string) engine.Storage {
	return engine.Storage{FS: vfs.OS(filepath.Dir(dir)), Directory: filepath.Base(dir)}
}

func (d *driver) options() engine.Options {
	return engine.Options{MaxChanges: -1, MaxInterval: -1, Memory: 512 << 20, Analysis: d.builder, Capabilities: d.builder.Capabilities(), MinFree: -1}
}

func (d *driver) chain() string {
	if d.english {
		return englishChain
	}
	return wordsChain
}

func (d *driver) index(c command) (any, error) {
	began, cpu := time.Now(), cpuSeconds()
	ctx := context.Background()
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	def, err := definition.Parse(fmt.Appendf(nil, definitionText, d.chain()), d.builder.Capabilities())
	if err != nil {
		return nil, err
	}
	if err := engine.Create(ctx, d.storage(c.Dir), def); err != nil {
		return nil, err
	}
	g, err := engine.Open(ctx, d.storage(c.Dir), d.options())
	if err != nil {
		return nil, err
	}
	f, err := os.Open(c.Corpus)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	type batch struct {
		lines  [][]byte
		buffer []byte
	}
	batches := make(chan batch, 8)
	failures := make(chan error, 8)
	var docs atomic.Int64
	var wg sync.WaitGroup
	for range max(1, c.Threads) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := newRewriter(g.Schema(), d.english)
			s := g.Session(ctx)
			for b := range batches {
				for _, line := range b.lines {
					doc, err := r.document(line)
					if err == nil {
						err = s.Add(doc)
					}
					if err != nil {
						failures <- err
						return
					}
					docs.Add(1)
				}
			}
			if _, err := s.Wait(); err != nil {
				failures <- err
			}
		}()
	}
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 1<<20), 64<<20)
	var b batch
	for in.Scan() {
		start := len(b.buffer)
		b.buffer = append(b.buffer, in.Bytes()...)
		b.lines = append(b.lines, b.buffer[start:len(b.buffer):len(b.buffer)])
		if len(b.lines) == 500 {
			batches <- b
			b = batch{}
		}
	}
	batches <- b
	close(batches)
	wg.Wait()
	select {
	case err := <-failures:
		return nil, err
	default:
	}
	if _, err := g.Commit(ctx, engine.Explicit); err != nil {
		return nil, err
	}
	seconds, merged := time.Since(began).Seconds(), 0.0
	if c.Merge {
		before := time.Now()
		if err := g.MergeAll(ctx); err != nil {
			return nil, err
		}
		merged = time.Since(before).Seconds()
	}
	if err := g.Close(ctx); err != nil {
		return nil, err
	}
	bytes, err := size(c.Dir)
	return map[string]any{"docs": docs.Load(), "seconds": seconds, "merge_seconds": merged,
		"cpu_seconds": cpuSeconds() - cpu, "bytes": bytes, "peak_rss": status("VmHWM:")}, err
}

// rewriter turns lines of the corpus into documents of the definition.
type rewriter struct {
	reader  *document.Reader
	english bool
	text    []byte
	out     []byte
}

func newRewriter(schema *definition.Schema, english bool) *rewriter {
	return &rewriter{reader: document.NewReader(schema), english: english}
}

type source struct {
	ID        string `json:"id"`
	Repo      string `json:"repo"`
	Component string `json:"component"`
	TS        int64  `json:"ts"`
	Year      int64  `json:"year"`
	Title     string `json:"title"`
	Body      string `json:"body"`
}

func (r *rewriter) document(line []byte) (*document.Document, error) {
	var s source
	if err := json.Unmarshal(line, &s); err != nil {
		return nil, err
	}
	r.text = r.text[:0]
	if r.english {
		r.text = append(append(append(r.text, s.Title...), '\n'), s.Body...)
	} else {
		r.text = words(words(r.text, s.Title), s.Body)
	}
	m := map[string]any{"id": s.ID, "text": string(r.text)}
	if s.Repo != "" {
		m["repo"] = s.Repo
	}
	if s.Component != "" {
		m["component"] = s.Component
	}
	if s.Year != 0 {
		m["year"], m["ts"] = s.Year, s.TS
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var found problem.List
	doc := r.reader.Read(raw, problem.Path{}, &found)
	return doc, found.Err()
}

// words appends the runs of letters and digits, a space after each.
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

func (d *driver) openIndex(c command) (any, error) {
	began := time.Now()
	g, err := engine.Open(context.Background(), d.storage(c.Dir), d.options())
	if err != nil {
		return nil, err
	}
	d.open = g
	s := g.Snapshot()
	defer s.Release()
	n, err := g.Count()
	return map[string]any{"docs": n, "segments": len(s.Segments), "seconds": time.Since(began).Seconds(), "rss": status("VmRSS:")}, err
}

func (d *driver) update(c command) (any, error) {
	ctx := context.Background()
	g, err := engine.Open(ctx, d.storage(c.Dir), d.options())
	if err != nil {
		return nil, err
	}
	r := newRewriter(g.Schema(), d.english)
	began := time.Now()
	s := g.Session(ctx)
	for _, raw := range c.Documents {
		doc, err := r.document(raw)
		if err == nil {
			err = s.Add(doc)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := s.Wait(); err != nil {
		return nil, err
	}
	if _, err := g.Commit(ctx, engine.Explicit); err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	return map[string]any{"seconds": seconds}, g.Close(ctx)
}

func size(dir string) (int64, error) {
	var bytes int64
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if i, err := e.Info(); err == nil {
				bytes += i.Size()
			}
		}
		return err
	})
	return bytes, err
}

func status(field string) int64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, field); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n * 1024
		}
	}
	return 0
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
