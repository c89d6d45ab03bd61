package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"
)

const booksMapping = `{"mappings":{"properties":{
	"title":{"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":256}}},
	"text":{"type":"text","analyzer":"german"},
	"genre":{"type":"keyword"},
	"year":{"type":"integer"},
	"price":{"type":"scaled_float","scaling_factor":100},
	"sold":{"type":"boolean"},
	"@timestamp":{"type":"date"},
	"place":{"type":"geo_point"},
	"ages":{"type":"integer_range"},
	"maker":{"properties":{"town":{"type":"keyword"}}},
	"editions":{"type":"nested","properties":{"format":{"type":"keyword"},"pages":{"type":"short"}}}}}}`

const booksLines = `{"title":"The Left Hand of Darkness","genre":["novel","sf"],"year":1969,"price":9.5,"sold":true,"@timestamp":"2024-01-02","place":[13.4,52.5],"ages":{"gte":12},"maker":{"town":"Oslo"},"editions":[{"format":"paper","pages":300},{"format":"cloth","pages":304}]}
{"title":"The Dispossessed","text":"Das ist ein Roman über zwei Welten und einen Physiker, der sie verbindet.","genre":"novel","year":"1974","price":"7.25","sold":"false","@timestamp":1704164645000,"place":{"lat":1.5,"lon":2.5},"shelf":"A 7"}
{"title":"Kindred","genre":[],"year":1979,"place":"48.1,11.5","editions":{"format":"paper"}}
`

// checkImported checks that the three books are in an index of the node.
func checkImported(t *testing.T, node, out string) {
	t.Helper()
	for _, want := range []string{"holds 3 documents", "ages: the type integer_range has no counterpart", "@timestamp: is named timestamp", "title.keyword: filter, count and sort by title itself",
		"3 documents added to books."} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	_, dump, _ := run(nil, "dump", "books", "--url", node)
	for _, want := range []string{
		`{"_id":"0","genre":["novel","sf"],"year":1969,"price":9.5,"sold":true,"timestamp":"2024-01-02T00:00:00Z","place":{"lat":52.5,"lon":13.4},"maker":{"town":"Oslo"}`,
		`"place":{"lat":48.1,"lon":11.5}`, `"timestamp":"2024-01-02T03:04:05Z"`, `"year":1974,"price":7.25,"sold":false`, `"shelf":"A 7"`, `"editions":[{"format":"paper"}]`} {
		if !strings.Contains(dump, want) && !containsMembers(dump, want) {
			t.Errorf("the documents lack %s:\n%s", want, dump)
		}
	}
	if _, found, _ := run(nil, "search", "books", "disposessed", "--url", node); !strings.Contains(found, "The Dispossessed") {
		t.Errorf("%s", found)
	}
}

// containsMembers reports whether one line contains every member of an object,
// in any order.
func containsMembers(dump, members string) bool {
	for line := range strings.Lines(dump) {
		all := true
		for part := range strings.SplitSeq(strings.Trim(members, "{"), `,"`) {
			all = all && strings.Contains(line, strings.TrimPrefix(part, `"`))
		}
		if all {
			return true
		}
	}
	return false
}

// clusterKind describes what a cluster supports besides scrolls.
type clusterKind struct {
	name   string
	point  string // path below the index that opens a point in time; empty if unsupported
	closes string // body that closes it
	isOld  bool   // cannot sort by _shard_doc
	way    string
}

var clusterKinds = []clusterKind{
	{name: "Elasticsearch 9", point: "/_pit", closes: `{"id":"p2"}`, way: "point in time"},
	{name: "OpenSearch 3.3", point: "/_search/point_in_time", closes: `{"pit_id":["p2"]}`, way: "point in time"},
	{name: "OpenSearch 2", point: "/_search/point_in_time", closes: `{"pit_id":["p1"]}`, isOld: true, way: "scroll"},
	{name: "Elasticsearch 7.0", way: "scroll"},
}

// serveCluster behaves like a cluster with three documents. The test fails if a
// point in time or scroll is not closed.
func serveCluster(t *testing.T, kind clusterKind) string {
	open := 0
	t.Cleanup(func() {
		if open != 0 {
			t.Errorf("%d points in time and scrolls are left open", open)
		}
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var hits []string
		for i, line := range strings.Split(strings.TrimSpace(booksLines), "\n") {
			hits = append(hits, fmt.Sprintf(`{"_index":"books","_id":"%d","_source":%s}`, i, line))
		}
		body, _ := io.ReadAll(r.Body)
		switch r.Method + " " + r.URL.RequestURI() {
		case "GET /books/_mapping":
			fmt.Fprintf(w, `{"books":%s}`, booksMapping)
		case "POST /books/_search?scroll=10m":
			open++
			fmt.Fprintf(w, `{"_scroll_id":"s1","hits":{"total":{"value":3,"relation":"eq"},"hits":[%s]}}`, strings.Join(hits[:2], ","))
		case "POST /_search/scroll":
			if bytes.Contains(body, []byte("s1")) {
				fmt.Fprintf(w, `{"_scroll_id":"s2","hits":{"hits":[%s]}}`, hits[2])
				return
			}
			fmt.Fprint(w, `{"_scroll_id":"s2","hits":{"hits":[]}}`)
		case "DELETE /_search/scroll":
			open--
			fmt.Fprint(w, `{"succeeded":true}`)
		case "POST /books" + kind.point + "?keep_alive=10m":
			open++
			fmt.Fprintf(w, `{%q:"p1"}`, map[bool]string{true: "id", false: "pit_id"}[kind.point == "/_pit"])
		case "DELETE " + kind.point:
			open--
			if string(body) != kind.closes {
				t.Errorf("closed by %s instead of %s", body, kind.closes)
			}
			fmt.Fprint(w, `{}`)
		case "POST /_search":
			switch {
			case kind.isOld:
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":{"reason":"No mapping found for [_shard_doc] in order to sort on"},"status":400}`)
			case bytes.Contains(body, []byte(`"search_after":[3]`)) && bytes.Contains(body, []byte(`"p2"`)):
				fmt.Fprint(w, `{"pit_id":"p2","hits":{"hits":[]}}`)
			case bytes.Contains(body, []byte(`"search_after":[2]`)):
				fmt.Fprintf(w, `{"pit_id":"p2","hits":{"hits":[%s]}}`, strings.Replace(hits[2], `{`, `{"sort":[3],`, 1))
			default:
				fmt.Fprintf(w, `{"pit_id":"p1","hits":{"total":{"value":3,"relation":"eq"},"hits":[%s,%s]}}`, hits[0], strings.Replace(hits[1], `{`, `{"sort":[2],`, 1))
			}
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"reason":"no such index [none]"},"status":404}`)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAnIndexOfElasticsearchIsImported(t *testing.T) {
	for _, kind := range clusterKinds {
		t.Run(kind.name, func(t *testing.T) {
			node, cluster := serveNode(t), serveCluster(t, kind)
			code, _, out := run(nil, "import", "elasticsearch", cluster+"/books", "--url", node)
			if code != exitDone || !strings.Contains(out, "read through a "+kind.way) {
				t.Fatalf("%d %s", code, out)
			}
			checkImported(t, node, out)
			if code, _, out := run(nil, "import", "elasticsearch", cluster+"/books", "--url", node); code != exitRefused || !strings.Contains(out, "exists") {
				t.Errorf("again: %d %s", code, out)
			}
		})
	}
}

func TestAnImportIsDraftedOrRefused(t *testing.T) {
	node, cluster := serveNode(t), serveCluster(t, clusterKinds[0])
	if code, out, _ := run(nil, "import", "elasticsearch", cluster+"/books", "--draft", "-"); code != exitDone || !strings.Contains(out, `"mode": "nested"`) {
		t.Errorf("%d %s", code, out)
	}
	if code, _, out := run(nil, "import", "elasticsearch", cluster+"/none", "--url", node); code != exitFailed || !strings.Contains(out, "no such index") {
		t.Errorf("%d %s", code, out)
	}
	if code, _, _ := run(nil, "import", "elasticsearch", cluster, "--url", node); code != exitRefused {
		t.Errorf("without an index: %d", code)
	}
}

// A cluster that cannot read a shard returns only the documents of the other shards.
func TestAnImportOfAPartIsRefused(t *testing.T) {
	for name, part := range map[string]string{
		"1 of 2 shards of books do not answer: disk gone": `"_shards":{"total":2,"failed":1,"failures":[{"shard":1,"reason":{"reason":"disk gone"}}]}`,
		"timed out before every shard answered":           `"timed_out":true`,
	} {
		node := serveNode(t)
		cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/_mapping"):
				fmt.Fprintf(w, `{"books":%s}`, booksMapping)
			case strings.HasSuffix(r.URL.Path, "/_pit"):
				fmt.Fprint(w, `{"id":"p"}`)
			default:
				fmt.Fprintf(w, `{"_scroll_id":"s",%s,"hits":{"total":{"value":1},"hits":[{"_id":"1","_source":{},"sort":[1]}]}}`, part)
			}
		}))
		t.Cleanup(cluster.Close)
		if code, _, out := run(nil, "import", "elasticsearch", cluster.URL+"/books", "--url", node); code != exitFailed || !strings.Contains(out, name) {
			t.Errorf("%d %s", code, out)
		}
	}
}

// TestOpenSearch imports from the server that OPENSEARCH_URL names; make
// test-opensearch starts one.
func TestOpenSearch(t *testing.T) {
	cluster := os.Getenv("OPENSEARCH_URL")
	if cluster == "" {
		t.Skip("OPENSEARCH_URL names no server")
	}
	send := func(method, path, contentType, body string) {
		request, err := http.NewRequest(method, cluster+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", contentType)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if answer, _ := io.ReadAll(response.Body); response.StatusCode >= 300 && method != "DELETE" || bytes.Contains(answer, []byte(`"errors":true`)) {
			t.Fatalf("%s %s: %s", method, path, answer)
		}
	}
	send("DELETE", "/books", "application/json", "")
	send("PUT", "/books", "application/json", booksMapping)
	var bulk strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(booksLines), "\n") {
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":\"%d\"}}\n%s\n", i, line)
	}
	send("POST", "/books/_bulk?refresh=true", "application/x-ndjson", bulk.String())

	// Many documents arrive in many pages.
	send("DELETE", "/many", "application/json", "")
	bulk.Reset()
	const documents = 12_345
	for i := range documents {
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":\"d%d\"}}\n{\"n\":%d,\"text\":\"a note about %d\"}\n", i, i, i)
	}
	send("POST", "/many/_bulk?refresh=true", "application/x-ndjson", bulk.String())
	for way, address := range map[string]string{"point in time": cluster, "scroll": withoutPoints(t, cluster)} {
		t.Run(way, func(t *testing.T) {
			node := serveNode(t)
			code, _, out := run(nil, "import", "elasticsearch", address+"/books", "--url", node)
			if code != exitDone || !strings.Contains(out, "read through a "+way) {
				t.Fatalf("%d %s", code, out)
			}
			checkImported(t, node, out)
			if code, _, out := run(nil, "import", "elasticsearch", address+"/many", "--url", node); code != exitDone || !strings.Contains(out, "12,345 documents added to many.") {
				t.Errorf("%d %s", code, out)
			}
		})
	}
}

// withoutPoints is a proxy in front of a cluster that refuses points in time.
func withoutPoints(t *testing.T, cluster string) string {
	target, err := url.Parse(cluster)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/_pit") || strings.HasSuffix(r.URL.Path, "/point_in_time") {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
