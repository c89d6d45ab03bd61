package search

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/snapshot"
)

const cacheDefinition = `{"fields":{"id":{"type":"string","primaryKey":true},
	"name":{"type":"string","matching":{"typoTolerance":{}}},"brand":{"type":"string","filter":{},"facet":{}},
	"price":{"type":"int32","filter":{}}}}`

// metered returns an index whose searches are metered.
func metered(t testing.TB) (*index, *metrics.Set) {
	t.Helper()
	return meteredIndex(t, cacheDefinition)
}

func meteredIndex(t testing.TB, definition string) (*index, *metrics.Set) {
	t.Helper()
	x := newIndex(t, definition)
	meters := metrics.New(metrics.Options{WithoutRuntime: true})
	x.searcher = New(collect.NewRunner(collect.Options{}, meters), meters, Options{
		FacetCacheSize: 1 << 20, Records: snapshot.NewRecords(1<<20, meters), Now: x.searcher.options.Now,
	})
	return x, meters
}

// read returns the value of a meter as scraped, 0 if it is absent.
func read(t testing.TB, meters *metrics.Set, name string) float64 {
	t.Helper()
	answer := httptest.NewRecorder()
	meters.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(answer.Body.String())
	if found == nil {
		return 0
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func manyDocuments(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`{"id":"%d","name":"thing%s number","brand":"b%d","price":%d}`, i, strings.Repeat("x", i%30), i%7, i)
	}
	return all
}

func TestRepeatedSearchesHitTheCaches(t *testing.T) {
	for _, test := range []struct {
		name, body, meter string
	}{
		{"documents", `{"query":[{"type":"text","text":"number","prefix":"off"}]}`, "service_document_cache"},
		{"terms", `{"query":[{"type":"text","text":"number","prefix":"off"}]}`, "service_term_cache"},
		{"typos", `{"query":[{"type":"text","text":"nummber","prefix":"off"}]}`, "service_typo_cache_%s_words"},
		{"prefixes", `{"query":[{"type":"text","text":"thin"}]}`, "service_prefix_cache_%s_words"},
		{"filters", `{"filters":[{"type":"field","field":"price","match":{"type":"range","gte":10}}]}`, "service_query_cache"},
		{"counts", `{"limit":0,"facets":[{"field":"brand"}],"query":[{"type":"text","text":"number","prefix":"off"}]}`, "service_facet_cache"},
	} {
		t.Run(test.name, func(t *testing.T) {
			x, meters := metered(t)
			x.add(t, manyDocuments(300), nil)
			name := func(what string) string {
				if strings.Contains(test.meter, "%s") {
					return fmt.Sprintf(test.meter, what) + "_total"
				}
				return test.meter + "_" + what + "_total"
			}
			first := x.mustSearch(t, test.body)
			if read(t, meters, name("misses")) == 0 || read(t, meters, name("hits")) != 0 {
				t.Fatalf("first: %v misses, %v hits", read(t, meters, name("misses")), read(t, meters, name("hits")))
			}
			misses := read(t, meters, name("misses"))
			second := x.mustSearch(t, test.body)
			if read(t, meters, name("misses")) != misses || read(t, meters, name("hits")) == 0 {
				t.Errorf("second: %v misses, %v hits", read(t, meters, name("misses")), read(t, meters, name("hits")))
			}
			if a, b := string(first.AppendJSON(nil)), string(second.AppendJSON(nil)); a != b {
				t.Errorf("FA1: answers differ:\n%s\n%s", a, b)
			}
		})
	}
}

func TestOnlyDocumentsWorthKeepingAreKept(t *testing.T) {
	const search = `{"query":[{"type":"text","text":"number","prefix":"off"}]}`
	keptOf := func(t *testing.T, definition string, documents []string) (hits, misses float64) {
		x, meters := meteredIndex(t, definition)
		x.add(t, documents, nil)
		x.mustSearch(t, search)
		x.mustSearch(t, search)
		return read(t, meters, "service_document_cache_hits_total"), read(t, meters, "service_document_cache_misses_total")
	}
	large := fmt.Sprintf(`{"id":"1","name":"number","brand":"%s"}`, strings.Repeat("large ", 1000))
	if hits, misses := keptOf(t, cacheDefinition, []string{large, `{"id":"2","name":"number"}`}); hits != 1 || misses != 3 {
		t.Errorf("a large document and a small one: %v hits, %v misses", hits, misses)
	}
	const keyAlone = `{"source":"none","fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{}}}}`
	if hits, misses := keptOf(t, keyAlone, []string{`{"id":"1","name":"number"}`, `{"id":"2","name":"number"}`}); hits != 0 || misses != 0 {
		t.Errorf("nothing is unpacked: %v hits, %v misses", hits, misses)
	}
}

func TestClosedReadersLeaveNothingInCaches(t *testing.T) {
	x, meters := metered(t)
	x.add(t, manyDocuments(300), nil)
	x.set(t, `{"fields":{"brand":{"interpret":{},"suggest":{}}}}`)
	for _, body := range []string{
		`{"query":[{"type":"text","text":"nummber thin b1","match":"user"}],"facets":[{"field":"brand"}]}`,
		`{"filters":[{"type":"field","field":"price","match":{"type":"range","gte":10}}],"facets":[{"field":"brand"}]}`,
	} {
		x.mustSearch(t, body)
	}
	if x.searcher.rewriter.Entries() == 0 || x.searcher.counter.Entries() < 3 || // for a snapshot, and for a segment
		read(t, meters, "service_facet_state_bytes") == 0 || read(t, meters, "service_query_cache_bytes") == 0 {
		t.Fatal("nothing was kept")
	}
	x.view.Release()
	if n := x.searcher.rewriter.Entries() + x.searcher.counter.Entries(); n != 0 {
		t.Errorf("FA2: %d entries are left", n)
	}
	for _, name := range []string{"service_facet_state_bytes", "service_query_cache_bytes", "service_facet_cache_evictions_total",
		"service_query_cache_evictions_total", "service_term_cache_evictions_total", "service_document_cache_evictions_total"} {
		if got := read(t, meters, name); got != 0 {
			t.Errorf("%s is %v", name, got)
		}
	}
}

func TestSegmentsKeepTheirCountsAcrossSnapshots(t *testing.T) {
	x, meters := metered(t)
	odd := func(i int) bool { return i%2 == 1 }
	x.add(t, manyDocuments(100), odd)
	body := `{"limit":0,"facets":[{"field":"brand"}],"filters":[{"type":"field","field":"price","match":{"type":"range","gte":10}}]}`
	x.mustSearch(t, body)
	if misses := read(t, meters, "service_facet_segment_misses_segments_total"); misses != 1 {
		t.Fatalf("%v misses", misses)
	}
	x.add(t, manyDocuments(50), odd)
	answer := x.mustSearch(t, body)
	if hits, misses := read(t, meters, "service_facet_segment_hits_segments_total"), read(t, meters, "service_facet_segment_misses_segments_total"); hits != 1 || misses != 2 {
		t.Errorf("%v hits, %v misses", hits, misses)
	}
	fresh := newIndex(t, cacheDefinition)
	fresh.segments, fresh.view = x.segments, x.view
	if want, got := fresh.mustSearch(t, body), answer; string(want.AppendJSON(nil)) != string(got.AppendJSON(nil)) {
		t.Errorf("FA1: counts differ:\n%s\n%s", want.AppendJSON(nil), got.AppendJSON(nil))
	}
}
