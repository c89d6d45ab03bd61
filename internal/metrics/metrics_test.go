package metrics

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPrometheusNames(t *testing.T) {
	want := map[string]string{
		"service.search":               "service_search_seconds",
		"service.search.relaxation":    "service_search_relaxation_words_total",
		"service.search.pieces":        "service_search_pieces_total",
		"service.write.documents":      "service_write_documents_total",
		"service.write.forwarded":      "service_write_forwarded_requests_total",
		"service.indexes.open":         "service_indexes_open_generations",
		"service.indexes.total":        "service_indexes_total_indexes",
		"service.index.disk.bytes":     "service_index_disk_bytes",
		"service.registry.refresh.age": "service_registry_refresh_age_seconds",
		"service.api.error":            "service_api_error_requests_total",
	}
	for _, m := range Meters() {
		if name, ok := want[m.Name]; ok && m.PrometheusName() != name {
			t.Errorf("%s is called %s, want %s", m.Name, m.PrometheusName(), name)
		}
		delete(want, m.Name)
	}
	if len(want) > 0 {
		t.Errorf("the table lacks %v", want)
	}
}

func scrape(t *testing.T, s *Set) string {
	t.Helper()
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/q/metrics", nil))
	if answer.Code != 200 {
		t.Fatalf("scrape: %d %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func TestMetersWithoutTagsAreThereFromTheStart(t *testing.T) {
	text := scrape(t, New(Options{WithoutRuntime: true}))
	for _, line := range []string{"service_query_cache_bytes 0", "service_facet_state_bytes 0", "service_facet_warm_queued_indexes 0", "service_query_cache_hits_total 0"} {
		if !strings.Contains(text, line) {
			t.Errorf("there is no %s", line)
		}
	}
	if strings.Contains(text, "service_disk_max_bytes ") {
		t.Error("a disk bound is reported although there is none")
	}
}

func TestTimersPublishBucketsByMode(t *testing.T) {
	for _, test := range []struct {
		mode    HistogramMode
		present []string
		absent  []string
	}{
		{ModeSLO, []string{`service_search_seconds_bucket{outcome="success",le="0.025"} 1`, `service_search_seconds_max{outcome="success"} 0.02`}, []string{"quantile"}},
		{ModeDetailed, []string{`service_search_seconds_bucket{outcome="success",le="30"} 1`}, []string{"quantile"}},
		{ModeNone, []string{`service_search_seconds_count{outcome="success"} 1`, `service_search_seconds_sum{outcome="success"} 0.02`}, []string{"service_search_seconds_bucket", "quantile"}},
	} {
		s := New(Options{Mode: test.mode, WithoutRuntime: true})
		s.Search("books", Success, 20*time.Millisecond)
		text := scrape(t, s)
		for _, line := range test.present {
			if !strings.Contains(text, line) {
				t.Errorf("mode %s lacks %s", test.mode, line)
			}
		}
		for _, part := range test.absent {
			if strings.Contains(text, part) {
				t.Errorf("mode %s holds %s", test.mode, part)
			}
		}
	}
}

func TestDetailedBucketsIncrease(t *testing.T) {
	found := percentileBounds(time.Millisecond, 30*time.Second)
	if !slices.IsSorted(found) || len(found) < 60 || found[0] != 0.001 || found[len(found)-1] != 30 {
		t.Errorf("%d buckets: %v", len(found), found)
	}
	for i := 1; i < len(found); i++ {
		if found[i] == found[i-1] {
			t.Errorf("bucket %v twice", found[i])
		}
	}
}

func TestIndexTagOnlyWhenAsked(t *testing.T) {
	with := New(Options{IndexTimers: true, WithoutRuntime: true})
	with.Search("books", Success, time.Millisecond)
	if !strings.Contains(scrape(t, with), `index="books"`) {
		t.Error("the index tag is missing")
	}
	without := New(Options{WithoutRuntime: true})
	without.Search("books", Success, time.Millisecond)
	if strings.Contains(scrape(t, without), `index="books"`) {
		t.Error("the index tag is there without being asked for")
	}
}

func TestMaximumFallsBackAfterTwoMinutes(t *testing.T) {
	now := time.Unix(1000, 0)
	m := &maximum{series: make(map[string]*window), now: func() time.Time { return now }}
	m.observe(3, nil)
	now = now.Add(windowLength)
	m.observe(1, nil)
	w := m.series[""]
	if got := max(w.current, w.previous); got != 3 {
		t.Errorf("after one minute %v, want 3", got)
	}
	now = now.Add(windowLength)
	w.turn(now)
	if got := max(w.current, w.previous); got != 1 {
		t.Errorf("after two minutes %v, want 1", got)
	}
	now = now.Add(2 * windowLength)
	w.turn(now)
	if got := max(w.current, w.previous); got != 0 {
		t.Errorf("after silence %v, want 0", got)
	}
}

func TestURITagsAreBounded(t *testing.T) {
	s := New(Options{MaxURITags: 2, WithoutRuntime: true})
	for _, uri := range []string{"/a", "/b", "/c", "/d"} {
		s.HTTPRequest("GET", uri, 200, time.Millisecond)
	}
	text := scrape(t, s)
	if strings.Contains(text, `uri="/c"`) || !strings.Contains(text, `uri="UNKNOWN"`) {
		t.Error("paths beyond the bound do not collapse")
	}
}

func TestIndexGaugesFollowTheSamples(t *testing.T) {
	s := New(Options{IndexGauges: true, WithoutRuntime: true})
	s.Indexes([]IndexSample{{Index: "books", Generation: "1", State: "MODIFIED", Writer: true, Documents: 7}})
	text := scrape(t, s)
	for _, line := range []string{`service_index_unhealthy{generation="1",index="books",state="MODIFIED"} 1`,
		`service_index_documents{generation="1",index="books"} 7`, `service_index_state_generations{state="MODIFIED"} 1`} {
		if !strings.Contains(text, line) {
			t.Errorf("missing %s", line)
		}
	}
	s.Indexes(nil)
	if strings.Contains(scrape(t, s), `index="books"`) {
		t.Error("a closed generation is still shown")
	}
}

func TestNilSetMeasuresNothing(t *testing.T) {
	var s *Set
	s.Search("a", Success, time.Second)
	s.WriteDocuments(OperationAdd, 3)
	s.QueryCache().Hit(1)
	s.Indexes(nil)
	s.Reindexes(nil)
	s.HTTPRequest("GET", "/", 200, time.Second)
	s.Panic()
}
