package api

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var recordedFile = flag.String("requests", "", "file of recorded requests, one JSON object per line, that TestDamagedRequests damages as well")

// recordedRequests reads requests that were recorded, without those that remove
// an index.
func recordedRequests(t *testing.T, file string) []scripted {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []scripted
	for line := range strings.Lines(string(text)) {
		var one struct{ Method, Path, Type, Body string }
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		if one.Method == "DELETE" && strings.Contains(one.Path, "/admin/indexes/") || strings.HasSuffix(one.Path, "/actions/repair") {
			continue
		}
		found = append(found, scripted{one.Method, one.Path, one.Body, http.Header{"Content-Type": {one.Type}}})
	}
	return found
}

// scripted is one request of the interface scripts.
type scripted struct {
	method, path, body string
	header             http.Header
}

var (
	requestLine = regexp.MustCompile(`^(GET|PUT|POST|PATCH|DELETE) (/v1alpha1/\S*)$`)
	headerLine  = regexp.MustCompile(`^([A-Z][A-Za-z-]*): (.*)$`)
)

// scriptedRequests reads the requests of a script in order.
func scriptedRequests(t *testing.T, file string) []scripted {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []scripted
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		match := requestLine.FindStringSubmatch(lines[i])
		if match == nil {
			continue
		}
		request := scripted{method: match[1], path: match[2], header: http.Header{"Content-Type": {mediaJSON}}}
		for i++; i < len(lines); i++ {
			header := headerLine.FindStringSubmatch(lines[i])
			if header == nil {
				break
			}
			if header[1] != "Save" && header[1] != "Show" && header[1] != "Authorization" {
				request.header.Set(header[1], header[2])
			}
		}
		var body []string
		for ; i < len(lines) && lines[i] != "----"; i++ {
			body = append(body, lines[i])
		}
		request.body = strings.Join(body, "\n")
		found = append(found, request)
	}
	return found
}

// TestDamagedRequests plays the interface scripts and then damages their
// bodies at random: definitions, settings, keys, searches, suggestions,
// explanations, everything that has one. None may fail the node.
func TestDamagedRequests(t *testing.T) {
	files, err := filepath.Glob("../../spec/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	if *recordedFile != "" {
		files = append(files, *recordedFile)
	}
	each := max(20, *bodies/len(files))
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			t.Parallel()
			s := serveDocuments(t, catalogue, Options{})
			send := func(r scripted, body string) {
				request := httptest.NewRequest(r.method, strings.ReplaceAll(strings.ReplaceAll(r.path, "{", "x"), "}", "x"), strings.NewReader(body))
				request.Header = r.header.Clone()
				request.Header.Set("Authorization", "Bearer "+rootKey)
				recorder := httptest.NewRecorder()
				s.api.ServeHTTP(recorder, request)
				answered := recorder.Body.String()
				if recorder.Code >= 500 && !strings.Contains(answered, `"code":"search:`) {
					t.Fatalf("%s %s %q: %d %s", r.method, r.path, body, recorder.Code, answered)
				}
			}
			var withBody []scripted
			read, each := scriptedRequests, each
			if file == *recordedFile {
				read, each = recordedRequests, *bodies
			}
			for _, request := range read(t, file) {
				send(request, request.body)
				if request.body != "" {
					withBody = append(withBody, request)
				}
			}
			if len(withBody) == 0 {
				return
			}
			random := rand.New(rand.NewPCG(11, uint64(*bodies)))
			for range each {
				request := withBody[random.IntN(len(withBody))]
				send(request, string(damage(random, []byte(request.body))))
			}
		})
	}
}
