package api

import (
	"regexp"
	"strings"
	"testing"
)

// Every document is served as a page and as Markdown, and every link from a
// page to this node has a target.
func TestDocumentsAreServed(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	base := strings.TrimSuffix(s.url, "/v1alpha1/indexes/shop/documents")
	all, err := servedDocuments()
	if err != nil || len(all) < 10 {
		t.Fatalf("%d documents, %v", len(all), err)
	}
	_, _, list := ask(t, "GET", base+"/q/docs/llms.txt", "")
	if status, header, _ := ask(t, "GET", base+"/q/docs/guides/concepts-index.svg", ""); status != 200 || header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("a drawing: %d %v", status, header)
	}
	links := regexp.MustCompile(`(?:href|src)="(/q/docs/[^"#]*)`)
	for _, one := range all {
		if one.Title == "" || one.About == "" || !strings.Contains(list, "/q/docs/"+one.Path+".md") {
			t.Errorf("%+v is not listed well", one)
		}
		status, header, page := ask(t, "GET", base+"/q/docs/"+one.Path, "")
		if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/html") || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %v", one.Path, status, header)
		}
		for _, link := range links.FindAllStringSubmatch(page, -1) {
			if status, _, _ := ask(t, "GET", base+link[1], ""); status != 200 {
				t.Errorf("%s leads to %s: %d", one.Path, link[1], status)
			}
		}
		if status, header, text := ask(t, "GET", base+"/q/docs/"+one.Path+".md", ""); status != 200 || !strings.Contains(text, "# ") || !strings.HasPrefix(header.Get("Content-Type"), "text/markdown") {
			t.Errorf("%s.md: %d", one.Path, status)
		}
	}
}
