package campaign

import (
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

	"github.com/quiresearch/quire/query"
)

var costs = flag.String("costs", "", "file to write the costs of every list of a request to; each is then measured in a process of its own")

// maxBody is the largest body a node takes by default.
const maxBody = 10 << 20

// growing is one list of the request language and a request that holds it with
// so many entries.
type growing struct {
	list string // type and field of package query that hold it
	path string // of the request
	most int    // entries it may have; 0: as many as fit a body
	body func(n int) string
}

// each repeats an entry; %d in it is its number.
func each(entry string) func(n int) string {
	return func(n int) string {
		return repeat(n, func(i int) string { return strings.ReplaceAll(entry, "%d", strconv.Itoa(i)) })
	}
}

// around returns the body that holds a list.
func around(before, entry, after string) func(n int) string {
	return func(n int) string { return before + each(entry)(n) + after }
}

// growingLists are all lists of the request language, each where it costs most.
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
		{"Search.Query", search, clauses - 1, around(`{"query":[{"type":"boost","weight":1,"clauses":[]},`, text, `]}`)},
		{"Search.Filters", search, clauses, around(`{"filters":[`, clause, `]}`)},
		{"Search.Facets", search, query.MaxFacets, around(`{"facets":[`, `{"field":"owner","limit":1000,"name":"f%d"}`, `]}`)},
		{"Search.Sort", search, query.MaxSorts, around(`{"sort":[`, `{"field":"owner"}`, `]}`)},
		{"Search.Signals", search, query.MaxSignals, around(`{"signals":[`, `{"field":"pop","saturation":{"pivot":2}}`, `]}`)},
		{"Search.Fields", search, query.MaxListedFields, around(`{"limit":1000,"fields":[`, `"w%d"`, `]}`)},
		{"Facet.Ranges", search, query.MaxFacetRanges, around(`{"facets":[{"field":"price","ranges":[`, `{"from":%d}`, `]}]}`)},
		{"Facet.ExcludeFilters", search, query.MaxListedFields, around(`{"filters":[{"field":"owner","match":{"type":"prefix","value":"o"}}],"facets":[{"field":"owner","excludeFilters":[`, `"w%d"`, `]}]}`)},
		{"Facet.When", search, clauses - 1, around(`{"facets":[{"field":"price","ranges":[{"from":1}],"when":[{"type":"or","clauses":[`, clause, `]}]}]}`)},
		{"Facet.Fallback", search, clauses, around(`{"facets":[{"field":"price","ranges":[{"from":1}],"fallback":[`, `{"field":"price"}`, `]}]}`)},
		{"Sort.When", search, clauses - 1, around(`{"sort":[{"field":"price","when":[{"type":"or","clauses":[`, clause, `]}]}]}`)},
		{"Sort.Fallback", search, clauses, around(`{"sort":[{"field":"price","fallback":[`, price, `]}]}`)},
		{"Rescore.Boost", search, clauses - 1, around(`{"query":[{"type":"text","text":"word"}],"rescore":{"window":1000,"boost":[`, text, `]}}`)},
		{"Rescore.Signals", search, query.MaxSignals, around(`{"rescore":{"window":1000,"signals":[`, `{"field":"pop","saturation":{"pivot":2}}`, `]}}`)},
		{"Highlight.Fields", search, query.MaxListedFields, around(`{"limit":1000,"query":[{"type":"text","text":"word"}],"highlight":{"fields":{`, `"w%d":{"fragments":100}`, `}}}`)},
		{"HighlightField.Field", search, 0, func(n int) string {
			return `{"highlight":{"fields":{"` + strings.Repeat("x", n) + `":{` + each(`"p%d":1`)(2000) + `}}}}`
		}},
		{"Hits.List", search, 0, func(n int) string {
			return `{"hits":{"path":"` + strings.Repeat("x", n) + `","fields":[` + each(`"p%d"`)(1000) + `]}}`
		}},
		{"HighlightField.Pre", search, query.MaxMark, func(n int) string {
			return `{"limit":1000,"query":[{"type":"text","text":"a1 b1 word"}],"highlight":{"fields":{"title":{"pre":"` + strings.Repeat("x", n) + `"}}}}`
		}},
		{"Matched.Fields", search, query.MaxListedFields - 1, around(`{"limit":1000,"query":[{"type":"nested","path":"list","clauses":[]}],"matched":{"fields":{"list":{"limit":100},`, `"list%d":{}`, `}}}`)},
		{"MatchedField.Fields", search, query.MaxListedFields, around(`{"limit":1000,"query":[{"type":"nested","path":"list","clauses":[]}],"matched":{"fields":{"list":{"limit":100,"fields":[`, `"list.n"`, `]}}}}`)},
		{"Hits.Fields", search, query.MaxListedFields, around(`{"limit":1000,"hits":{"path":"list","fields":[`, `"list.n"`, `]}}`)},
		{"Hits.When", search, clauses, around(`{"limit":1000,"hits":{"path":"list","when":[`, clause, `]}}`)},
		{"TextClause.Fields", search, query.MaxListedFields, func(n int) string {
			return `{"query":[{"type":"text","text":"` + strings.Repeat("word ", 60) + `","fields":{` + each(`"w%d":1`)(n) + `}}]}`
		}},
		{"TextClause.Text", search, 0, func(n int) string { return `{"query":[{"type":"text","text":"` + words(n, "wrod%d") + `"}]}` }},
		{"TextClause.Text, one word", search, 0, func(n int) string { return `{"query":[{"type":"text","text":"` + strings.Repeat("w", n) + `"}]}` }},
		{"TextClause.Text, quoted", search, 0, func(n int) string {
			return `{"query":[{"type":"text","match":"user","text":"` + strings.ReplaceAll(words(n, "'a b%d'"), "'", `\"`) + `"}]}`
		}},
		{"KnnClause.Vector", search, 0, around(`{"query":[{"type":"knn","field":"v","k":10,"vector":[`, `1`, `]}]}`)},
		{"KnnClause.Filter", search, clauses - 2, around(`{"query":[{"type":"knn","field":"v","k":1000,"vector":[1,0,0,0],"filter":[{"type":"or","clauses":[`, clause, `]}]}]}`)},
		{"NestedClause.Clauses", search, clauses - 2, around(`{"query":[{"type":"nested","path":"list","clauses":[{"type":"or","clauses":[`, inner, `]}]}]}`)},
		{"AndClause.Clauses", search, clauses - 1, around(`{"query":[{"type":"and","clauses":[`, text, `]}]}`)},
		{"OrClause.Clauses", search, clauses - 1, around(`{"query":[{"type":"or","clauses":[`, text, `]}]}`)},
		{"NotClause.Clauses", search, clauses - 1, around(`{"query":[{"type":"not","clauses":[`, clause, `]}]}`)},
		{"BoostClause.Clauses", search, clauses - 1, around(`{"query":[{"type":"boost","weight":2,"clauses":[`, text, `]}]}`)},
		{"FuseClause.Rankings", search, clauses / 2, around(`{"query":[{"type":"fuse","depth":1000,"rankings":[`, `{"clauses":[{"type":"text","text":"word%d a1"}]}`, `]}]}`)},
		{"Ranking.Clauses", search, clauses - 3, around(`{"query":[{"type":"fuse","depth":1000,"rankings":[{"clauses":[`, text, `]},{"clauses":[{"type":"text","text":"word"}]}]}]}`)},
		{"FuseClause.Filter", search, clauses - 4, around(`{"query":[{"type":"fuse","depth":1000,"rankings":[{"clauses":[{"type":"text","text":"a1"}]},{"clauses":[{"type":"text","text":"word"}]}],"filter":[{"type":"or","clauses":[`, clause, `]}]}]}`)},
		{"InMatcher.Values", search, query.MaxListedValues, around(`{"filters":[{"field":"owner","match":{"type":"in","values":[`, `"o%d"`, `]}}]}`)},
		{"RangesMatcher.Ranges", search, query.MaxListedValues, around(`{"filters":[{"field":"price","match":{"type":"ranges","values":[`, `{"gt":%d,"lt":%d}`, `]}}]}`)},
		{"Interpret.Targets", search, clauses, around(`{"query":[{"type":"text","match":"user","text":"`+readings+`","interpret":{"fields":[`, `{"field":"price"}`, `]}}]}`)},
		{"Target.When", search, clauses - 2, around(`{"query":[{"type":"text","match":"user","text":"`+readings+`","interpret":{"fields":[{"field":"price","when":[{"type":"or","clauses":[`, clause, `]}]}]}}]}`)},
		{"Target.Fallback", search, clauses - 1, around(`{"query":[{"type":"text","match":"user","text":"5 kg","interpret":{"fields":[{"field":"price","fallback":[`, price, `]}]}}]}`)},
		{"Suggest.Filters", "/indexes/x/suggest", clauses, around(`{"text":"w","filters":[`, clause, `]}`)},
		{"Suggest.Text", "/indexes/x/suggest", 0, func(n int) string { return `{"text":"` + words(n, "wrod%d") + `"}` }},
		{"FacetValues.Query", "/indexes/x/facets/owner/values", clauses, around(`{"query":[`, text, `]}`)},
		{"FacetValues.Filters", "/indexes/x/facets/owner/values", clauses, around(`{"filters":[`, clause, `]}`)},
		{"Delete.Query", "/indexes/x/documents/actions/delete", clauses, around(`{"query":[`, `{"field":"owner","match":{"value":"none%d"}}`, `]}`)},
		{"Delete.Keys", "/indexes/x/documents/actions/delete", 0, around(`{"keys":[`, `"none%d"`, `]}`)},
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
	environment := []string{"SERVICE_SEARCH_TIMEOUT=5s", "SERVICE_SUGGEST_TIMEOUT=5s", "SERVICE_NODE_MEMORY_BUDGET=128M"}
	p := start(t, directory, environment...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", grownIndex)
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

// most returns the request of a list at its bound.
func (g growing) full() (body string, entries int) {
	if g.most > 0 {
		return g.body(g.most), g.most
	}
	return g.filled()
}

// filled returns the request that fills a body, whatever the bound is.
func (g growing) filled() (body string, entries int) {
	one, more := len(g.body(1000)), len(g.body(2000))
	entries = (maxBody - one) * 1000 / (more - one)
	for body = g.body(entries); len(body) > maxBody; body = g.body(entries) {
		entries = entries * 9 / 10 // later entries have longer numbers
	}
	return body, entries
}

// peak returns the most memory a process has had since it was last asked.
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

// S28: every list, grown to its bound and to what a body holds, is answered or
// refused, and costs no more memory than a node of 128 MB may take beside its
// budget.
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
	for _, g := range growingLists() {
		bodies := []string{first(g.full())}
		if g.most > 0 {
			bodies = append(bodies, first(g.filled()))
		}
		for _, body := range bodies {
			began := time.Now()
			peak(t, p)
			c.answered(t, g.list, "POST", g.path, body)
			used := peak(t, p)
			t.Logf("%-28s %8d bytes %8v %5d MB", g.list, len(body), time.Since(began).Round(time.Millisecond), used>>20)
			if used > 400<<20 {
				t.Errorf("%s: %d bytes make %d MB", g.list, len(body), used>>20)
			}
		}
	}
	p.noPanic(t)
}

func first[T, U any](a T, _ U) T { return a }

// TestCostsOfEveryList writes what lists at their bounds cost as a page.
func TestCostsOfEveryList(t *testing.T) {
	if *costs == "" {
		t.Skip("make costs measures")
	}
	directory := t.TempDir()
	environment := seedGrown(t, directory, 50_000)
	var page strings.Builder
	fmt.Fprintf(&page, costsOpening, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	for _, g := range growingLists() {
		bodies := []string{first(g.full())}
		if filled, _ := g.filled(); g.most > 0 {
			bodies = append(bodies, filled)
		}
		for i, body := range bodies {
			p := start(t, directory, environment...)
			c := newCaller(p)
			c.must(t, "POST", "/indexes/x/search", `{}`)
			idle := resident(t, p)
			peak(t, p)
			began := time.Now()
			got, err := c.send("POST", g.path, asJSON, body)
			took := time.Since(began)
			if err != nil {
				t.Fatalf("%s: %v\n%s", g.list, err, tail(p.output.String()))
			}
			entries := strconv.Itoa(g.most)
			if i > 0 || g.most == 0 {
				entries = "a full body"
			}
			answer := strconv.Itoa(got.status)
			if got.status >= 400 {
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
5 s, over 50 000 documents, on a machine with %d cores (%s/%s); the tests hold every row below a bound on a smaller index.

| List | Entries | Bytes in | Answer | Bytes out | Time | Memory |
|---|---|---|---|---|---|---|
`

// Lists of the same name at different places have rows of their own.
func TestGrowingListsAreNamedOnce(t *testing.T) {
	var names []string
	for _, g := range growingLists() {
		names = append(names, g.list)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(growingLists()) {
		t.Error("a list has two rows")
	}
}
