package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// files returns the files of all generations of a node whose names match a pattern.
func files(t *testing.T, directory, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(directory, "generations", "*", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const searchAll = `{"query":[{"type":"text","text":"document"}],"total":"exact","limit":1000,"facets":[{"field":"owner"}],"sort":[{"field":"version"}]}`

// victim starts a node with an index x whose files will be damaged, and an index y
// that must not be affected. With two builders the commit leaves so few segments
// that no merge replaces them.
func victim(t *testing.T, settings ...string) (p *process, c *caller, directory string, ofX []string) {
	t.Helper()
	directory = t.TempDir()
	p = start(t, directory, append(settings, "GOMAXPROCS=2")...)
	c = newCaller(p)
	for _, index := range []string{"x", "y"} {
		c.must(t, "PUT", "/admin/indexes/"+index, definition)
		o := newOwner(index, 1, 2000, 1)
		o.stopping = func() bool { return false }
		if err := o.fill(c); err != nil {
			t.Fatal(err)
		}
		c.must(t, "POST", "/admin/indexes/"+index+"/actions/commit", "")
		if index == "x" {
			ofX = files(t, directory, "*.seg")
		}
	}
	if len(ofX) == 0 {
		t.Fatal("x has no segments")
	}
	return p, c, directory, ofX
}

func (c *caller) mustStillServe(t *testing.T, index string) {
	t.Helper()
	if got := c.must(t, "POST", "/indexes/"+index+"/search", searchAll); !strings.Contains(string(got.body), `"count":2000`) {
		t.Fatalf("%s: %.200s", index, got.body)
	}
	c.must(t, "PUT", "/indexes/"+index+"/documents/new", `{"version":1}`)
	c.must(t, "DELETE", "/indexes/"+index+"/documents/new", "")
}

// F38, I19: a file truncated under a running node answers 503 and affects neither
// the process nor another index.
func TestTruncatedFileUnderARunningNode(t *testing.T) {
	p, c, directory, ofX := victim(t, "SERVICE_INDEXES_COMMIT_MAX_INTERVAL=0")
	for _, name := range ofX {
		if err := os.Truncate(name, 4096); err != nil {
			t.Fatal(err)
		}
	}
	unavailable := 0
	for _, request := range [][3]string{
		{"POST", "/indexes/x/search", searchAll},
		{"GET", "/indexes/x/documents?limit=1000", ""},
		{"GET", "/indexes/x/documents/c1-5", ""},
		{"POST", "/indexes/x/suggest", `{"text":"doc"}`},
		{"POST", "/indexes/x/facets/owner/values", `{}`},
		{"PATCH", "/indexes/x/documents/c1-7", `{"version":3}`},
		{"POST", "/indexes/x/documents/actions/delete", `{"query":[{"field":"group","match":{"value":3}}]}`},
		{"POST", "/admin/indexes/x/actions/commit", ""},
		{"POST", "/indexes/x/search", searchAll},
	} {
		got, err := c.send(request[0], request[1], asJSON, request[2])
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", request[0], request[1], err, tail(p.output.String()))
		}
		if got.status == 503 {
			unavailable++
		} else if got.status >= 500 {
			t.Errorf("%s %s: %s\n%s", request[0], request[1], got, tail(p.output.String()))
		}
		c.mustStillServe(t, "y")
	}
	if unavailable == 0 {
		t.Error("nothing noticed that the files are short")
	}
	p.kill()
	if found, err := program("check", directory).CombinedOutput(); err == nil {
		t.Errorf("quire check finds nothing: %s", found)
	}
	// I12: truncated files are not opened, and the node serves the rest.
	p = start(t, directory)
	c = newCaller(p)
	got, err := c.send("POST", "/indexes/x/search", asJSON, searchAll)
	if err != nil || got.status != 503 && got.status != 409 {
		t.Errorf("search on damaged files: %v %.300s", err, got.body)
	}
	c.mustStillServe(t, "y")
	got, err = c.send("GET", "/admin/indexes/x", "", "")
	if err != nil || got.status >= 500 && got.status != 503 {
		t.Errorf("description: %v %s", err, got)
	}
	c.must(t, "GET", "/admin/indexes", "")
	if err := p.terminate(40 * time.Second); err != nil {
		t.Errorf("stop: %v\n%s", err, tail(p.output.String()))
	}
}

// F21, F37: files of each kind are flipped, swapped, empty, missing or of a newer
// version while the node is stopped. The index answers nothing wrong; the other
// index and the node continue.
func TestDamagedFilesOfAStoppedNode(t *testing.T) {
	p, _, directory, ofX := victim(t)
	if err := p.terminate(40 * time.Second); err != nil {
		t.Fatal(err)
	}
	generation := filepath.Dir(ofX[0])
	kinds := map[string]string{"segment": ofX[0], "manifest": filepath.Join(generation, "manifest")}
	logs, _ := filepath.Glob(filepath.Join(generation, "log", "*"))
	if len(logs) > 0 {
		kinds["log"] = logs[0]
	}
	damages := map[string]func([]byte) []byte{
		"flipped at the start": func(b []byte) []byte { b[1] ^= 0x40; return b },
		"newer":                func(b []byte) []byte { b[8]++; return b },
		"flipped":              func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"flipped at the end":   func(b []byte) []byte { b[len(b)-3] ^= 1; return b },
		"half":                 func(b []byte) []byte { return b[:len(b)/2] },
		"empty":                func(b []byte) []byte { return nil },
		"missing":              nil,
		"swapped":              func(b []byte) []byte { slices.Reverse(b); return b },
	}
	for kind, name := range kinds {
		whole, err := os.ReadFile(name)
		if err != nil || len(whole) < 16 {
			continue
		}
		for what, damage := range damages {
			t.Run(kind+" "+what, func(t *testing.T) {
				if damage == nil {
					os.Remove(name)
				} else if err := os.WriteFile(name, damage(slices.Clone(whole)), 0o600); err != nil {
					t.Fatal(err)
				}
				defer os.WriteFile(name, whole, 0o600)
				p := start(t, directory)
				c := newCaller(p)
				got, err := c.send("POST", "/indexes/x/search", asJSON, searchAll)
				switch {
				case err != nil:
					t.Fatalf("%v\n%s", err, tail(p.output.String()))
				case got.status == 200 && !strings.Contains(string(got.body), `"count":2000`):
					t.Errorf("wrong answer: %.300s", got.body)
				case got.status == 200 && kind != "log":
					t.Logf("harmless")
				case got.status != 200 && got.status != 503 && got.status != 409:
					t.Errorf("%s", got)
				}
				c.mustStillServe(t, "y")
				if err := p.terminate(40 * time.Second); err != nil {
					t.Errorf("stop: %v\n%s", err, tail(p.output.String()))
				}
				p.sound(t)
			})
		}
	}
}
