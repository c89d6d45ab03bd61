// Command bleve is the benchmark driver of bleve: one command per line on
// standard input, one JSON answer per line on standard output. The protocol is
// described in bench/README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/character"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	"github.com/blevesearch/bleve/v2/search/query"
)

type source struct {
	ID        string `json:"id"`
	Repo      string `json:"repo"`
	Component string `json:"component"`
	TS        int64  `json:"ts"`
	Year      int64  `json:"year"`
	Title     string `json:"title"`
	Body      string `json:"body"`
}

type work struct {
	Op     string   `json:"op"`
	Terms  []string `json:"terms"`
	Mode   string   `json:"mode"`
	K      int      `json:"k"`
	Facets []string `json:"facets"`
	Sort   string   `json:"sort"`
	Filter *struct {
		Repo    string   `json:"repo"`
		YearGTE *float64 `json:"year_gte"`
		YearLTE *float64 `json:"year_lte"`
	} `json:"filter"`
}

type command struct {
	Do        string   `json:"do"`
	Corpus    string   `json:"corpus"`
	Dir       string   `json:"dir"`
	Threads   int      `json:"threads"`
	Merge     bool     `json:"merge"`
	Repeat    int      `json:"repeat"`
	Rounds    int      `json:"rounds"`
	Query     work     `json:"query"`
	Queries   []work   `json:"queries"`
	Documents []source `json:"documents"`
	Seconds   float64  `json:"seconds"`
}

func words(map[string]interface{}, *registry.Cache) (analysis.Tokenizer, error) {
	return character.NewCharacterTokenizer(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }), nil
}

func indexMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("words", map[string]interface{}{
		"type": "custom", "tokenizer": "words", "token_filters": []string{lowercase.Name},
	}); err != nil {
		return nil, err
	}
	m.ScoringModel = "bm25"
	m.StoreDynamic, m.IndexDynamic, m.DocValuesDynamic = false, false, false
	d := bleve.NewDocumentStaticMapping()
	text := bleve.NewTextFieldMapping()
	text.Analyzer, text.Store, text.IncludeInAll, text.DocValues = "words", false, false, false
	d.AddFieldMappingsAt("text", text)
	for _, name := range []string{"repo", "component"} {
		f := bleve.NewKeywordFieldMapping()
		f.Store, f.IncludeInAll = false, false
		d.AddFieldMappingsAt(name, f)
	}
	for _, name := range []string{"year", "ts"} {
		f := bleve.NewNumericFieldMapping()
		f.Store, f.IncludeInAll = false, false
		d.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping = d
	return m, nil
}

func document(s source) map[string]interface{} {
	d := map[string]interface{}{"text": s.Title + "\n" + s.Body, "year": float64(s.Year), "ts": float64(s.TS)}
	if s.Repo != "" {
		d["repo"] = s.Repo
	}
	if s.Component != "" {
		d["component"] = s.Component
	}
	return d
}

type driver struct {
	index bleve.Index
}

func (d *driver) run(c command) (any, error) {
	switch c.Do {
	case "hello":
		return map[string]any{"engine": "bleve", "version": "2.6.1", "runtime": "Go"}, nil
	case "index":
		return d.build(c)
	case "open":
		return d.open(c)
	case "query":
		return d.query(c)
	case "throughput":
		return d.throughput(c)
	case "update":
		return d.update(c)
	case "mixed":
		return d.mixed(c)
	}
	return nil, fmt.Errorf("unknown command %q", c.Do)
}

func (d *driver) build(c command) (any, error) {
	began, cpu := time.Now(), cpuSeconds()
	m, err := indexMapping()
	if err != nil {
		return nil, err
	}
	index, err := bleve.NewUsing(c.Dir, m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	batches := make(chan []source, 4)
	var docs atomic.Int64
	var wg sync.WaitGroup
	var failed atomic.Value
	for range max(1, c.Threads) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for list := range batches {
				b := index.NewBatch()
				for _, s := range list {
					if err := b.Index(s.ID, document(s)); err != nil {
						failed.Store(err)
					}
				}
				if err := index.Batch(b); err != nil {
					failed.Store(err)
				}
				docs.Add(int64(len(list)))
			}
		}()
	}
	f, err := os.Open(c.Corpus)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 1<<20), 64<<20)
	var list []source
	for in.Scan() {
		var s source
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			return nil, err
		}
		if list = append(list, s); len(list) == 5000 {
			batches <- list
			list = nil
		}
	}
	batches <- list
	close(batches)
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		return nil, err
	}
	seconds, merged := time.Since(began).Seconds(), 0.0
	if c.Merge {
		before := time.Now()
		advanced, err := index.Advanced()
		if err != nil {
			return nil, err
		}
		if s, ok := advanced.(*scorch.Scorch); ok {
			if err := s.ForceMerge(context.Background(), nil); err != nil {
				return nil, err
			}
		}
		merged = time.Since(before).Seconds()
	}
	if err := index.Close(); err != nil {
		return nil, err
	}
	var bytes int64
	err = filepath.WalkDir(c.Dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if i, err := e.Info(); err == nil {
				bytes += i.Size()
			}
		}
		return err
	})
	return map[string]any{"docs": docs.Load(), "seconds": seconds, "merge_seconds": merged,
		"cpu_seconds": cpuSeconds() - cpu, "bytes": bytes, "peak_rss": status("VmHWM:")}, err
}

func (d *driver) open(c command) (any, error) {
	began := time.Now()
	index, err := bleve.Open(c.Dir)
	if err != nil {
		return nil, err
	}
	d.index = index
	n, err := index.DocCount()
	return map[string]any{"docs": n, "seconds": time.Since(began).Seconds(), "rss": status("VmRSS:")}, err
}

func parse(w work) (query.Query, error) {
	terms := make([]query.Query, len(w.Terms))
	for i, t := range w.Terms {
		q := bleve.NewTermQuery(t)
		q.SetField("text")
		terms[i] = q
	}
	var q query.Query
	switch w.Op {
	case "all":
		q = bleve.NewMatchAllQuery()
	case "term", "and":
		if len(terms) == 1 {
			q = terms[0]
		} else {
			q = bleve.NewConjunctionQuery(terms...)
		}
	case "or":
		q = bleve.NewDisjunctionQuery(terms...)
	case "phrase":
		q = query.NewPhraseQuery(w.Terms, "text")
	case "prefix":
		p := bleve.NewPrefixQuery(w.Terms[0])
		p.SetField("text")
		q = p
	case "fuzzy":
		p := bleve.NewFuzzyQuery(w.Terms[0])
		p.SetField("text")
		p.SetFuzziness(1)
		p.SetPrefix(1)
		q = p
	default:
		return nil, errors.New("op " + w.Op)
	}
	if w.Filter != nil {
		parts := []query.Query{q}
		if w.Filter.Repo != "" {
			t := bleve.NewTermQuery(w.Filter.Repo)
			t.SetField("repo")
			t.SetBoost(0)
			parts = append(parts, t)
		}
		if w.Filter.YearGTE != nil {
			yes := true
			r := bleve.NewNumericRangeInclusiveQuery(w.Filter.YearGTE, w.Filter.YearLTE, &yes, &yes)
			r.SetField("year")
			r.SetBoost(0)
			parts = append(parts, r)
		}
		q = bleve.NewConjunctionQuery(parts...)
	}
	return q, nil
}

func (d *driver) search(w work) (*bleve.SearchResult, error) {
	q, err := parse(w)
	if err != nil {
		return nil, err
	}
	k := w.K
	if k == 0 && w.Mode != "count" {
		k = 10
	}
	r := bleve.NewSearchRequestOptions(q, k, 0, false)
	for _, f := range w.Facets {
		if f == "year" {
			fr := bleve.NewFacetRequest("year", 10)
			for y := 1990; y < 2030; y++ {
				low, high := float64(y), float64(y+1)
				fr.AddNumericRange(strconv.Itoa(y), &low, &high)
			}
			r.AddFacet(f, fr)
			continue
		}
		r.AddFacet(f, bleve.NewFacetRequest(f, 10))
	}
	if w.Sort != "" {
		r.SortBy([]string{w.Sort})
	}
	return d.index.Search(r)
}

func (d *driver) query(c command) (any, error) {
	best := time.Duration(1<<63 - 1)
	var result *bleve.SearchResult
	for range max(1, c.Repeat) {
		began := time.Now()
		var err error
		if result, err = d.search(c.Query); err != nil {
			return nil, err
		}
		best = min(best, time.Since(began))
	}
	top := []string{}
	for _, h := range result.Hits {
		top = append(top, h.ID)
	}
	return map[string]any{"count": result.Total, "exact": true, "us": float64(best.Nanoseconds()) / 1e3, "top": top}, nil
}

func (d *driver) throughput(c command) (any, error) {
	total := int64(len(c.Queries) * max(1, c.Rounds))
	var next atomic.Int64
	var wg sync.WaitGroup
	began, cpu := time.Now(), cpuSeconds()
	for range max(1, c.Threads) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := next.Add(1) - 1; n < total; n = next.Add(1) - 1 {
				if _, err := d.search(c.Queries[int(n)%len(c.Queries)]); err != nil {
					panic(err)
				}
			}
		}()
	}
	wg.Wait()
	return map[string]any{"queries": total, "seconds": time.Since(began).Seconds(), "cpu_seconds": cpuSeconds() - cpu}, nil
}

func (d *driver) update(c command) (any, error) {
	index, err := bleve.Open(c.Dir)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	began := time.Now()
	b := index.NewBatch()
	for _, s := range c.Documents {
		if err := b.Index(s.ID, document(s)); err != nil {
			return nil, err
		}
	}
	if err := index.Batch(b); err != nil {
		return nil, err
	}
	return map[string]any{"seconds": time.Since(began).Seconds()}, nil
}

// mixed runs searches in one thread while another replaces documents. A batch
// is visible when it returns.
func (d *driver) mixed(c command) (any, error) {
	index, err := bleve.Open(c.Dir)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	d.index = index
	var stop atomic.Bool
	var written, searched int
	var failure error
	var wg sync.WaitGroup
	began := time.Now()
	wg.Add(1)
	go func() {
		defer wg.Done()
		for !stop.Load() && failure == nil {
			b := index.NewBatch()
			for range 100 {
				s := c.Documents[written%len(c.Documents)]
				failure = errors.Join(failure, b.Index(s.ID, document(s)))
				written++
			}
			failure = errors.Join(failure, index.Batch(b))
		}
	}()
	for time.Since(began).Seconds() < c.Seconds && err == nil {
		_, err = d.search(c.Queries[searched%len(c.Queries)])
		searched++
	}
	seconds := time.Since(began).Seconds()
	stop.Store(true)
	wg.Wait()
	return map[string]any{"searches": searched, "documents": written, "seconds": seconds, "rss": status("VmHWM:")}, errors.Join(err, failure)
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

func main() {
	if err := registry.RegisterTokenizer("words", words); err != nil {
		panic(err)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	d := &driver{}
	for {
		line, err := in.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			return
		}
		var c command
		var answer any
		if err := json.Unmarshal(line, &c); err != nil {
			answer = map[string]string{"error": err.Error()}
		} else if answer, err = d.run(c); err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		if out.Encode(answer) != nil {
			return
		}
	}
}
