package api

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

var (
	bodies       = flag.Int("bodies", 6000, "how many damaged requests TestDamagedBodies sends")
	firstLife    = flag.Uint64("first", 1, "the first seed of TestDamagedBodies; every 2000 requests have one of their own")
	senders      = flag.Int("senders", runtime.GOMAXPROCS(0), "how many nodes TestDamagedBodies sends to at once")
	scripts      = flag.String("scripts", "../../spec", "directory of the interface scripts that TestDamagedBodies damages; it goes without when there is none")
	recordedFile = flag.String("requests", "", "file of recorded requests, one JSON object per line, that TestDamagedBodies damages as well")
)

// life is the number of damaged requests sent to one node.
const life = 2000

// TestDamagedBodies sends good requests to a node, followed by damaged ones:
// bodies, paths, query and headers, at random, and bodies that stop arriving.
// Every seed uses one set of requests, those of seeds_test.go or one of the
// interface scripts. Every refusal has an error body with a documented code of
// its operation and changes nothing.
func TestDamagedBodies(t *testing.T) {
	sets := requestSets(t)
	lives := uint64((*bodies + life - 1) / life)
	next := *firstLife
	var mu sync.Mutex
	var sent atomic.Int64
	var told sync.Map
	seen := make(map[string]int)
	var group sync.WaitGroup
	for range max(1, *senders) {
		group.Go(func() {
			for {
				mu.Lock()
				seed := next
				next++
				mu.Unlock()
				if seed >= *firstLife+lives {
					return
				}
				v := &victim{TB: t, seed: seed, random: rand.New(rand.NewPCG(17, seed)), set: sets[seed%uint64(len(sets))], codes: make(map[string]int), told: &told}
				v.live(min(life, *bodies))
				sent.Add(int64(v.sent))
				mu.Lock()
				for code, count := range v.codes {
					seen[code] += count
				}
				mu.Unlock()
			}
		})
	}
	began := time.Now()
	group.Wait()
	t.Logf("%d requests of %d sets from seed %d, %.0f a second", sent.Load(), len(sets), *firstLife, float64(sent.Load())/time.Since(began).Seconds())
	for _, code := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%9d %s", seen[code], code)
	}
}

// victim is a node that receives damaged requests.
type victim struct {
	testing.TB
	seed   uint64
	random *rand.Rand
	set    requestSet
	api    *API

	sent    int
	codes   map[string]int
	state   string    // what refused requests must not change
	told    *sync.Map // complaints already made, shared by all
	changes bool      // the set starts work that continues after a request
}

// live sends the requests of the set, then count damaged ones.
func (v *victim) live(count int) {
	quiet := slog.New(slog.DiscardHandler)
	analyser := analysis.NewBuilder(analysis.Options{})
	searcher := search.New(collect.NewRunner(collect.Options{Threads: -1}, nil), nil, search.Options{})
	n, err := node.Open(v.Context(), node.Storage{Bucket: memory.New(time.Now), FS: vfs.Memory()}, node.Options{
		Capabilities: analyser.Capabilities(), Search: searcher.Run, RefreshInterval: time.Hour, SampleInterval: time.Hour,
		Engine: engine.Options{MaxInterval: -1, MaxChanges: -1, MinFree: -1, Workers: 1, Analysis: analyser, Capabilities: analyser.Capabilities()},
	}, nil, quiet)
	if err != nil {
		v.Error(err)
		return
	}
	running, stop := context.WithCancel(v.Context())
	var work sync.WaitGroup
	work.Go(func() { _ = n.Run(running, nil) })
	defer func() {
		stop()
		work.Wait()
		_ = n.Close(context.Background())
	}()
	authority, err := auth.Open(v.Context(), memory.New(time.Now), auth.Options{RootKey: rootKey}, quiet)
	if err != nil {
		v.Error(err)
		return
	}
	v.api = New(Components{Node: n, Searcher: searcher,
		Authority: authority, Health: NewHealth(time.Second), Metrics: metrics.New(metrics.Options{WithoutRuntime: true}), Log: quiet},
		Options{MaxBodySize: 1 << 20, MaxStreamBodySize: 2 << 20})
	for _, r := range v.set.requests {
		v.changes = v.changes || strings.Contains(r.path, "reindex")
		if answered := v.send(r); v.set.name == "seeds" && answered.Code >= 400 {
			v.Errorf("%s %s %s\n%d %s", r.method, r.path, r.body, answered.Code, answered.Body)
		}
	}
	if len(v.set.damaged) == 0 {
		return
	}
	v.state = v.digest()
	for range count {
		r := v.set.damaged[v.random.IntN(len(v.set.damaged))]
		v.check(r.damaged(v.random, v.set.words))
		v.sent++
	}
}

func (v *victim) send(r sample) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/", nil)
	request.Method = r.method
	request.URL, _ = url.ParseRequestURI(r.path)
	request.RequestURI = r.path
	if request.Header = r.header.Clone(); request.Header == nil {
		request.Header = make(http.Header)
	}
	if !r.isAnonymous {
		request.Header.Set("Authorization", "Bearer "+rootKey)
	}
	if r.body != "" {
		var body io.Reader = strings.NewReader(r.body)
		if request.ContentLength = int64(len(r.body)); r.isCut {
			body = io.MultiReader(body, failingReader{})
			request.ContentLength = -1
		}
		request.Body = io.NopCloser(body)
	}
	recorder := httptest.NewRecorder()
	v.api.ServeHTTP(recorder, request)
	return recorder
}

// unfilled matches a placeholder that no argument filled.
var unfilled = regexp.MustCompile(`\{[a-z]+\}`)

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the connection is gone") }

// check sends a request and verifies the response and the state of the node.
func (v *victim) check(r sample) {
	answered := v.send(r)
	complain := func(format string, arguments ...any) {
		if _, told := v.told.LoadOrStore(fmt.Sprintf(format, arguments[:min(1, len(arguments))]...), true); told {
			return
		}
		v.Errorf("seed %d of %s: %s %q %v cut=%t %q\n%d %s\n%s", v.seed, v.set.name, r.method, r.path, r.header, r.isCut, r.body, answered.Code, answered.Body, fmt.Sprintf(format, arguments...))
	}
	text := answered.Body.Bytes()
	if answered.Code < 400 {
		if media := answered.Header().Get("Content-Type"); media == mediaJSON && r.method != http.MethodHead && !json.Valid(text) {
			complain("no JSON")
		}
		v.codes[fmt.Sprint(answered.Code)]++
		v.state = v.digest()
		return
	}
	var refused struct {
		Code, Message string
		Errors        []struct {
			Code      string
			Message   string
			Arguments map[string]string
		}
	}
	if r.method != http.MethodHead {
		if err := json.Unmarshal(text, &refused); err != nil || answered.Header().Get("Content-Type") != mediaJSON || refused.Message == "" || len(refused.Errors) == 0 {
			complain("no error body: %v", err)
			return
		}
	}
	v.codes[refused.Code]++
	// A token of a state that is not reached is correctly answered with 5xx.
	if answered.Code >= 500 && (refused.Code != problem.SearchFreshnessUnavailable.Name() || answered.Header().Get("Retry-After") == "") {
		complain("the node failed")
	}
	known := v.documented(r)
	processed := ""
	for _, e := range refused.Errors {
		if !known[e.Code] {
			complain("%s is not documented", e.Code)
		}
		if place := unfilled.FindString(e.Message); place != "" && !strings.Contains(r.path+r.body, place) {
			complain("the message of %s lacks an argument", e.Code)
		}
		processed = max(processed, e.Arguments["processed"])
	}
	if len(refused.Errors) == 1 && refused.Code != refused.Errors[0].Code && refused.Code != problem.IndexDefinitionIncompatible.Name() ||
		len(refused.Errors) > 1 && !known[refused.Code] {
		complain("the code of the whole is %s", refused.Code)
	}
	switch {
	case processed > "0":
		v.state = v.digest()
	case r.isRead() && v.random.IntN(100) > 0:
	case v.state != v.digest():
		complain("%s changed from\n%s\nto\n%s", r.method, v.state, v.digest())
		v.state = v.digest()
	}
}

// documented returns the codes that the response to a request may have.
func (v *victim) documented(r sample) map[string]bool {
	parsed, _ := url.ParseRequestURI(r.path)
	route := (*Route)(nil)
	if found, ok := v.api.router.find(parsed.EscapedPath()); ok {
		route = found.route(r.method)
	}
	documentedMu.Lock()
	defer documentedMu.Unlock()
	operation := ""
	if route != nil {
		operation = route.Operation
	}
	if known := documentedCodes[operation]; known != nil {
		return known
	}
	known := make(map[string]bool)
	for _, code := range everyCodes {
		known[code.Name()] = true
	}
	if route == nil {
		known[problem.RequestNotFound.Name()] = true
	} else {
		for _, code := range route.Codes {
			known[code.Name()] = true
		}
	}
	documentedCodes[operation] = known
	return known
}

var (
	documentedMu    sync.Mutex
	documentedCodes = make(map[string]map[string]bool) // by operation
)

// digest renders everything requests may change: definitions, settings, keys,
// and the number of document changes of every generation.
func (v *victim) digest() string {
	if v.changes {
		return ""
	}
	var b strings.Builder
	get := func(path string) []byte {
		answered := v.send(sample{method: "GET", path: path})
		return answered.Body.Bytes()
	}
	var listed struct {
		Indexes []struct {
			Name        string
			Generations []struct{ Name string }
		}
	}
	if err := json.Unmarshal(get(adminIndexes+"?limit=1000"), &listed); err != nil {
		v.Error(err)
	}
	for _, index := range listed.Indexes {
		fmt.Fprintf(&b, "settings of %s: %s\n", index.Name, get(adminIndexes+"/"+index.Name+"/settings"))
		for _, generation := range index.Generations {
			name := registry.Name{Index: index.Name, Generation: generation.Name}
			fmt.Fprintf(&b, "%s %s\n", name, v.generation(name))
		}
	}
	fmt.Fprintf(&b, "keys: %s\n", get(adminKeys+"?limit=1000"))
	return b.String()
}

// generation returns the version of a generation and the number of changes
// written to it.
func (v *victim) generation(name registry.Name) string {
	described, err := v.api.node.Describe(v.Context(), name)
	if err != nil {
		return err.Error()
	}
	pending := 0
	w := v.api.node.Write(name)
	err = w.Do(v.Context(), func(g *generations.Generation, _ *engine.WriteStream) error {
		pending = g.Pending().Changes
		return nil
	})
	token, _ := w.Finish(v.Context())
	return fmt.Sprint(described.Version, described.Live, pending, token, err)
}

// requestSet is a list of requests sent intact first and then damaged.
type requestSet struct {
	name     string
	requests []sample
	damaged  []sample // the subset of requests to damage
	words    []string // names and values used in the requests
}

// requestSets returns the requests of this package, of every script found, and
// the recorded ones.
func requestSets(t *testing.T) []requestSet {
	t.Helper()
	sets := []requestSet{{name: "seeds", requests: seeds}}
	files, err := filepath.Glob(filepath.Join(*scripts, "*", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		sets = append(sets, requestSet{name: filepath.Base(file), requests: scriptedRequests(t, file)})
		if len(sets)%4 == 0 {
			sets = append(sets, sets[0])
		}
	}
	if *recordedFile != "" {
		sets = append(sets, requestSet{name: "recorded", requests: recordedRequests(t, *recordedFile)})
	}
	for i := range sets {
		for j := range sets[i].requests {
			r := &sets[i].requests[j]
			r.parse()
			if !r.removesIndex() {
				sets[i].damaged = append(sets[i].damaged, *r)
			}
		}
		sets[i].words = wordsOf(sets[i].damaged)
	}
	return sets
}

// recordedRequests reads recorded requests from a file.
func recordedRequests(t *testing.T, file string) []sample {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []sample
	for line := range strings.Lines(string(text)) {
		var one struct{ Method, Path, Type, Body string }
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		found = append(found, sample{method: one.Method, path: one.Path, body: one.Body, header: http.Header{"Content-Type": {one.Type}}})
	}
	return found
}
