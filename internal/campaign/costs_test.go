package campaign

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/mcp"
	"github.com/quiresearch/quire/query"
)

var costs = flag.String("costs", "", "file to write the costs of every list of a request to; each is then measured in a process of its own")

// maxBody is the largest body that a node takes by default.
const maxBody = 10 << 20

// growing is one list of the request language and a request that holds it with a
// given number of entries.
type growing struct {
	list string // type and field of package query that hold it
	path string // of the request
	most int    // entries it may have; 0: as many as fit into a body
	body func(n int) string

	method      string // empty: POST
	contentType string // empty: JSON
	isPacked    bool   // the body is sent in gzip
}

// fewBytes is the size that tests use for bodies of requests other than searches,
// and for bodies whose list exceeds its bound. Full bodies take time: make costs
// sends them.
const fewBytes = 1 << 20

func (g growing) how() string { return cmp.Or(g.method, "POST") }

// send sends a request with the list.
func (g growing) send(t *testing.T, c *caller, body string) (reply, error) {
	t.Helper()
	encoding := ""
	if g.isPacked {
		body, encoding = packed(t, body), "gzip"
	}
	at := *c
	if g.path == mcp.Path {
		at.base = strings.TrimSuffix(at.base, "/v1alpha1")
	}
	return at.send(g.how(), g.path, cmp.Or(g.contentType, asJSON), body, "Content-Encoding", encoding, "Accept", "application/json, text/event-stream")
}

// each repeats an entry; %d in it is its number.
func each(entry string) func(n int) string {
	parts := strings.Split(entry, "%d")
	return func(n int) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.Join(parts, strconv.Itoa(i)))
		}
		return b.String()
	}
}

// around returns a function that builds the body around a list.
func around(before, entry, after string) func(n int) string {
	return func(n int) string { return before + each(entry)(n) + after }
}

// growingLists returns all lists of the request language, each where it costs most.
func growingLists() []growing {
	clauses, search := query.DefaultLimits().MaxClauses, "/indexes/x/search"
	const (
		clause = `{"field":"owner","match":{"value":"o%d"}}`
		text   = `{"type":"text","text":"word%d","match":"any"}`
		inner  = `{"field":"list.n","match":{"value":%d}}`
		price  = `{"field":"price","when":[{"field":"group","match":{"value":%d}}]}`
	)
	readings := strings.Repeat("5 kg ", 60)
	return []growing{
		{list: "Search.Query", path: search, most: clauses - 1, body: around(`{"query":[{"type":"boost","weight":1,"clauses":[]},`, text, `]}`)},
		{list: "Search.Filters", path: search, most: clauses, body: around(`{"filters":[`, clause, `]}`)},
		{list: "Search.Facets", path: search, most: query.MaxFacets, body: around(`{"facets":[`, `{"field":"owner","limit":1000,"name":"f%d"}`, `]}`)},
		{list: "Search.Sort", path: search, most: query.MaxSorts, body: around(`{"sort":[`, `{"field":"owner"}`, `]}`)},
		{list: "Search.Signals", path: search, most: query.MaxSignals, body: around(`{"signals":[`, `{"field":"pop","saturation":{"pivot":2}}`, `]}`)},
		{list: "Search.Fields", path: search, most: query.MaxListedFields, body: around(`{"limit":1000,"fields":[`, `"w%d"`, `]}`)},
		{list: "Facet.Ranges", path: search, most: query.MaxFacetRanges, body: around(`{"facets":[{"field":"price","ranges":[`, `{"from":%d}`, `]}]}`)},
		{list: "Facet.ExcludeFilters", path: search, most: query.MaxListedFields, body: around(`{"filters":[{"field":"owner","match":{"type":"prefix","value":"o"}}],"facets":[{"field":"owner","excludeFilters":[`, `"w%d"`, `]}]}`)},
		{list: "Facet.When", path: search, most: clauses - 1, body: around(`{"facets":[{"field":"price","ranges":[{"from":1}],"when":[{"type":"or","clauses":[`, clause, `]}]}]}`)},
		{list: "Facet.Fallback", path: search, most: clauses, body: around(`{"facets":[{"field":"price","ranges":[{"from":1}],"fallback":[`, `{"field":"price"}`, `]}]}`)},
		{list: "Sort.When", path: search, most: clauses - 1, body: around(`{"sort":[{"field":"price","when":[{"type":"or","clauses":[`, clause, `]}]}]}`)},
		{list: "Sort.Fallback", path: search, most: clauses, body: around(`{"sort":[{"field":"price","fallback":[`, price, `]}]}`)},
		{list: "Rescore.Boost", path: search, most: clauses - 1, body: around(`{"query":[{"type":"text","text":"word"}],"rescore":{"window":1000,"boost":[`, text, `]}}`)},
		{list: "Rescore.Signals", path: search, most: query.MaxSignals, body: around(`{"rescore":{"window":1000,"signals":[`, `{"field":"pop","saturation":{"pivot":2}}`, `]}}`)},
		{list: "Highlight.Fields", path: search, most: query.MaxListedFields, body: around(`{"limit":1000,"query":[{"type":"text","text":"word"}],"highlight":{"fields":{`, `"w%d":{"fragments":100}`, `}}}`)},
		{list: "HighlightField.Field", path: search, most: 0, body: func(n int) string {
			return `{"highlight":{"fields":{"` + strings.Repeat("x", n) + `":{` + each(`"p%d":1`)(2000) + `}}}}`
		}},
		{list: "Hits.List", path: search, most: 0, body: func(n int) string {
			return `{"hits":{"path":"` + strings.Repeat("x", n) + `","fields":[` + each(`"p%d"`)(1000) + `]}}`
		}},
		{list: "HighlightField.Pre", path: search, most: query.MaxMark, body: func(n int) string {
			return `{"limit":1000,"query":[{"type":"text","text":"a1 b1 word"}],"highlight":{"fields":{"title":{"pre":"` + strings.Repeat("x", n) + `"}}}}`
		}},
		{list: "Matched.Fields", path: search, most: query.MaxListedFields - 1, body: around(`{"limit":1000,"query":[{"type":"nested","path":"list","clauses":[]}],"matched":{"fields":{"list":{"limit":100},`, `"list%d":{}`, `}}}`)},
		{list: "MatchedField.Fields", path: search, most: query.MaxListedFields, body: around(`{"limit":1000,"query":[{"type":"nested","path":"list","clauses":[]}],"matched":{"fields":{"list":{"limit":100,"fields":[`, `"list.n"`, `]}}}}`)},
		{list: "Hits.Fields", path: search, most: query.MaxListedFields, body: around(`{"limit":1000,"hits":{"path":"list","fields":[`, `"list.n"`, `]}}`)},
		{list: "Hits.When", path: search, most: clauses, body: around(`{"limit":1000,"hits":{"path":"list","when":[`, clause, `]}}`)},
		{list: "TextClause.Fields", path: search, most: query.MaxListedFields, body: func(n int) string {
			return `{"query":[{"type":"text","text":"` + strings.Repeat("word ", 60) + `","fields":{` + each(`"w%d":1`)(n) + `}}]}`
		}},
		{list: "TextClause.Text", path: search, most: 0, body: func(n int) string { return `{"query":[{"type":"text","text":"` + words(n, "wrod%d") + `"}]}` }},
		{list: "TextClause.Text, relaxed", path: search, most: 0, body: func(n int) string {
			return `{"query":[{"type":"text","match":"all","relax":"words","text":"` + words(n, "wrod%d a%d") + `"}]}`
		}},
		{list: "TextClause.Text, readings", path: search, most: 0, body: func(n int) string {
			return `{"query":[{"type":"text","match":"any","prefix":"last_token","text":"` + words(n, "wrod%dwrod other%d") + `"}]}`
		}},
		{list: "TextClause.Text, one word", path: search, most: 0, body: func(n int) string { return `{"query":[{"type":"text","text":"` + strings.Repeat("w", n) + `"}]}` }},
		{list: "TextClause.Text, quoted", path: search, most: 0, body: func(n int) string {
			return `{"query":[{"type":"text","match":"user","text":"` + strings.ReplaceAll(words(n, "'a b%d'"), "'", `\"`) + `"}]}`
		}},
		{list: "KnnClause.Vector", path: search, most: 0, body: around(`{"query":[{"type":"knn","field":"v","k":10,"vector":[`, `1`, `]}]}`)},
		{list: "KnnClause.Filter", path: search, most: clauses - 2, body: around(`{"query":[{"type":"knn","field":"v","k":1000,"vector":[1,0,0,0],"filter":[{"type":"or","clauses":[`, clause, `]}]}]}`)},
		{list: "NestedClause.Clauses", path: search, most: clauses - 2, body: around(`{"query":[{"type":"nested","path":"list","clauses":[{"type":"or","clauses":[`, inner, `]}]}]}`)},
		{list: "AndClause.Clauses", path: search, most: clauses - 1, body: around(`{"query":[{"type":"and","clauses":[`, text, `]}]}`)},
		{list: "OrClause.Clauses", path: search, most: clauses - 1, body: around(`{"query":[{"type":"or","clauses":[`, text, `]}]}`)},
		{list: "NotClause.Clauses", path: search, most: clauses - 1, body: around(`{"query":[{"type":"not","clauses":[`, clause, `]}]}`)},
		{list: "BoostClause.Clauses", path: search, most: clauses - 1, body: around(`{"query":[{"type":"boost","weight":2,"clauses":[`, text, `]}]}`)},
		{list: "FuseClause.Rankings", path: search, most: clauses / 2, body: around(`{"query":[{"type":"fuse","depth":1000,"rankings":[`, `{"clauses":[{"type":"text","text":"word%d a1"}]}`, `]}]}`)},
		{list: "Ranking.Clauses", path: search, most: clauses - 3, body: around(`{"query":[{"type":"fuse","depth":1000,"rankings":[{"clauses":[`, text, `]},{"clauses":[{"type":"text","text":"word"}]}]}]}`)},
		{list: "FuseClause.Filter", path: search, most: clauses - 4, body: around(`{"query":[{"type":"fuse","depth":1000,"rankings":[{"clauses":[{"type":"text","text":"a1"}]},{"clauses":[{"type":"text","text":"word"}]}],"filter":[{"type":"or","clauses":[`, clause, `]}]}]}`)},
		{list: "InMatcher.Values", path: search, most: query.MaxListedValues, body: around(`{"filters":[{"field":"owner","match":{"type":"in","values":[`, `"o%d"`, `]}}]}`)},
		{list: "RangesMatcher.Ranges", path: search, most: query.MaxListedValues, body: around(`{"filters":[{"field":"price","match":{"type":"ranges","values":[`, `{"gt":%d,"lt":%d}`, `]}}]}`)},
		{list: "Interpret.Targets", path: search, most: clauses, body: around(`{"query":[{"type":"text","match":"user","text":"`+readings+`","interpret":{"fields":[`, `{"field":"price"}`, `]}}]}`)},
		{list: "Target.When", path: search, most: clauses - 2, body: around(`{"query":[{"type":"text","match":"user","text":"`+readings+`","interpret":{"fields":[{"field":"price","when":[{"type":"or","clauses":[`, clause, `]}]}]}}]}`)},
		{list: "Target.Fallback", path: search, most: clauses - 1, body: around(`{"query":[{"type":"text","match":"user","text":"5 kg","interpret":{"fields":[{"field":"price","fallback":[`, price, `]}]}}]}`)},
		{list: "Suggest.Filters", path: "/indexes/x/suggest", most: clauses, body: around(`{"text":"w","filters":[`, clause, `]}`)},
		{list: "Suggest.Text", path: "/indexes/x/suggest", most: 0, body: func(n int) string { return `{"text":"` + words(n, "wrod%d") + `"}` }},
		{list: "FacetValues.Query", path: "/indexes/x/facets/owner/values", most: clauses, body: around(`{"query":[`, text, `]}`)},
		{list: "FacetValues.Filters", path: "/indexes/x/facets/owner/values", most: clauses, body: around(`{"filters":[`, clause, `]}`)},
		{list: "Delete.Query", path: "/indexes/x/documents/actions/delete", most: clauses, body: around(`{"query":[`, `{"field":"owner","match":{"value":"none%d"}}`, `]}`)},
		{list: "Delete.Keys", path: "/indexes/x/documents/actions/delete", most: 0, body: around(`{"keys":[`, `"none%d"`, `]}`)},
	}
}

func words(count int, form string) string {
	return strings.ReplaceAll(repeat(count, func(i int) string { return fmt.Sprintf(form, i) }), ",", " ")
}

// Every list in the types of requests is grown.
func TestEveryListOfARequestIsGrown(t *testing.T) {
	grown := make(map[string]bool)
	for _, g := range growingLists() {
		grown[g.list] = true
	}
	seen := make(map[reflect.Type]bool)
	var walk func(of reflect.Type)
	walk = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || !strings.HasSuffix(of.PkgPath(), "/query") || seen[of] {
			return
		}
		seen[of] = true
		for field := range of.Fields() {
			isList := field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() != reflect.Uint8
			if name := of.Name() + "." + field.Name; isList && !grown[name] {
				t.Errorf("no request grows %s", name)
			}
			walk(field.Type)
		}
	}
	for _, one := range []any{
		query.Search{}, query.Suggest{}, query.FacetValues{}, query.Delete{},
		query.FieldClause{}, query.TextClause{}, query.KnnClause{}, query.NestedClause{}, query.AndClause{}, query.OrClause{},
		query.NotClause{}, query.BoostClause{}, query.FuseClause{},
		query.EqualsMatcher{}, query.InMatcher{}, query.AnyMatcher{}, query.PrefixMatcher{}, query.UnderMatcher{}, query.RangeMatcher{},
		query.RangesMatcher{}, query.TextMatcher{}, query.DistanceMatcher{},
	} {
		walk(reflect.TypeOf(one))
	}
}

// grownIndex is searched by requests with lists at their bounds.
const grownIndex = `{"fields":{"id":{"type":"string","primaryKey":true},"title":{"type":"string","matching":{"typoTolerance":{},"highlight":{}}},
	"owner":{"type":"string","filter":{},"facet":{},"sort":{}},"group":{"type":"int32","filter":{},"facet":{}},
	"price":{"type":"double","unit":"kg","filter":{},"facet":{},"sort":{}},"pop":{"type":"double","signal":{}},
	"v":{"type":"vector","dimensions":4},"w*":{"type":"string","matching":{"typoTolerance":{},"highlight":{}},"stored":true},
	"list":{"type":"object","multiple":true,"mode":"nested","fields":{"n":{"type":"int32","filter":{}}}}}}`

// seedGrown fills an index and returns the environment of nodes that search it.
func seedGrown(t *testing.T, directory string, documents int) []string {
	t.Helper()
	environment := []string{"SERVICE_SEARCH_TIMEOUT=5s", "SERVICE_SUGGEST_TIMEOUT=5s", "SERVICE_NODE_MEMORY_BUDGET=128M", "SERVICE_MCP_ENABLED=true"}
	p := start(t, directory, environment...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", grownIndex)
	c.must(t, "PUT", "/admin/indexes/y", grownIndex)
	for from := 0; from < documents; from += 1000 {
		c.must(t, "POST", "/indexes/x/documents", `{"documents":[`+repeat(min(1000, documents-from), func(i int) string {
			n := from + i
			return fmt.Sprintf(`{"id":"%d","owner":"o%d","group":%d,"price":%d,"pop":%d,"title":"word%d other%d a%d b%d","v":[1,%d,0,1],"w%d":"word%d","list":[{"n":1},{"n":%d}]}`,
				n, n, n%7, n%50, n, n, n*31, n%26, n%11, n%9, n%200, n, n)
		})+`]}`)
	}
	c.must(t, "POST", "/admin/indexes/x/actions/commit", "")
	if err := p.terminate(time.Minute); err != nil {
		t.Fatal(err)
	}
	return environment
}

// full returns the request with its list at the bound.
func (g growing) full(most int) (body string, entries int) {
	if g.most > 0 {
		return g.body(g.most), g.most
	}
	return g.filled(most)
}

// filled returns the request that fills a body of most bytes, whatever the bound of
// the list.
func (g growing) filled(most int) (body string, entries int) {
	one, more := len(g.body(1000)), len(g.body(2000))
	entries = (most - one) * 1000 / (more - one)
	for body = g.body(entries); len(body) > most; body = g.body(entries) {
		entries = entries * 9 / 10 // later entries have longer numbers
	}
	return body, entries
}

// peak returns the peak memory of a process since it was last queried.
func peak(t *testing.T, p *process) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		t.Skip("needs /proc")
	}
	match := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	kilobytes, _ := strconv.ParseInt(string(match[1]), 10, 64)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.command.Process.Pid), []byte("5"), 0)
	return kilobytes << 10
}

// S28: every list, grown to its bound and beyond, is answered or refused, and costs
// no more memory than a node of 128 MB may take beyond its budget.
func TestEveryListAtItsBound(t *testing.T) {
	switch {
	case *costs != "":
		t.Skip("each is measured by itself")
	case testing.Short():
		t.Skip("takes seconds")
	}
	directory := t.TempDir()
	p := start(t, directory, seedGrown(t, directory, 1000)...)
	c := newCaller(p)
	send := func(g growing, most int) {
		bodies := []string{first(g.full(most))}
		if g.most > 0 {
			bodies = append(bodies, first(g.filled(fewBytes)))
		}
		for _, body := range bodies {
			began := time.Now()
			peak(t, p)
			answered(t, g, c, body)
			used := peak(t, p)
			t.Logf("%-28s %8d bytes %8v %5d MB", g.list, len(body), time.Since(began).Round(time.Millisecond), used>>20)
			if used > 400<<20 && !underRace { // the race detector takes memory of its own
				t.Errorf("%s: %d bytes make %d MB", g.list, len(body), used>>20)
			}
		}
	}
	for _, g := range growingLists() {
		send(g, maxBody)
	}
	for _, g := range growingBodies() {
		send(g, fewBytes)
	}
	p.noPanic(t)
}

// answered fails on anything but a good answer, a refusal, or the documented
// timeout.
func answered(t *testing.T, g growing, c *caller, body string) {
	t.Helper()
	got, err := g.send(t, c, body)
	switch {
	case err != nil:
		t.Fatalf("%s: %v", g.list, err)
	case got.status == 503 && got.code() == "search:timeout":
	case got.status >= 500:
		t.Errorf("%s: %.400s", g.list, got)
	}
}

func first[T, U any](a T, _ U) T { return a }

// TestCostsOfEveryList writes the costs of lists at their bounds as a page.
func TestCostsOfEveryList(t *testing.T) {
	if *costs == "" {
		t.Skip("make costs measures")
	}
	directory := t.TempDir()
	environment := seedGrown(t, directory, 50_000)
	var page strings.Builder
	fmt.Fprintf(&page, costsOpening, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	for _, g := range append(growingLists(), growingBodies()...) {
		bodies := []string{first(g.full(maxBody))}
		if g.most > 0 {
			bodies = append(bodies, first(g.filled(maxBody)))
		}
		for i, body := range bodies {
			p := start(t, directory, environment...)
			c := newCaller(p)
			c.must(t, "POST", "/indexes/x/search", `{}`)
			idle := resident(t, p)
			peak(t, p)
			began := time.Now()
			got, err := g.send(t, c, body)
			took := time.Since(began)
			if err != nil {
				t.Fatalf("%s: %v\n%s", g.list, err, tail(p.output.String()))
			}
			entries := strconv.Itoa(g.most)
			if i > 0 || g.most == 0 {
				entries = "a full body"
			}
			answer := strconv.Itoa(got.status)
			if got.code() != "" {
				answer = "`" + got.code() + "`"
			}
			fmt.Fprintf(&page, "| %s | %s | %s | %s | %s | %s | %s |\n", g.list, entries, kilobytes(int64(len(body))), answer,
				kilobytes(int64(len(got.body))), took.Round(time.Millisecond), kilobytes(max(0, peak(t, p)-idle)))
			p.noPanic(t)
			p.kill()
		}
	}
	if err := os.WriteFile(*costs, []byte(page.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func kilobytes(n int64) string {
	if n < 10<<20 {
		return strconv.FormatInt((n+1023)>>10, 10) + " KB"
	}
	return strconv.FormatInt(n>>20, 10) + " MB"
}

const costsOpening = `<!-- Written by ` + "`make costs`" + `, which measures. -->

# Costs of requests

What each list of the request language costs when it is grown to its [bound](bounds.md), and when it fills a body of 10 MB whatever
the bound: bytes in and out, time, and the most memory the process took beyond what it had while idle. A request within every bound
costs no more than the sum of its lists. Each row is measured in a process of its own with a memory budget of 128 MB and a timeout of
5 s, over 50 000 documents, on a machine with %d cores (%s/%s); the tests hold every row below a bound on a
smaller index, with 1 MB in place of 10 where a list is longer than its bound.

| List | Entries | Bytes in | Answer | Bytes out | Time | Memory |
|---|---|---|---|---|---|---|
`

// The page lists exactly the grown lists.
func TestCostsOfEveryListAreOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]bool)
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \| (?:\d+|a full body) \|`).FindAllStringSubmatch(string(page), -1) {
		listed[row[1]] = true
	}
	for _, g := range append(growingLists(), growingBodies()...) {
		if !listed[g.list] {
			t.Errorf("make costs has not measured %s", g.list)
		}
		delete(listed, g.list)
	}
	for list := range listed {
		t.Errorf("no request grows %s", list)
	}
}

// Lists of the same name at different places have their own rows.
func TestGrowingListsAreNamedOnce(t *testing.T) {
	var names []string
	all := append(growingLists(), growingBodies()...)
	for _, g := range all {
		names = append(names, g.list)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(all) {
		t.Error("a list has two rows")
	}
}
