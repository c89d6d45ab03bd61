package api

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/problem"
)

// answered returns everything of a response that a caller can see.
func (d *deployment) answered(method, path, authorization, body string, headers ...string) string {
	d.Helper()
	status, header, text := ask(d.T, method, d.server.URL+path, body, append([]string{"Authorization", authorization}, headers...)...)
	header.Del("Date")
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		lines = append(lines, name+": "+strings.Join(header[name], ", "))
	}
	return fmt.Sprintf("%d\n%s\n\n%s", status, strings.Join(lines, "\n"), text)
}

// validBody returns a body that the route accepts.
func validBody(route Route) string {
	switch {
	case route.Body == "":
		return ""
	case route.Operation == "putIndex":
		return small
	case route.Operation == "addDocuments" || route.Operation == "updateDocuments":
		return `{"documents":[]}`
	case route.Operation == "deleteDocuments":
		return `{"keys":["1"]}`
	}
	return `{}`
}

// S2: on every route, a name not covered by a grant gets the same bytes whether
// it exists or not, identical to those that a key with all permissions gets for
// a name that does not exist.
func TestInvisibleLooksAbsent(t *testing.T) {
	d := deploy(t, auth.Options{RootKey: rootKey})
	root := "Bearer " + rootKey
	strangers := map[string]string{
		"every permission elsewhere": "Bearer " + d.key(everyPermission(), "other", "hid", "hiddenx*", "hidden@7"),
		"search elsewhere":           "Bearer " + d.key([]auth.Permission{auth.Search}, "other"),
		"deployment only":            "Bearer " + d.key([]auth.Permission{auth.KeysRead, auth.RegistryAudit}),
	}
	type request struct{ who, method, path, body string }
	ask := func(visit func(request, string)) {
		for who, authorization := range strangers {
			for _, route := range routes {
				if route.Scope != auth.ScopeIndex {
					continue
				}
				for _, name := range []string{"hidden", "hidden@1", "hidden@2", "hidden@9"} {
					for _, body := range []string{"", validBody(route), "{", `{"bogus":1}`} {
						path := pathOf(route, name, "")
						visit(request{who, route.Method, path, body}, d.answered(route.Method, path, authorization, body, "If-Match", `*`, "If-None-Match", `"x"`))
					}
				}
			}
		}
	}
	absent := make(map[request]string)
	ask(func(r request, answer string) {
		if !strings.HasPrefix(answer, "404\n") || !strings.Contains(answer, `"code":"index:not_found"`) {
			t.Fatalf("%+v answers %s", r, answer)
		}
		absent[r] = answer
	})
	for _, route := range routes {
		if route.Scope != auth.ScopeIndex {
			continue
		}
		path, body := pathOf(route, "hidden@1", ""), validBody(route)
		if got := d.answered(route.Method, path+"?key=1", root, body); got != absent[request{"search elsewhere", route.Method, path, body}] {
			t.Errorf("%s: absent to all callers answers\n%s\nand to a stranger\n%s", route.Operation, got, absent[request{"search elsewhere", route.Method, path, body}])
		}
	}
	d.makeHidden(root)
	ask(func(r request, answer string) {
		if answer != absent[r] {
			t.Errorf("%+v answers\n%s\nand without the index\n%s", r, answer, absent[r])
		}
	})
}

// S2: bodies name generations too. A generation that a key may not read looks absent,
// even as the other side of an evaluation. A key that may not read the judgement sets of
// the index may not evaluate by them either: reports list their queries.
func TestAnEvaluationComparesOnlyWithWhatIsVisible(t *testing.T) {
	d := deploy(t, auth.Options{RootKey: rootKey})
	root := "Bearer " + rootKey
	d.makeHidden(root)
	if status, _, body := d.ask("PUT", "/v1alpha1/admin/indexes/hidden/judgements/base", root, `{"queries":[{"text":"a","grades":{"1":1}}]}`); status != 201 {
		t.Fatal(body)
	}
	const path = "/v1alpha1/admin/indexes/hidden@2/actions/evaluate"
	against := func(side string) string { return `{"judgements":"base","hits":true,"against":` + side + `}` }
	second := "Bearer " + d.key([]auth.Permission{auth.IndexesRead}, "hidden@2")
	bare := "Bearer " + d.key([]auth.Permission{auth.IndexesRead}, "hidden", "hidden@2")
	searching := "Bearer " + d.key([]auth.Permission{auth.Search}, "hidden@1")
	for _, test := range []struct {
		key, side string
		status    int
		code      string
	}{
		{second, `null`, 403, "auth:forbidden"}, {second, `{}`, 403, "auth:forbidden"}, {second, `{"generation":"9"}`, 403, "auth:forbidden"},
		{bare, `{"generation":"1"}`, 404, "index:not_found"}, {bare, `{}`, 200, ""}, {bare, `{"generation":"2"}`, 200, ""}, {bare, `null`, 200, ""},
		{searching, `{"generation":"1"}`, 404, "index:not_found"}, {root, `{"generation":"1"}`, 200, ""}, {root, `{"generation":"9"}`, 404, "index:not_found"},
	} {
		if status, code, body := d.ask("POST", path, test.key, against(test.side)); status != test.status || code != test.code {
			t.Errorf("against %s: %d %s, want %d %s", test.side, status, body, test.status, test.code)
		}
	}
	// A generation that the key may not read looks as if it did not exist.
	if got, want := d.answered("POST", path, bare, against(`{"generation":"1"}`)), d.answered("POST", path, bare, against(`{"generation":"9"}`)); got != strings.ReplaceAll(want, "@9", "@1") {
		t.Errorf("the generation that exists answers\n%s\nand one that does not\n%s", got, want)
	}
}

func TestAReindexCopiesOnlyWhatIsVisible(t *testing.T) {
	d := deploy(t, auth.Options{RootKey: rootKey})
	root := "Bearer " + rootKey
	d.makeHidden(root)
	const path = "/v1alpha1/admin/indexes/hidden@2/actions/reindex"
	from := func(name string) string { return `{"promote":"manual","from":"` + name + `"}` }
	second := "Bearer " + d.key([]auth.Permission{auth.IndexesReindex, auth.DocumentsRead}, "hidden@2")
	if got, want := d.answered("POST", path, second, from("hidden@1")), d.answered("POST", path, second, from("hidden@9")); got != strings.ReplaceAll(want, "@9", "@1") {
		t.Errorf("the generation that exists answers\n%s\nand one that does not\n%s", got, want)
	}
	both := "Bearer " + d.key([]auth.Permission{auth.IndexesReindex}, "hidden@*")
	if status, code, body := d.ask("POST", path, both, from("hidden@1")); status != 409 || code != "reindex:in_progress" {
		t.Errorf("%d %s", status, body)
	}
}

// makeHidden creates an index with every resource an index can have.
func (d *deployment) makeHidden(root string) {
	d.Helper()
	for _, step := range []struct{ method, path, body string }{
		{"PUT", "/v1alpha1/admin/indexes/hidden", small},
		{"PUT", "/v1alpha1/admin/indexes/hidden@2", small},
		{"PUT", "/v1alpha1/indexes/hidden/documents/1", `{"name":"a"}`},
		{"PUT", "/v1alpha1/admin/indexes/hidden/settings", `{"ranking":{}}`},
		{"POST", "/v1alpha1/admin/indexes/hidden@2/actions/reindex", `{"promote":"manual"}`},
		{"POST", "/v1alpha1/admin/indexes/hidden/actions/commit", ""},
	} {
		if status, _, body := d.ask(step.method, step.path, root, step.body); status >= 300 {
			d.Fatalf("%s %s: %d %s", step.method, step.path, status, body)
		}
	}
}

// S2: listings and the audit reveal nothing about resources a key may not see:
// not by an entry, not by the end of a page, not by a different refusal.
func TestListingsTellNothingOfTheInvisible(t *testing.T) {
	d := deploy(t, auth.Options{RootKey: rootKey})
	root := "Bearer " + rootKey
	for _, name := range []string{"aaa", "zzz"} {
		if status, _, body := d.ask("PUT", "/v1alpha1/admin/indexes/"+name, root, small); status != 201 {
			t.Fatal(body)
		}
	}
	keys := []string{
		"Bearer " + d.key([]auth.Permission{auth.IndexesRead}, "aaa", "zzz"),
		"Bearer " + d.key(withoutPermission(auth.RegistryAudit), "aaa", "zzz"),
		"Bearer " + d.key([]auth.Permission{auth.Search}, "hidden*"),
	}
	var paths []string
	for _, listing := range []string{"/v1alpha1/admin/indexes", "/v1alpha1/admin/reindexes"} {
		for _, query := range []string{"", "?limit=1", "?limit=2", "?limit=1&after=aaa", "?prefix=h", "?prefix=hidden&limit=1", "?after=hidden", "?limit=1&after=hidden"} {
			paths = append(paths, listing+query)
		}
	}
	paths = append(paths, "/v1alpha1/admin/reindexes?index=hidden", "/v1alpha1/admin/reindexes?phase=ready,pending,copying,replaying",
		"/v1alpha1/admin/indexers", "/v1alpha1/admin/registry/audit")
	before := make(map[string]string)
	for _, path := range paths {
		for _, key := range keys {
			before[path+key] = d.answered("GET", path, key, "")
		}
	}
	d.makeHidden(root)
	for _, path := range paths {
		for _, key := range keys {
			if got := d.answered("GET", path, key, ""); got != before[path+key] {
				t.Errorf("%s answers\n%s\nand without the index\n%s", path, got, before[path+key])
			}
		}
	}
}

// S1: a route without a permission is closed to every caller; only routes
// outside the versioned interface are open.
func TestARouteWithoutPermissionIsRefused(t *testing.T) {
	route := echo("GET")
	route.Permission = ""
	server, _ := serveRoutes(t, Options{}, route)
	status, _, body := ask(t, "GET", server.URL+"/v1alpha1/indexes/a/echo/b", "")
	if status != http.StatusForbidden {
		t.Errorf("%d %s", status, body)
	}
	for _, route := range Routes() {
		if route.isOpen() == strings.HasPrefix(route.Path, "/v1alpha1/") {
			t.Errorf("%s: open %v", route.Operation, route.isOpen())
		}
		if new(API).handlers()[route.Operation] == nil {
			t.Errorf("%s has no handler", route.Operation)
		}
	}
}

// S21: the documentation page runs no script, uses only its own style and loads
// nothing; the displayed text is escaped.
func TestDocsPageRunsNothing(t *testing.T) {
	server, _ := serveRoutes(t, Options{})
	_, header, page := ask(t, "GET", server.URL+"/q/docs", "", "Authorization", "")
	policy := header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "style-src 'sha256-") ||
		header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", header)
	}
	for _, active := range []string{"<script", "style=", "javascript:", "onload", "onclick", "http://", "https://", "localStorage"} {
		if strings.Contains(page, active) {
			t.Errorf("the page holds %s", active)
		}
	}
	// The page shows only text of the tables.
	hostile := docs{Groups: []docsGroup{{Tag: `<img src=x onerror=alert(1)>`, Routes: []Route{{Method: "GET", Path: `/"><script>`, Summary: `</style><script>alert(1)</script>`,
		Codes: []*problem.Code{problem.NodeError}}}}},
		Bodies: []docsBody{{Name: `"><script>`, Description: `<img>`, Examples: []string{`</pre><script>`},
			Properties: []docsProperty{{Path: `<script>`, Kind: []docsWord{{Text: `<img>`, Link: `"><script>`}}, Notes: `<img>`, Means: `<script>`}}}}}
	rendered, err := hostile.render()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(rendered); strings.Contains(text, "<script") || strings.Contains(text, "<img") {
		t.Errorf("markup is shown as markup: %s", text)
	}
}

// S22: responses are JSON that browsers must not sniff; those with credentials
// are not cached.
func TestHeadersOfEveryAnswer(t *testing.T) {
	d := deploy(t, auth.Options{RootKey: rootKey})
	root := "Bearer " + rootKey
	for _, route := range routes {
		path := pathOf(route, "books", "0000000000000000")
		_, header, body := ask(t, route.Method, d.server.URL+path, validBody(route), "Authorization", root)
		if header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: no nosniff", route.Operation)
		}
		if route.Permission != "" && body != "" && header.Get("Content-Type") != "application/json" {
			t.Errorf("%s is %s", route.Operation, header.Get("Content-Type"))
		}
		if strings.HasPrefix(route.Path, adminKeys) && header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s", route.Operation, header.Get("Cache-Control"))
		}
		for name := range header {
			if strings.HasPrefix(name, "Access-Control-") || name == "Server" || name == "X-Powered-By" {
				t.Errorf("%s reveals %s", route.Operation, name)
			}
		}
	}
}
