package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/problem"
)

const rootKey = "test-root-key"

// serveRoutes starts a server with the given routes in addition to those that
// every API serves without a node.
func serveRoutes(t *testing.T, options Options, extra ...Route) (*httptest.Server, *API) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	authority, err := auth.Open(context.Background(), memory.New(time.Now), auth.Options{RootKey: rootKey}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	a := New(Components{Authority: authority, Health: NewHealth(time.Second), Metrics: metrics.New(metrics.Options{WithoutRuntime: true}), Log: quiet}, options)
	for i := range extra {
		a.bind(&extra[i])
	}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return server, a
}

// ask sends a request as root and returns status, header and body of the
// response.
func ask(t testing.TB, method, url, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+rootKey)
	for i := 0; i+1 < len(header); i += 2 {
		if header[i+1] == "" {
			request.Header.Del(header[i])
			continue
		}
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

func code(t *testing.T, body string) string {
	t.Helper()
	var found struct {
		Code   string
		Errors []struct{ Code string }
	}
	if err := json.Unmarshal([]byte(body), &found); err != nil {
		t.Fatalf("%q is not an error body: %v", body, err)
	}
	if len(found.Errors) == 0 {
		t.Errorf("%q lists no error", body)
	}
	return found.Code
}

func echo(method string) Route {
	return Route{Method: method, Path: "/v1alpha1/indexes/{name}/echo/{key}", Operation: "echo",
		Permission: auth.DocumentsRead, Scope: auth.ScopeIndex, RunsOn: AnyNode, Body: "Document",
		handler: func(_ context.Context, r *Request) (*Response, error) {
			body, err := r.Body()
			if err != nil {
				return nil, err
			}
			return OK(map[string]string{"name": r.Param("name"), "key": r.Param("key"), "body": string(body), "q": r.Query("q")}), nil
		}}
}

func TestRefusalsBeforeAHandler(t *testing.T) {
	server, _ := serveRoutes(t, Options{MaxBodySize: 100}, echo("PUT"))
	at := server.URL + "/v1alpha1/indexes/books/echo/a"
	for _, test := range []struct {
		name, method, url, body string
		header                  []string
		status                  int
		code                    string
	}{
		{"unknown path", "GET", server.URL + "/v1alpha1/nothing", "", nil, 404, "request:not_found"},
		{"unclean path", "GET", server.URL + "/v1alpha1/admin//keys", "", nil, 404, "request:not_found"},
		{"wrong method", "POST", at, "", nil, 405, "request:method_not_allowed"},
		{"raw semicolon", "PUT", at + ";x", "{}", nil, 400, "request:path_invalid"},
		{"not acceptable", "PUT", at, "{}", []string{"Accept", "text/plain"}, 406, "request:not_acceptable"},
		{"wrong type", "PUT", at, "{}", []string{"Content-Type", "text/plain"}, 415, "request:unsupported_media_type"},
		{"compressed", "PUT", at, "{}", []string{"Content-Encoding", "br"}, 415, "request:unsupported_media_type"},
		{"no credential", "PUT", at, "{}", []string{"Authorization", ""}, 401, "auth:unauthenticated"},
		{"wrong credential", "PUT", at, "{}", []string{"Authorization", "Bearer nope"}, 401, "auth:unauthenticated"},
		{"body above the bound", "PUT", at, strings.Repeat("x", 101), nil, 413, "request:body_too_large"},
		{"unreadable query", "PUT", at + "?a=%zz", "{}", nil, 400, "request:refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, header, body := ask(t, test.method, test.url, test.body, test.header...)
			if status != test.status || code(t, body) != test.code {
				t.Errorf("got %d %s", status, body)
			}
			if header.Get("Content-Type") != mediaJSON || header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers %v", header)
			}
			if status == 405 && header.Get("Allow") != "OPTIONS, PUT" {
				t.Errorf("Allow: %s", header.Get("Allow"))
			}
		})
	}
}

func TestParametersArriveUnescaped(t *testing.T) {
	server, _ := serveRoutes(t, Options{MaxBodySize: 100}, echo("PUT"))
	for _, test := range []struct{ path, name, key string }{
		{"books/echo/a%2Fb", "books", "a/b"},
		{"books@2/echo/..", "books@2", ".."},
		{"books/echo/actions", "books", "actions"},
		{"books/echo/%3B%20+", "books", "; +"},
		{"books/echo/caf%C3%A9", "books", "café"},
	} {
		status, _, body := ask(t, "PUT", server.URL+"/v1alpha1/indexes/"+test.path+"?q=1", strings.Repeat("x", 100))
		var got map[string]string
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
			t.Fatalf("%s: %d %s", test.path, status, body)
		}
		if got["name"] != test.name || got["key"] != test.key || got["q"] != "1" || len(got["body"]) != 100 {
			t.Errorf("%s: %v", test.path, got)
		}
	}
}

func TestAPanicIsCaughtAndCounted(t *testing.T) {
	route := echo("GET")
	route.handler = func(context.Context, *Request) (*Response, error) { panic("secret document") }
	server, _ := serveRoutes(t, Options{}, route)
	status, _, body := ask(t, "GET", server.URL+"/v1alpha1/indexes/a/echo/b", "")
	if status != 500 || code(t, body) != "node:error" || strings.Contains(body, "secret") {
		t.Errorf("got %d %s", status, body)
	}
	_, _, meters := ask(t, "GET", server.URL+"/q/metrics", "", "Authorization", "")
	for _, line := range []string{"service_api_panic_total 1", `service_api_error_requests_total{code="node:error"} 1`,
		`uri="/v1alpha1/indexes/{name}/echo/{key}"`} {
		if !strings.Contains(meters, line) {
			t.Errorf("the meters lack %s", line)
		}
	}
}

func TestABodyThatStopsIsUnreadable(t *testing.T) {
	server, _ := serveRoutes(t, Options{}, echo("PUT"))
	connection, _ := dial(t, server.URL)
	_, _ = io.WriteString(connection, "PUT /v1alpha1/indexes/a/echo/b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+rootKey+
		"\r\nContent-Length: 50\r\n\r\n{\"half\":")
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(answer), "400 Bad Request") || !strings.Contains(string(answer), "request:body_unreadable") {
		t.Errorf("got %s", answer)
	}
}

func TestNothingMatchesWithoutPermission(t *testing.T) {
	for _, route := range Routes() {
		versioned := strings.HasPrefix(route.Path, "/v1alpha1/")
		own := route.Scope == auth.ScopeCredential // requests of callers about themselves
		if own != (route.Operation == "getAccess") {
			t.Errorf("%s: scope %s", route.Operation, route.Scope)
		}
		if (versioned && !own) != (route.Permission != "") || versioned != route.IsVersioned() {
			t.Errorf("%s: permission %q", route.Operation, route.Permission)
		}
		if !versioned {
			continue
		}
		if !own && !route.Permission.IsKnown() {
			t.Errorf("%s needs %s, which is not a permission", route.Operation, route.Permission)
		}
		if route.Scope == "" || route.RunsOn == "" || route.Tag == "" || route.Summary == "" || len(route.Answers) == 0 {
			t.Errorf("%s lacks a column", route.Operation)
		}
		hasName := strings.Contains(route.Path, "{name}")
		if (route.Scope == auth.ScopeIndex) != hasName {
			t.Errorf("%s has scope %s", route.Operation, route.Scope)
		}
		if route.Scope == auth.ScopeDeployment != (route.Permission.Scope() == auth.ScopeDeployment) {
			t.Errorf("%s: scope %s with permission %s", route.Operation, route.Scope, route.Permission)
		}
		if route.Anonymous && route.Permission != auth.Search && !own {
			t.Errorf("%s is open to the anonymous key", route.Operation)
		}
		if strings.Contains(route.Path, "/actions/") && route.Method != "POST" {
			t.Errorf("%s is an action on %s", route.Operation, route.Method)
		}
		// Evaluations are kept in the memory of the node that runs them.
		if route.Method == "GET" && route.RunsOn != AnyNode && !strings.Contains(route.Path, "/evaluations") {
			t.Errorf("%s is a read and runs on %s", route.Operation, route.RunsOn)
		}
	}
}

func TestOperationsAreUnique(t *testing.T) {
	operations, paths := make(map[string]bool), make(map[string]bool)
	for _, route := range Routes() {
		if operations[route.Operation] || paths[route.Method+route.Path] {
			t.Errorf("%s is listed twice", route.Operation)
		}
		operations[route.Operation], paths[route.Method+route.Path] = true, true
	}
	for operation := range new(API).handlers() {
		if !operations[operation] {
			t.Errorf("the handler %s answers no route", operation)
		}
	}
}

func TestEveryCodeCanComeFromAnOperation(t *testing.T) {
	named := make(map[*problem.Code]bool)
	for _, c := range everyCodes {
		named[c] = true
	}
	named[problem.RequestNotFound] = true // returned only if no operation matches
	for _, route := range Routes() {
		for _, c := range route.Codes {
			named[c] = true
		}
	}
	for _, c := range problem.Codes() {
		if !named[c] {
			t.Errorf("no operation names %s", c.Name())
		}
	}
}

func TestHealth(t *testing.T) {
	server, a := serveRoutes(t, Options{})
	now := a.health.refreshed
	a.health.now = func() time.Time { return now }
	status, _, body := ask(t, "GET", server.URL+"/q/health/ready", "", "Authorization", "", "Accept", "text/plain")
	if status != 503 || !strings.Contains(body, `"status":"DOWN"`) {
		t.Errorf("before the registry was read: %d %s", status, body)
	}
	a.health.RegistryRead()
	a.health.Preloaded()
	status, _, body = ask(t, "GET", server.URL+"/q/health/ready", "", "Authorization", "")
	if status != 200 || body != `{"status":"UP","checks":[{"name":"index-registry","status":"UP"},{"name":"index-preload","status":"UP"}]}` {
		t.Errorf("ready: %d %s", status, body)
	}
	status, _, body = ask(t, "GET", server.URL+"/q/health/live", "")
	if status != 200 || body != `{"status":"UP","checks":[{"name":"index-refresh","status":"UP","data":{"secondsSinceRefresh":0}}]}` {
		t.Errorf("live: %d %s", status, body)
	}
	now = now.Add(61 * time.Second)
	if status, _, body = ask(t, "GET", server.URL+"/q/health", ""); status != 503 || !strings.Contains(body, `"secondsSinceRefresh":61`) {
		t.Errorf("stale: %d %s", status, body)
	}
	a.health.AliveWhile(func() bool { return true })
	if status, _, body = ask(t, "GET", server.URL+"/q/health/live", ""); status != 200 || !strings.Contains(body, `"secondsSinceRefresh":61`) {
		t.Errorf("while a pass is under way: %d %s", status, body)
	}
}

func TestCORSOnlyForListedOrigins(t *testing.T) {
	server, _ := serveRoutes(t, Options{CORSOrigins: []string{"https://shop.example"}}, echo("PUT"))
	at := server.URL + "/v1alpha1/indexes/books/echo/a"
	preflight := []string{"Origin", "https://shop.example", "Access-Control-Request-Method", "PUT", "Authorization", ""}
	status, header, _ := ask(t, "OPTIONS", at, "", preflight...)
	if status != 204 || header.Get("Access-Control-Allow-Origin") != "https://shop.example" || !strings.Contains(header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("preflight: %d %v", status, header)
	}
	if _, header, _ = ask(t, "PUT", at, "{}", "Origin", "https://evil.example"); header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin is allowed: %v", header)
	}
	off, _ := serveRoutes(t, Options{}, echo("PUT"))
	if _, header, _ = ask(t, "OPTIONS", off.URL+"/v1alpha1/indexes/books/echo/a", "", preflight...); header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("CORS is on without being asked for: %v", header)
	}
}

func TestDescriptionInBothForms(t *testing.T) {
	server, _ := serveRoutes(t, Options{})
	_, header, body := ask(t, "GET", server.URL+"/q/openapi", "", "Authorization", "")
	if header.Get("Content-Type") != "application/yaml" || !strings.Contains(body, "openapi: 3.1.0") {
		t.Errorf("yaml: %v", header)
	}
	for _, variant := range [][]string{{"/q/openapi?format=json", ""}, {"/q/openapi.json", ""}, {"/q/openapi", mediaJSON}} {
		_, header, body = ask(t, "GET", server.URL+variant[0], "", "Accept", variant[1])
		if header.Get("Content-Type") != mediaJSON || !json.Valid([]byte(body)) {
			t.Errorf("%v: %v", variant, header)
		}
	}
	_, header, body = ask(t, "GET", server.URL+"/q/docs", "")
	if !strings.HasPrefix(header.Get("Content-Type"), "text/html") || strings.Contains(body, "https://") || strings.Contains(body, "<script") {
		t.Errorf("docs: %v", header)
	}
}
