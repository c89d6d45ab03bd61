package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// documentServer is a node with one index, reached over HTTP.
type documentServer struct {
	testing.TB
	url   string // of the documents
	admin string // of the index
	api   *API
}

const catalogue = `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","filter":{}},"n":{"type":"int32"},
	"title":{"type":"string","locales":{"locales":["fr"]}},"pop":{"type":"double","signal":{}},
	"variants":{"type":"object","multiple":true,"mode":"nested","key":"sku","fields":{"sku":{"type":"string","required":true},"price":{"type":"double"}}}}}`

func serveDocuments(t testing.TB, definition string, options Options) *documentServer {
	t.Helper()
	s, _ := serveStorage(t, node.Storage{Bucket: memory.New(time.Now), FS: vfs.Memory()}, options)
	if status, _, body := ask(t, "PUT", s.admin, definition); status != 201 {
		t.Fatalf("create: %d %s", status, body)
	}
	return s
}

// serveStorage serves a storage until stop is called or the test ends.
func serveStorage(t testing.TB, storage node.Storage, options Options) (s *documentServer, stop func()) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	analyser := analysis.NewBuilder(analysis.Options{})
	n, err := node.Open(t.Context(), storage, node.Options{
		FreshnessWait: 10 * time.Second, Capabilities: analyser.Capabilities(),
		Engine: engine.Options{MaxInterval: -1, MaxChanges: -1, MinFree: -1, Workers: 1, Analysis: analyser, Capabilities: analyser.Capabilities()},
	}, nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	authority, err := auth.Open(t.Context(), memory.New(time.Now), auth.Options{RootKey: rootKey}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	a := New(Components{Node: n, Searcher: search.New(collect.NewRunner(collect.Options{Threads: -1}, nil), nil, search.Options{}),
		Authority: authority, Health: NewHealth(time.Second), Metrics: metrics.New(metrics.Options{WithoutRuntime: true}), Log: quiet}, options)
	server := httptest.NewServer(a)
	stop = sync.OnceFunc(func() {
		server.Close()
		_ = n.Close(context.Background())
	})
	t.Cleanup(stop)
	return &documentServer{TB: t, url: server.URL + "/v1alpha1/indexes/shop/documents", admin: server.URL + "/v1alpha1/admin/indexes/shop", api: a}, stop
}

// message matches the prose in bodies, which is free to change.
var message = regexp.MustCompile(`"(message|help)":"([^"\\]|\\.)*",`)

// expect sends a request and compares status and body, ignoring messages;
// freshness tokens in the body are replaced by T.
func (s *documentServer) expect(method, path, body string, wantStatus int, want string, header ...string) string {
	s.Helper()
	status, answered, text := ask(s.TB, method, s.url+path, body, header...)
	text = message.ReplaceAllString(withoutTokens(text), "")
	if status != wantStatus || (want != "" && text != want) {
		s.Errorf("%s %s %s\n got %d %s\nwant %d %s", method, path, body, status, text, wantStatus, want)
	}
	return answered.Get(freshness.Header)
}

// refuse sends a request and compares the codes and paths of its problems.
func (s *documentServer) refuse(method, path, body string, wantStatus int, want string, header ...string) {
	s.Helper()
	status, _, text := ask(s.TB, method, s.url+path, body, header...)
	got := ""
	for _, d := range problemsOf(s.TB, text) {
		if got != "" {
			got += " "
		}
		got += d.Code + "@" + d.Path
		for _, name := range []string{"position", "processed", "line", "limit"} {
			if value, ok := d.Arguments[name]; ok {
				got += fmt.Sprintf(" %s=%s", name, value)
			}
		}
	}
	if status != wantStatus || got != want {
		s.Errorf("%s %s %s\n got %d %s\nwant %d %s", method, path, body, status, got, wantStatus, want)
	}
}

func (s *documentServer) commit() {
	s.Helper()
	if status, _, body := ask(s.TB, "POST", s.admin+"/actions/commit", ""); status != 200 {
		s.Fatalf("commit: %d %s", status, body)
	}
}

// list returns the committed documents, one per line.
func (s *documentServer) list() string {
	s.Helper()
	s.commit()
	_, _, text := ask(s.TB, "GET", s.url, "", "Accept", "application/x-ndjson")
	return strings.TrimSpace(text)
}

func problemsOf(t testing.TB, text string) []ErrorDetail {
	t.Helper()
	var body struct{ Errors []ErrorDetail }
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatalf("%q is not an error body: %v", text, err)
	}
	return body.Errors
}

func withoutTokens(text string) string {
	const mark = `"freshness":"`
	if i := strings.Index(text, mark); i >= 0 {
		if end := strings.IndexByte(text[i+len(mark):], '"'); end > 0 {
			return text[:i+len(mark)] + "T" + text[i+len(mark)+end:]
		}
	}
	return text
}

const ndjsonType = "application/x-ndjson"

func TestBatchesOfDocuments(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	s.expect("POST", "", `{"documents":[{"id":"1","name":"jam"},{"id":"2"}]}`, 200, `{"indexed":2,"failed":[],"freshness":"T"}`)
	s.expect("POST", "", `{"documents":[]}`, 200, `{"indexed":0,"failed":[],"freshness":"T"}`)
	s.refuse("POST", "", `{"documents":[{"id":"3"},{"id":"4","bogus":1,"n":"x"},{"id":"5"}]}`, 400,
		"document:field_unknown@documents[1].bogus position=1 processed=1 document:number:value_invalid@documents[1].n position=1 processed=1")
	s.expect("POST", "?onError=skip", `{"documents":[{"bogus":1},7,{"id":"6"}]}`, 200,
		`{"indexed":1,"failed":[{"position":0,"errors":[{"code":"document:field_unknown","path":"documents[0].bogus","arguments":{"name":"bogus","position":"0","processed":"0"}},`+
			`{"code":"document:field_required","path":"documents[0].id","arguments":{"name":"id","position":"0","processed":"0"}}]},`+
			`{"position":1,"errors":[{"code":"document:not_an_object","path":"documents[1]","arguments":{"position":"1","processed":"0"}}]}],"freshness":"T"}`)
	s.refuse("POST", "?onError=ignore", `{"documents":[]}`, 400, "document:on_error_invalid@onError")
	s.refuse("POST", "", ``, 400, "request:body_required@")
	s.refuse("POST", "", `{}`, 400, "request:body_required@")
	s.refuse("POST", "", `{"documents":{}}`, 400, "request:value_invalid@documents")
	s.refuse("POST", "", `[{"id":"9","bogus":1}]`, 400, "document:field_unknown@[0].bogus position=0 processed=0")
	s.refuse("POST", "", `{"documents":[],"more":1}`, 400, "request:property_unknown@more")
	s.refuse("POST", "", `{"documents":[{"id":"9","id":"9"}]}`, 400, "request:body_malformed@ line=1")
	if got := s.list(); got != "{\"id\":\"1\",\"name\":\"jam\"}\n{\"id\":\"2\"}\n{\"id\":\"3\"}\n{\"id\":\"6\"}" {
		t.Errorf("documents %s", got)
	}
}

// S28: the list of refused entries in a response is bounded. A refused entry beyond the
// bound ends the request, as it would without skip.
func TestRefusedEntriesAreBounded(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	lines := []string{"Content-Type", ndjsonType}
	entry := func(line int) string {
		return fmt.Sprintf(`{"position":%d,"line":%d,"errors":[{"code":"document:not_an_object","path":"[%d]","arguments":{"line":"%d","position":"%d","processed":"1"}}]}`,
			line-1, line, line-1, line, line-1)
	}
	const body = "{\"id\":\"1\"}\n2\n3\n4\n{\"id\":\"5\"}\n"
	s.expect("POST", "?onError=skip", body, 200, `{"indexed":2,"failed":[`+entry(2)+","+entry(3)+","+entry(4)+`],"freshness":"T"}`, lines...)
	s.api.maxFailed = 1
	s.refuse("POST", "?onError=skip", body, 400, "document:not_an_object@[2] position=2 processed=1 line=3", lines...)
	s.refuse("POST", "/actions/update?onError=skip", `[{"id":"1","n":"x"},{"id":"1","n":2},{"id":"1","n":"y"}]`, 400, "document:number:value_invalid@[2].n position=2 processed=1")
	s.expect("POST", "/actions/update?onError=skip", `[{"id":"1","n":1},{"id":"9","n":1},{"id":"5","n":2}]`, 200,
		`{"updated":2,"missing":[],"failed":[{"position":1,"errors":[{"code":"document:not_found","path":"[1]","arguments":{"key":"9","position":"1","processed":"1"}}]}],"freshness":"T"}`)
	if got := s.list(); got != "{\"id\":\"1\",\"n\":1}\n{\"id\":\"5\",\"n\":2}" {
		t.Errorf("documents %s", got)
	}
}

func TestStreamsOfDocuments(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	lines := []string{"Content-Type", ndjsonType}
	s.expect("POST", "", "{\"id\":\"1\"}\n\n{\"id\":\n\"2\"}\n", 200, `{"indexed":2,"failed":[],"freshness":"T"}`, lines...)
	s.expect("POST", "", "", 200, `{"indexed":0,"failed":[],"freshness":"T"}`, lines...)
	s.refuse("POST", "", "{\"id\":\"3\"}\n{\"id\":\n\"4\",\"x\":1}\n", 400, "document:field_unknown@[1].x position=1 processed=1 line=2", lines...)
	s.refuse("POST", "?onError=skip", "{\"id\":\"5\"}\n{\"id\":\n\"6\" 7}\n{\"id\":\"8\"}", 400, "document:malformed@[1] position=1 processed=1 line=3", lines...)
	s.refuse("POST", "", "{\"id\":\"9\"}\nnot json\n", 400, "document:malformed@[1] position=1 processed=1 line=2", lines...)
	s.refuse("POST", "", "\"jam\"\n", 400, "document:not_an_object@[0] position=0 processed=0 line=1", lines...)
	s.refuse("POST", "", "null\n", 400, "document:not_an_object@[0] position=0 processed=0 line=1", lines...)
	s.refuse("POST", "", strings.Repeat("[", jsonread.MaxDepth+1)+strings.Repeat("]", jsonread.MaxDepth+1), 400, "document:malformed@[0] position=0 processed=0 line=1", lines...)
	if got := s.list(); got != "{\"id\":\"1\"}\n{\"id\":\"2\"}\n{\"id\":\"3\"}\n{\"id\":\"5\"}\n{\"id\":\"9\"}" {
		t.Errorf("documents %s", got)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{MaxBodySize: 1000, MaxStreamBodySize: 1500})
	s.refuse("POST", "", `{"documents":[{"id":"1","name":"`+strings.Repeat("x", 1000)+`"}]}`, 413, "request:body_too_large@ limit=1000")
	s.refuse("POST", "", strings.Repeat("{\"id\":\"1\"}\n", 200), 413, "request:body_too_large@ processed=0 limit=1500", "Content-Type", ndjsonType)
	s.refuse("POST", "", "{\"id\":\"1\"}\n{\"id\":\"2\",\"name\":\""+strings.Repeat("x", 1000)+"\"}", 413, "request:body_too_large@ processed=1 limit=1000", "Content-Type", ndjsonType)
	if got := s.list(); got != `{"id":"1"}` {
		t.Errorf("documents %s", got)
	}
}

// A declared length above the limit is rejected before anything is done, even
// if the body would not be read.
func TestAStatedLengthIsBoundedEverywhere(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{MaxBodySize: 1000, MaxStreamBodySize: 2000})
	s.expect("PUT", "/1", `{}`, 204, "")
	long := strings.Repeat(" ", 1001)
	s.refuse("DELETE", "/1", long, 413, "request:body_too_large@ limit=1000")
	s.refuse("GET", "/1", long, 413, "request:body_too_large@ limit=1000")
	s.refuse("DELETE", "/1", long, 401, "auth:unauthenticated@", "Authorization", "Bearer nobody")
	s.refuse("POST", "?onError=perhaps", long+long, 413, "request:body_too_large@ processed=0 limit=2000", "Content-Type", ndjsonType)
	for _, action := range []string{"promote", "commit"} {
		if status, header, body := ask(t, "POST", s.admin+"/actions/"+action, long); status != 413 {
			t.Errorf("%s: %d %v %s", action, status, header, body)
		}
	}
	if got := s.list(); got != `{"id":"1"}` {
		t.Errorf("documents %s", got)
	}
	s.expect("DELETE", "/1", long[:1000], 204, "")
}

// A line that is not JSON is reported as such, however much follows it.
func TestAnUnclosedLineOfALongStream(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{MaxBodySize: 2 << 20})
	rest := strings.Repeat("{\"id\":\"2\",\"name\":\""+strings.Repeat("x", 1000)+"\"}\n", 3<<10)
	for broken, line := range map[string]int{`{"id":"bad",,`: 2, `{`: 3, `{"id":"bad","name":"x"`: 3, `{"id":"bad`: 2, `["a"`: 3, `[`: 4, `{"id":`: 4} {
		s.refuse("POST", "", "{\"id\":\"1\"}\n"+broken+"\n"+rest, 400, fmt.Sprintf("document:malformed@[1] position=1 processed=1 line=%d", line), "Content-Type", ndjsonType)
	}
}

// A client that sends its whole body before it reads still gets the refusal,
// and keeps its connection unless the body is too large.
func TestARefusedBodyIsTakenOffTheConnection(t *testing.T) {
	bounded := serveDocuments(t, catalogue, Options{MaxBodySize: 1000, MaxStreamBodySize: 1000})
	s := serveDocuments(t, catalogue, Options{})
	good := strings.Repeat("{\"id\":\"1\"}\n", 1_000_000)
	for _, test := range []struct {
		to                      *documentServer
		method, path, key, kind string
		body                    string
		status                  int
	}{
		{bounded, "POST", "", rootKey, "application/json", good, 413},
		{bounded, "POST", "", rootKey, ndjsonType, good, 413},
		{s, "POST", "", rootKey, ndjsonType, "{\"id\":\"1\"}\nnot json\n" + good, 400},
		{s, "POST", "", rootKey, ndjsonType, "{\"id\":\"1\"}\n{\"bogus\":\"1\"}\n" + good, 400},
		{s, "POST", "?onError=perhaps", rootKey, ndjsonType, good, 400},
		{s, "POST", "", "nobody", ndjsonType, good, 401},
		{s, "POST", "/x/y", rootKey, ndjsonType, good, 404},
		{s, "PATCH", "", rootKey, ndjsonType, good, 405},
		{s, "POST", "", rootKey, "text/xml", good, 415},
		{s, "POST", "", rootKey, "application/json", "{} " + good, 400},
	} {
		connection, path := dial(t, test.to.url)
		answers := bufio.NewReader(connection)
		for range 2 {
			fmt.Fprintf(connection, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", test.method, path+test.path, test.key, test.kind, len(test.body))
			if _, err := io.WriteString(connection, test.body); err != nil {
				t.Fatalf("%+v: %v", test.status, err)
			}
			answer, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatalf("%d: %v", test.status, err)
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				t.Fatal(err)
			}
			isTooLarge := test.status == http.StatusRequestEntityTooLarge
			if answer.StatusCode != test.status || answer.Close != isTooLarge {
				t.Errorf("answered %d instead of %d, close %t", answer.StatusCode, test.status, answer.Close)
			}
			if answer.Close {
				break
			}
		}
	}
}

// dial opens a connection to the host of a URL and returns the path of the URL.
func dial(t *testing.T, at string) (net.Conn, string) {
	t.Helper()
	address, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("tcp", address.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection, address.Path
}

// A client that waits for 100 Continue is not asked for a body that is refused.
func TestARefusedBodyIsNotAskedFor(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	connection, path := dial(t, s.url)
	fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nExpect: 100-continue\r\nContent-Length: 100000\r\n\r\n", path, ndjsonType)
	if status, err := bufio.NewReader(connection).ReadString('\n'); err != nil || !strings.Contains(status, "401") {
		t.Errorf("%q, %v", status, err)
	}
}

func TestATruncatedStreamKeepsWhatWasRead(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	connection, path := dial(t, s.url)
	fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 500\r\n\r\n{\"id\":\"1\"}\n{\"id\":", path, rootKey, ndjsonType)
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	status, err := bufio.NewReader(connection).ReadString('\n')
	if err == nil && !strings.Contains(status, "400") {
		t.Errorf("status %s", status)
	}
	for range 1000 { // the server may see the end later than the client
		if s.list() == `{"id":"1"}` {
			return
		}
	}
	t.Errorf("documents %s", s.list())
}

func TestOneDocumentUnderAKey(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	token := s.expect("PUT", "/a%2Fb", `{"name":"jam","pop":0.5}`, 204, "")
	if token == "" {
		t.Error("no token")
	}
	s.expect("GET", "/a%2Fb", "", 200, `{"document":{"id":"a/b","name":"jam","pop":0.5},"freshness":"T"}`, freshness.Header, token)
	s.expect("PUT", "/a%2Fb", `{"id":"a/b","name":"jelly"}`, 204, "")
	s.refuse("PUT", "/1", `{"id":"2"}`, 400, "document:key_conflicting@id")
	s.refuse("PUT", "/1", `[]`, 400, "document:not_an_object@")
	s.refuse("PUT", "/1", `{"n":1.5}`, 400, "document:number:value_invalid@n")
	s.refuse("PUT", "/1", ``, 400, "request:body_required@")
	s.refuse("PUT", "/1", `{"n":1`, 400, "request:body_malformed@ line=1")
	s.expect("PATCH", "/a%2Fb", `{"title[fr]":"gelée","variants[]":{"sku":"s","price":1}}`, 204, "")
	s.expect("PATCH", "/a%2Fb", `{"id":"a/b","pop":null,"variants[s].price":2}`, 204, "")
	s.refuse("PATCH", "/a%2Fb", `{"id":"c"}`, 400, "document:key_conflicting@id")
	s.refuse("PATCH", "/a%2Fb", `{"id":null,"name":"q"}`, 400, "document:key_conflicting@id")
	s.refuse("PATCH", "/a%2Fb", `{"i\\d":"c"}`, 400, "document:key_conflicting@id")
	s.refuse("PATCH", "/none", `{"n":1}`, 404, "document:not_found@")
	s.refuse("PATCH", "/none", `{"pop":1}`, 404, "document:not_found@")
	s.refuse("PATCH", "/a%2Fb", `{"variants.price":1}`, 400, "document:patch:selector_required@variants.price")
	token = s.expect("PATCH", "/a%2Fb", `{"pop":0.25}`, 204, "")
	s.expect("GET", "/a%2Fb", "", 200, `{"document":{"id":"a/b","name":"jelly","title":{"fr":"gelée"},"variants":[{"sku":"s","price":2}],"pop":0.25},"freshness":"T"}`, freshness.Header, token)
	s.refuse("GET", "/none", "", 404, "document:not_found@")
	s.refuse("GET", "/x", "", 400, "search:freshness:invalid@"+freshness.Header, freshness.Header, "zzz")
	token = s.expect("DELETE", "/a%2Fb", "", 204, "")
	s.refuse("GET", "/a%2Fb", "", 404, "document:not_found@", freshness.Header, token)
	s.expect("DELETE", "/a%2Fb", "", 204, "")
}

func TestUpdatesInBatches(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	s.expect("POST", "", `{"documents":[{"id":"1","name":"a"},{"id":"2"}]}`, 200, "")
	const update = "/actions/update"
	s.expect("POST", update, `{"documents":[{"id":"1","name":"b"},{"id":"2","pop":3}]}`, 200, `{"updated":2,"missing":[],"failed":[],"freshness":"T"}`)
	s.expect("POST", update+"?missing=skip", `{"documents":[{"id":"9","name":"b"},{"id":"1","n":3}]}`, 200, `{"updated":1,"missing":["9"],"failed":[],"freshness":"T"}`)
	s.refuse("POST", update, "{\"id\":\"1\",\"n\":4}\n{\"id\":\"9\",\"n\":5}\n", 400, "document:not_found@[1] position=1 processed=1 line=2", "Content-Type", ndjsonType)
	s.refuse("POST", update, `{"documents":[{"n":4}]}`, 400, "document:key_required@documents[0].id position=0 processed=0")
	s.refuse("POST", update, `{"documents":[{"id":"1","title[es]":"x"}]}`, 400, "document:locale_unknown@documents[0].title[es] position=0 processed=0")
	s.refuse("POST", update+"?missing=maybe", `{"documents":[]}`, 400, "document:patch:missing_invalid@missing")
	s.expect("POST", update+"?onError=skip", `{"documents":[{"id":"9","n":1},{"id":"1","n":6}]}`, 200,
		`{"updated":1,"missing":[],"failed":[{"position":0,"errors":[{"code":"document:not_found","path":"documents[0]","arguments":{"key":"9","position":"0","processed":"0"}}]}],"freshness":"T"}`)
	if got := s.list(); got != "{\"id\":\"1\",\"name\":\"b\",\"n\":6}\n{\"id\":\"2\",\"pop\":3}" {
		t.Errorf("documents %s", got)
	}
}

// Refreshes are written in groups, and other changes between them in their
// turn: the last value of a key wins, and positions are those of the entries.
func TestRefreshesInStreams(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	s.expect("POST", "", "{\"id\":\"1\"}\n{\"id\":\"2\"}\n{\"id\":\"3\"}", 200, "", "Content-Type", ndjsonType)
	const update = "/actions/update"
	stream := func(query, body string, status int, want string) {
		t.Helper()
		if status == 200 {
			s.expect("POST", update+query, body, status, want, "Content-Type", ndjsonType)
		} else {
			s.refuse("POST", update+query, body, status, want, "Content-Type", ndjsonType)
		}
	}
	stream("", "{\"id\":\"1\",\"pop\":1}\n{\"id\":\"2\",\"pop\":1}\n{\"id\":\"1\",\"n\":5,\"pop\":2}\n{\"id\":\"1\",\"pop\":3}\n{\"id\":\"2\",\"pop\":4}", 200,
		`{"updated":5,"missing":[],"failed":[],"freshness":"T"}`)
	stream("", "{\"id\":\"1\",\"pop\":1}\n{\"id\":\"2\",\"pop\":5}\n{\"id\":\"9\",\"pop\":5}\n{\"id\":\"3\",\"pop\":5}", 400,
		"document:not_found@[2] position=2 processed=2 line=3")
	stream("?missing=skip", "{\"id\":\"8\",\"pop\":1}\n{\"id\":\"1\",\"pop\":6}\n{\"id\":\"9\",\"pop\":5}\n{\"id\":\"9\",\"pop\":5}\n{\"id\":\"2\",\"pop\":7}", 200,
		`{"updated":2,"missing":["8","9","9"],"failed":[],"freshness":"T"}`)
	stream("?onError=skip", "{\"id\":\"1\",\"pop\":8}\n{\"id\":\"9\",\"pop\":5}\n\n{\"id\":\"2\",\"pop\":9}", 200,
		`{"updated":2,"missing":[],"failed":[{"position":1,"line":2,"errors":[{"code":"document:not_found","path":"[1]","arguments":{"key":"9","line":"2","position":"1","processed":"1"}}]}],"freshness":"T"}`)
	stream("", "{\"id\":\"1\",\"pop\":1}\n{\"id\":\"2\",\"pop\":\"x\"}\n{\"id\":\"3\",\"pop\":5}", 400,
		"document:number:value_invalid@[1].pop position=1 processed=1 line=2")
	stream("", "{\"id\":\"1\",\"pop\":2}\n{\"id\":\"2\",\"pop\":1}\n{\"id\":\"3\",\"pop\":1,}", 400, "document:malformed@[2] position=2 processed=2 line=3")
	stream("", "{\"id\":\"2\",\"pop\":1}\n{\"id\":\"2\",\"pop\":1,\"pop\":2}", 400, "document:malformed@[1] position=1 processed=1 line=2")
	s.expect("POST", update, `[{"id":"1","pop":3},{"id":"2","pop":2},{"id":"2","pop":3}]`, 200, `{"updated":3,"missing":[],"failed":[],"freshness":"T"}`)
	s.refuse("POST", update, `[{"id":"1","pop":4},{"id":"2","pop":4},{"id":"7","pop":1},{"id":"3","pop":4}]`, 400, "document:not_found@[2] position=2 processed=2")
	if got := s.list(); got != "{\"id\":\"1\",\"n\":5,\"pop\":4}\n{\"id\":\"2\",\"pop\":4}\n{\"id\":\"3\"}" {
		t.Errorf("documents %s", got)
	}
	// More than one group, and more than the buffer of a stream holds.
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "{\"id\":\"%d\",\"pop\":%d}\n", i%3+1, i)
	}
	stream("", many.String(), 200, `{"updated":5000,"missing":[],"failed":[],"freshness":"T"}`)
	if got := s.list(); got != "{\"id\":\"1\",\"n\":5,\"pop\":4998}\n{\"id\":\"2\",\"pop\":4999}\n{\"id\":\"3\",\"pop\":4997}" {
		t.Errorf("documents %s", got)
	}
}

func TestDeletes(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	s.expect("POST", "", `{"documents":[{"id":"1","name":"a"},{"id":"2","name":"b"},{"id":"3","name":"a"},{"id":"4"},{"id":"5"}]}`, 200, "")
	const remove = "/actions/delete"
	s.expect("POST", remove, `{"keys":["5","nothing"]}`, 200, `{"deleted":2,"freshness":"T"}`)
	s.refuse("POST", remove, `{"keys":["4",7]}`, 400, "search:value_invalid@keys[1]")
	s.refuse("POST", remove, `{"keys":[null]}`, 400, "document:key_required@keys[0]")
	s.refuse("POST", remove, `{}`, 400, "document:delete:target_required@")
	s.refuse("POST", remove, `{"all":true,"keys":[]}`, 400, "document:delete:target_conflicting@")
	s.refuse("POST", remove, `{"query":[]}`, 400, "document:delete:query_empty@query")
	s.refuse("POST", remove, `{"all":true,"locale":"en"}`, 400, "document:delete:locale_without_query@locale")
	s.commit()
	s.expect("POST", "", `{"documents":[{"id":"6","name":"a"}]}`, 200, "")
	s.expect("POST", remove, `{"query":[{"field":"name","match":{"value":"a"}}]}`, 200, `{"deleted":2,"freshness":"T"}`)
	if got := s.list(); got != "{\"id\":\"2\",\"name\":\"b\"}\n{\"id\":\"4\"}" {
		t.Errorf("documents %s", got)
	}
	s.expect("POST", remove, `{"all":true}`, 200, `{"deleted":2,"freshness":"T"}`)
	if got := s.list(); got != "" {
		t.Errorf("documents %s", got)
	}
}

func TestListings(t *testing.T) {
	s := serveDocuments(t, `{"fields":{"id":{"type":"int64","primaryKey":true}}}`, Options{})
	s.expect("POST", "", `{"documents":[{"id":10},{"id":-3},{"id":2}]}`, 200, "")
	s.commit()
	s.expect("GET", "", "", 200, `{"documents":[{"id":-3},{"id":2},{"id":10}],"freshness":"T"}`)
	s.expect("GET", "?limit=2", "", 200, `{"documents":[{"id":-3},{"id":2}],"next":"2","freshness":"T"}`)
	s.expect("GET", "?limit=2&after=1", "", 200, `{"documents":[{"id":2},{"id":10}],"next":"10","freshness":"T"}`)
	s.expect("GET", "?after=10", "", 200, `{"documents":[],"freshness":"T"}`)
	if token := s.expect("GET", "", "", 200, "{\"id\":-3}\n{\"id\":2}\n{\"id\":10}\n", "Accept", ndjsonType); token == "" {
		t.Error("no token")
	}
	for _, limit := range []string{"0", "10001", "many"} {
		s.refuse("GET", "?limit="+limit, "", 400, "request:limit_out_of_range@limit")
	}
	s.refuse("GET", "?after=x", "", 400, "search:value_invalid@after")
	s.refuse("GET", "/x", "", 400, "search:value_invalid@")
}

func TestALargePageIsSentAsItIsRead(t *testing.T) {
	s := serveDocuments(t, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string"}}}`, Options{})
	var lines strings.Builder
	const documents = 9
	for i := range documents {
		fmt.Fprintf(&lines, "{\"id\":\"%d\",\"name\":%q}\n", i, strings.Repeat("x", 1<<20))
	}
	s.expect("POST", "", lines.String(), 200, "", "Content-Type", ndjsonType)
	s.commit()
	if _, _, text := ask(t, "GET", s.url, "", "Accept", ndjsonType); text != lines.String() {
		t.Errorf("%d bytes of lines instead of %d", len(text), lines.Len())
	}
	_, _, text := ask(t, "GET", s.url, "")
	var page struct {
		Documents []struct{ ID string }
		Freshness string
	}
	if err := json.Unmarshal([]byte(text), &page); err != nil || len(page.Documents) != documents || page.Documents[8].ID != "8" || page.Freshness == "" {
		t.Errorf("%v, %d documents", err, len(page.Documents))
	}
}

// A document without source is reported before the first byte of a page,
// wherever it is in the page.
func TestAPageWithADocumentWithoutSourceIsRefused(t *testing.T) {
	for _, size := range []int{1, 1 << 20} {
		s := serveDocuments(t, `{"source":"none","fields":{"id":{"type":"string","primaryKey":true},"m":{"type":"string"}}}`, Options{})
		s.expect("PUT", "/z", `{"m":"x"}`, 204, "")
		if status, _, body := ask(t, "PUT", s.admin+"?allowStaleDocuments=true", `{"fields":{"id":{"type":"string","primaryKey":true},"m":{"type":"string"}}}`); status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		for i := range 6 {
			s.expect("PUT", fmt.Sprintf("/%d", i), fmt.Sprintf(`{"m":%q}`, strings.Repeat("x", size)), 204, "")
		}
		s.commit()
		for _, media := range []string{"application/json", ndjsonType} {
			s.refuse("GET", "", "", 400, "document:source_not_kept@", "Accept", media)
			s.expect("GET", "?limit=6", "", 200, "", "Accept", media)
		}
		s.expect("GET", "?after=z", "", 200, "", "Accept", ndjsonType)
	}
}

func TestIndexesWithoutAKeyOrASource(t *testing.T) {
	s := serveDocuments(t, `{"fields":{"m":{"type":"string","filter":{}}}}`, Options{})
	s.expect("POST", "", `{"documents":[{"m":"x"},{"m":"x"}]}`, 200, `{"indexed":2,"failed":[],"freshness":"T"}`)
	s.refuse("GET", "", "", 400, "index:no_primary_key@")
	s.refuse("PUT", "/1", `{}`, 400, "index:no_primary_key@")
	s.refuse("POST", "/actions/update", `{"documents":[{"m":"y"}]}`, 400, "index:no_primary_key@")
	s.refuse("POST", "/actions/delete", `{"keys":["1"]}`, 400, "index:no_primary_key@")
	s.commit()
	s.expect("POST", "/actions/delete", `{"query":[{"field":"m","match":{"value":"x"}}]}`, 200, `{"deleted":2,"freshness":"T"}`)

	s = serveDocuments(t, `{"source":"none","fields":{"id":{"type":"string","primaryKey":true},"m":{"type":"string"},"pop":{"type":"int32","signal":{}}}}`, Options{})
	s.expect("PUT", "/1", `{"m":"x","pop":1}`, 204, "")
	s.refuse("GET", "", "", 400, "document:source_not_kept@")
	s.refuse("GET", "/1", "", 400, "document:source_not_kept@")
	s.refuse("PATCH", "/1", `{"m":"y"}`, 400, "document:source_not_kept@")
	s.expect("PATCH", "/1", `{"pop":2}`, 204, "")
	s.commit()
	s.refuse("PATCH", "/1", `{"m":"y"}`, 400, "document:source_not_kept@")
	s.expect("PATCH", "/1", `{"pop":3}`, 204, "")
}

// interrupted takes one entry, refuses the next, and loses what it took.
type interrupted struct{ entries int }

func (w *interrupted) Do(context.Context, func(*generations.Generation, *engine.WriteStream) error) error {
	if w.entries++; w.entries > 1 {
		return problem.DocumentNotAnObject.New()
	}
	return nil
}

func (w *interrupted) Finish(context.Context) (string, error) { return "", problem.IndexReadonly.New() }

// I1: a response counts no entry as accepted that is not durable.
func TestARefusedEntryDoesNotHideThatOthersAreLost(t *testing.T) {
	sent := httptest.NewRequest("POST", "/", strings.NewReader(`{"documents":[{},[]]}`))
	request := &Request{HTTP: sent, text: newBoundedBody(httptest.NewRecorder(), sent, 0)}
	b := &batch{write: new(interrupted)}
	if _, err := b.run(t.Context(), request, b.add); !errors.Is(err, problem.IndexReadonly) {
		t.Errorf("got %v", err)
	}
	refused := httptest.NewRequest("POST", "/", strings.NewReader(`{"documents":[[]]}`))
	request = &Request{HTTP: refused, text: newBoundedBody(httptest.NewRecorder(), refused, 0)}
	b = &batch{write: &interrupted{entries: 1}}
	// I23: a refusal by a node that no longer writes the index may be outdated.
	if _, err := b.run(t.Context(), request, b.add); !errors.Is(err, problem.IndexReadonly) {
		t.Errorf("with nothing taken: %v", err)
	}
}
