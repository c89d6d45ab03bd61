package collect_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// The million commit messages: QUIRE_DATA names the folder that holds them, QUIRE_SEGMENT a
// folder in which the segment built from them is kept between runs. Without QUIRE_DATA the test
// is skipped.

type commit struct {
	Repo      string `json:"repo"`
	Component string `json:"component"`
	Year      int64  `json:"year"`
	TS        int64  `json:"ts"`
	Title     string `json:"title"`
	Body      string `json:"body"`
}

type commitQuery struct {
	ID     string   `json:"id"`
	Class  string   `json:"class"`
	Op     string   `json:"op"`
	Terms  []string `json:"terms"`
	Hits   int      `json:"hits"`
	Filter *struct {
		Repo string `json:"repo"`
		From int64  `json:"year_gte"`
		To   int64  `json:"year_lte"`
	} `json:"filter"`
	Sort string `json:"sort"`
}

// lucene is the p50 in µs of Lucene 10.5.1 with pruning, one thread.
var lucene = map[string]float64{
	"term_high": 114, "term_mid": 29, "term_low": 11, "and2": 217, "and3_4": 101, "and_high": 410, "or2": 170,
	"or3_4": 785, "or_high": 1366, "phrase": 358, "prefix": 68, "fuzzy1": 300, "filter_term": 644, "facet": 3679, "sort": 972,
}

func openCommits(t testing.TB) *snapshot.Snapshot {
	data := os.Getenv("QUIRE_DATA")
	if data == "" {
		t.Skip("QUIRE_DATA does not name the folder of commits.ndjson.zst")
	}
	dir := os.Getenv("QUIRE_SEGMENT")
	if dir == "" {
		dir = t.TempDir()
	}
	fs := vfs.OS(dir)
	if _, err := os.Stat(filepath.Join(dir, "commits")); err != nil {
		started := time.Now()
		buildCommits(t, filepath.Join(data, "commits.ndjson.zst"), fs)
		t.Logf("built in %v", time.Since(started))
	}
	reader, err := segment.Open(fs, "commits", blockfile.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot.New(1, []*snapshot.Segment{snapshot.NewSegment(reader, nil, nil, nil)}, nil)
}

func buildCommits(t testing.TB, path string, fs vfs.FS) {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stream, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(512<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	b := segment.NewBuilder()
	text := b.Field(segment.FieldOptions{Name: "text", Kind: segment.Terms, Freqs: true, Positions: true, Lengths: true})
	repo := b.Field(segment.FieldOptions{Name: "repo", Kind: segment.Terms})
	year := b.Field(segment.FieldOptions{Name: "year", Kind: segment.Numbers, Points: true})
	ts := b.Field(segment.FieldOptions{Name: "ts", Kind: segment.Numbers, Points: true})
	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	var term []byte
	for lines.Scan() {
		var c commit
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		b.StartDoc()
		position := uint32(0)
		flush := func() {
			if len(term) > 0 {
				b.Term(text, term, position)
				position++
				term = term[:0]
			}
		}
		for _, r := range c.Title + "\n" + c.Body {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				term = append(term, string(unicode.ToLower(r))...)
			} else {
				flush()
			}
		}
		flush()
		b.Length(text, position)
		b.Term(repo, []byte(c.Repo), 0)
		b.Number(year, c.Year)
		b.Number(ts, c.TS)
		b.EndDoc(true)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Finish(fs, "commits"); err != nil {
		t.Fatal(err)
	}
}

func readQueries(t testing.TB) []commitQuery {
	file, err := os.Open(filepath.Join(os.Getenv("QUIRE_DATA"), "commits.queries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []commitQuery
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var q commitQuery
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

func (q *commitQuery) request(countTo int) *collect.Request {
	scoring := plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}
	var terms []plan.Node
	for _, t := range q.Terms {
		terms = append(terms, &plan.Term{Structure: "text", Text: t, Scoring: &scoring})
	}
	r := &collect.Request{Limit: 10, CountTo: countTo}
	switch q.Op {
	case "term", "and":
		r.Query = &plan.And{Clauses: terms}
		if len(terms) == 1 {
			r.Query = terms[0]
		}
	case "or":
		r.Query = &plan.Or{Clauses: terms}
	case "phrase":
		p := &plan.Phrase{Structure: "text", Scoring: scoring}
		for i, t := range q.Terms {
			p.Words = append(p.Words, plan.PhraseWord{Offset: i, Terms: []string{t}})
		}
		r.Query = p
	case "prefix":
		r.Query = nearWord(plan.Expand{Structure: "text", Text: q.Terms[0], Prefix: true})
	case "fuzzy":
		r.Query = nearWord(plan.Expand{Structure: "text", Text: q.Terms[0], Edits: 1})
	}
	if f := q.Filter; f != nil {
		r.Filters = append(r.Filters,
			&plan.Term{Structure: "repo", Text: f.Repo},
			&plan.NumberRange{Structure: "year", Intervals: []plan.Interval{{Min: f.From, Max: f.To}}})
	}
	if q.Sort == "-ts" {
		r.Order = []collect.Key{{Kind: collect.ByNumber, Structure: "ts", Descending: true}}
	}
	if q.Class == "facet" {
		r.CountTo, r.Sets = collect.Everything, true
	}
	return r
}

func TestCommitsHaveTheKnownHits(t *testing.T) {
	snap := openCommits(t)
	defer snap.Release()
	runner := collect.NewRunner(collect.Options{Threads: -1}, nil)
	for _, q := range readQueries(t) {
		exact, err := runner.Search(snap).Run(context.Background(), q.request(collect.Everything))
		if err != nil {
			t.Fatal(err)
		}
		if q.Hits >= 0 && (exact.Total != q.Hits || !exact.Exact) {
			t.Errorf("%s: %d hits, want %d", q.ID, exact.Total, q.Hits)
		}
		pruned, err := runner.Search(snap).Run(context.Background(), q.request(10))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(exact.Hits, pruned.Hits, func(a, b collect.Hit) bool { return a.Doc == b.Doc && a.Score == b.Score }) {
			t.Errorf("%s: skipping changes the hits:\n%v\n%v", q.ID, exact.Hits, pruned.Hits)
		}
	}
}

// threadTime returns the processor time of this thread, which other work on the machine does
// not affect.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}

// calibrate times a loop whose duration on a quiet machine is known.
func calibrate() time.Duration {
	a, b := bitset.NewFull(1_000_000), bitset.NewFull(1_000_000)
	var times []time.Duration
	total := 0
	for range 500 {
		started := threadTime()
		x, y := a.Words(), b.Words()
		for i := range x {
			total += bits.OnesCount64(x[i] & y[i])
		}
		times = append(times, threadTime()-started)
	}
	if total == 0 {
		panic("empty sets")
	}
	slices.Sort(times)
	return times[len(times)/2]
}

func TestCommitsSpeed(t *testing.T) {
	if os.Getenv("QUIRE_SPEED") == "" {
		t.Skip("QUIRE_SPEED is not set")
	}
	snap := openCommits(t)
	defer snap.Release()
	cache := 0
	if os.Getenv("QUIRE_CACHE") == "off" {
		cache = -1
	}
	runner := collect.NewRunner(collect.Options{Threads: -1, FilterCacheQueries: cache, TermCacheBytes: int64(cache), TypoCacheWords: cache, PrefixCacheWords: cache}, nil)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	byClass := map[string][]time.Duration{}
	best := map[string][]time.Duration{} // over all rounds, by query
	var classes []string
	queries := readQueries(t)
	only := os.Getenv("QUIRE_CLASS")
	fastest := make([]time.Duration, len(queries))
	for round := range 12 {
		for i := range queries {
			q := &queries[i]
			if only != "" && !strings.Contains(","+only+",", ","+q.Class+",") {
				continue
			}
			request := q.request(10)
			started := threadTime()
			if _, err := runner.Search(snap).Run(context.Background(), request); err != nil {
				t.Fatal(err)
			}
			took := threadTime() - started
			if round < 2 {
				continue
			}
			if byClass[q.Class] == nil {
				classes = append(classes, q.Class)
			}
			byClass[q.Class] = append(byClass[q.Class], took)
			if fastest[i] == 0 || took < fastest[i] {
				fastest[i] = took
			}
			if round == 11 {
				best[q.Class] = append(best[q.Class], fastest[i])
			}
		}
	}
	fmt.Printf("and + count of two sets of a million: %v (13 µs on the quiet machine of the Lucene figures)\n", calibrate())
	product := 0.0
	for _, class := range classes {
		times := byClass[class]
		slices.Sort(times)
		p50, p99 := times[len(times)/2], times[len(times)*99/100]
		slices.Sort(best[class])
		ratio := lucene[class] / (float64(p50.Nanoseconds()) / 1000)
		product += math.Log(ratio)
		fmt.Printf("%-12s p50 %8.1f µs  p99 %8.1f µs  best rounds %8.1f µs  Lucene %6.0f µs  ratio %5.2f\n", class,
			float64(p50.Nanoseconds())/1000, float64(p99.Nanoseconds())/1000,
			float64(best[class][len(best[class])/2].Nanoseconds())/1000, lucene[class], ratio)
	}
	fmt.Printf("geometric mean %.2f\n", math.Exp(product/float64(len(classes))))
}
