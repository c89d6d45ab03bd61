package api

import (
	"slices"
	"testing"
)

func TestPathsOfProblemsAreTakenApart(t *testing.T) {
	for path, want := range map[string][]string{
		"":                         nil,
		"limit":                    {"limit"},
		"query[0].clauses[12].txt": {"query", "[0]", "clauses", "[12]", "txt"},
		`fields["a.b"].type`:       {"fields", "a.b", "type"},
		`["a\"]"][1].x`:            {`a"]`, "[1]", "x"},
		`a["open`:                  {"a"},
		"a[1":                      {"a"},
	} {
		if got := pathSteps(path); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestPropertiesOfAPlace(t *testing.T) {
	a := new(API)
	for _, c := range []struct{ body, path, has, lacks string }{
		{"SearchRequest", "x", "query", "clauses"},
		{"SearchRequest", "query[0].x", "clauses", "query"},
		{"SearchRequest", "query[0].clauses[3].match.x", "gte", "facets"},
		{"SearchRequest", "highlight.fields.title.x", "fragments", "query"},
		{"Definition", `fields.f.x`, "matching", "source"},
		{"Definition", `fields.f.fields.g.matching.x`, "weight", "source"},
	} {
		names := a.propertiesAt(c.body, c.path)
		if !slices.Contains(names, c.has) || slices.Contains(names, c.lacks) {
			t.Errorf("%s at %s: %q", c.body, c.path, names)
		}
	}
	if names := a.propertiesAt("SearchRequest", "limit.x"); len(names) > 0 {
		t.Errorf("a number has the properties %q", names)
	}
}

func TestNearestPath(t *testing.T) {
	for path, want := range map[string]string{
		"/v1alpha1/index/books/search":    "/v1alpha1/indexes/books/search",
		"/indexes/books/documents":        "/v1alpha1/indexes/books/documents",
		"/admin/indexes":                  "/v1alpha1/admin/indexes",
		"/v1alpha1/indexes/b/documets/a":  "/v1alpha1/indexes/b/documents/a",
		"/q/helth/redy":                   "/q/health/ready",
		"/somewhere/else/entirely":        "",
		"/v1alpha1/indexes//search":       "",
		"/v1alpha1/indexes/%zz/serch":     "",
		"/v1alpha1/indexes/books/search/": "/v1alpha1/indexes/books/search",
	} {
		if got := nearestPath(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
