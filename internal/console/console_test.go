package console

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
)

func newConsole(t *testing.T) *Console {
	t.Helper()
	c, err := New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }), noted)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// noted marks the responses of next.
func noted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Bounded", "yes")
		next.ServeHTTP(w, r)
	})
}

func ask(c *Console, method, target string, headers ...string) *http.Response {
	request := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	c.ServeHTTP(recorder, request)
	return recorder.Result()
}

func TestBrowsersAreLedToTheConsole(t *testing.T) {
	c := newConsole(t)
	for _, test := range []struct {
		method, target, accept string
		status                 int
	}{
		{"GET", "/", "text/html,application/xhtml+xml,*/*;q=0.8", http.StatusFound},
		{"GET", "/", "*/*", http.StatusTeapot},
		{"GET", "/", "application/json", http.StatusTeapot},
		{"POST", "/", "text/html", http.StatusTeapot},
		{"GET", "/console", "*/*", http.StatusFound},
		{"GET", "/console/", "*/*", http.StatusOK},
		{"HEAD", "/console/app.js", "*/*", http.StatusOK},
		{"GET", "/console/demo/documents.ndjson", "*/*", http.StatusOK},
		{"GET", "/console/absent.js", "*/*", http.StatusTeapot},
		{"GET", "/console/../console.go", "*/*", http.StatusTeapot},
		{"GET", "/console/vendor/preact.d.ts", "*/*", http.StatusTeapot},
		{"DELETE", "/console/app.js", "*/*", http.StatusTeapot},
		{"GET", "/v1alpha1/access", "text/html", http.StatusTeapot},
	} {
		response := ask(c, test.method, test.target, "Accept", test.accept)
		if response.StatusCode != test.status {
			t.Errorf("%s %s for %s: %d", test.method, test.target, test.accept, response.StatusCode)
		}
		if bounded := response.Header.Get("Bounded") != ""; bounded != (test.status != http.StatusTeapot) {
			t.Errorf("S14: %s %s for %s: slow clients are given up: %v", test.method, test.target, test.accept, bounded)
		}
		if test.status == http.StatusFound && response.Header.Get("Location") != Path {
			t.Errorf("%s leads to %s", test.target, response.Header.Get("Location"))
		}
	}
}

// S21: no file of the console may be framed, run inline script or load from
// another host.
func TestEveryFileCarriesThePolicy(t *testing.T) {
	c := newConsole(t)
	for name := range c.files {
		header := ask(c, "GET", name).Header
		given := header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(given, part) {
				t.Errorf("%s: the policy lacks %s", name, part)
			}
		}
		if strings.Contains(given, "unsafe") {
			t.Errorf("%s: %s", name, given)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", name, header)
		}
	}
}

func TestFilesAreKeptByTheirVersion(t *testing.T) {
	c := newConsole(t)
	first := ask(c, "GET", "/console/app.js", "Accept-Encoding", "br, gzip")
	if first.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal("not compressed")
	}
	reader, err := gzip.NewReader(first.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := io.ReadAll(ask(c, "GET", "/console/app.js", "Accept-Encoding", "gzip;q=0").Body)
	if string(plain) != string(unpacked) {
		t.Error("the compressed file is another one")
	}
	etag := first.Header.Get("ETag")
	for _, sent := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
		if status := ask(c, "GET", "/console/app.js", "If-None-Match", sent).StatusCode; status != http.StatusNotModified {
			t.Errorf("If-None-Match %s: %d", sent, status)
		}
	}
	if status := ask(c, "GET", "/console/app.js", "If-None-Match", `"other"`).StatusCode; status != http.StatusOK {
		t.Errorf("another version: %d", status)
	}
}

var (
	imported = regexp.MustCompile(`(?:from|import)\s*"(\.[^"]+)"`)
	linked   = regexp.MustCompile(`(?:href|src)="([^":/][^":]*)"`)
)

// reachable collects the files that a page loads without user interaction:
// those it links, and those that these modules import.
func reachable(t *testing.T, c *Console, name string, seen map[string]bool) {
	t.Helper()
	if seen[name] {
		return
	}
	f := c.files[name]
	if f == nil {
		t.Errorf("%s is loaded and is not there", name)
		return
	}
	seen[name] = true
	pattern := imported
	if strings.HasSuffix(name, "/") {
		pattern = linked
	}
	for _, found := range pattern.FindAllStringSubmatch(string(f.plain), -1) {
		reachable(t, c, path.Join(path.Dir(name), found[1]), seen)
	}
}

func TestTheFirstPageIsSmall(t *testing.T) {
	c := newConsole(t)
	seen := make(map[string]bool)
	reachable(t, c, Path, seen)
	reachable(t, c, Path+"rooms/search.js", seen)
	total := 0
	for name := range seen {
		total += len(c.files[name].gzip)
	}
	t.Logf("%d files, %d bytes compressed", len(seen), total)
	if total > 120_000 {
		t.Errorf("the first page transfers %d bytes", total)
	}
}

func TestTheBinaryGrowsLittle(t *testing.T) {
	total := 0
	for _, f := range newConsole(t).files {
		total += len(f.plain)
	}
	t.Logf("%d bytes", total)
	if total > 1_000_000 {
		t.Errorf("the files have %d bytes", total)
	}
}

// Files other than vendored ones name no other host and never turn text into
// markup or code.
func TestOwnFilesTouchNoOtherHostAndMakeNoMarkup(t *testing.T) {
	allowed := regexp.MustCompile(`http://www\.w3\.org/2000/svg`)
	refused := regexp.MustCompile(`https?://[a-z0-9]|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|dangerouslySet|localStorage|document\.cookie`)
	for name, f := range newConsole(t).files {
		if strings.Contains(name, "/vendor/") || strings.Contains(name, "/demo/") {
			continue
		}
		if found := refused.FindString(allowed.ReplaceAllString(string(f.plain), "")); found != "" {
			t.Errorf("%s holds %s", name, found)
		}
	}
}
