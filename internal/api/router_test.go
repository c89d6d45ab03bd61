package api

import (
	"slices"
	"testing"
)

func testRouter() *router {
	r := new(router)
	for _, route := range []Route{
		{Method: "POST", Path: "/v1/indexes/{name}/documents", Operation: "add"},
		{Method: "GET", Path: "/v1/indexes/{name}/documents/{key}", Operation: "get"},
		{Method: "PUT", Path: "/v1/indexes/{name}/documents/{key}", Operation: "put"},
		{Method: "POST", Path: "/v1/indexes/{name}/documents/actions/update", Operation: "update"},
		{Method: "GET", Path: "/v1/admin", Operation: "admin"},
	} {
		r.add(&route)
	}
	return r
}

func TestRouterFindsTheRouteOfAnEscapedPath(t *testing.T) {
	r := testRouter()
	for _, test := range []struct {
		method, path string
		operation    string // empty: the path matches, but not the method
		values       []string
	}{
		{"POST", "/v1/indexes/books/documents", "add", []string{"books"}},
		{"GET", "/v1/indexes/books@1/documents/a", "get", []string{"books@1", "a"}},
		{"GET", "/v1/indexes/books/documents/a%2Fb", "get", []string{"books", "a/b"}},
		{"GET", "/v1/indexes/books/documents/%2F", "get", []string{"books", "/"}},
		{"GET", "/v1/indexes/books/documents/..", "get", []string{"books", ".."}},
		{"GET", "/v1/indexes/books/documents/a+b", "get", []string{"books", "a+b"}},
		{"PUT", "/v1/indexes/books/documents/actions", "put", []string{"books", "actions"}},
		{"POST", "/v1/indexes/books/documents/actions/update", "update", []string{"books"}},
		{"GET", "/v1/indexes/books/documents/actions/update", "", nil},
		{"DELETE", "/v1/admin", "", nil},
	} {
		found, ok := r.find(test.path)
		if !ok {
			t.Errorf("%s: nothing answers", test.path)
			continue
		}
		route := found.route(test.method)
		if route == nil || test.operation == "" {
			if (route == nil) != (test.operation == "") {
				t.Errorf("%s %s: route %v", test.method, test.path, route)
			}
			continue
		}
		if route.Operation != test.operation || !slices.Equal(found.values, test.values) {
			t.Errorf("%s %s is %s %q, want %s %q", test.method, test.path, route.Operation, found.values, test.operation, test.values)
		}
	}
}

func TestRouterNeverCleansAPath(t *testing.T) {
	r := testRouter()
	for _, path := range []string{"", "/", "//v1/admin", "/v1/admin/", "/v1//admin", "/v1/./admin", "/v1/x/../admin",
		"/v1/indexes//documents", "/v1/indexes/books/documents/", "/v1/indexes/books/documents/a/b", "/v1/indexes/books/documents/%zz"} {
		if found, ok := r.find(path); ok {
			t.Errorf("%q answers with %v", path, found.values)
		}
	}
}

func TestAllowNamesTheMethods(t *testing.T) {
	found, _ := testRouter().find("/v1/indexes/books/documents/a")
	if got := found.allow(); got != "GET, HEAD, OPTIONS, PUT" {
		t.Errorf("Allow: %s", got)
	}
}

func FuzzRouter(f *testing.F) {
	f.Add("/v1/indexes/books/documents/%2F")
	r := testRouter()
	f.Fuzz(func(t *testing.T, path string) {
		if found, ok := r.find(path); ok && len(found.methods) == 0 {
			t.Errorf("%q answers without a method", path)
		}
	})
}
