package campaign

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var keep = flag.String("keep", "", "archive to write a data directory or a bucket to, by the program of -binary, for later versions to open")

const keptDefinition = `{"fields":{
	"id":{"type":"string","primaryKey":true},
	"title":{"type":"string","matching":{"typoTolerance":{}}},
	"author":{"type":"string","filter":{},"facet":{},"sort":{}},
	"year":{"type":"int32","filter":{},"sort":{}},
	"price":{"type":"double","filter":{},"facet":{}},
	"published":{"type":"timestamp","filter":{}},
	"available":{"type":"boolean","filter":{}},
	"shop":{"type":"geo_point","filter":{}},
	"v":{"type":"vector","dimensions":4},
	"popularity":{"type":"double","signal":{}},
	"attributes":{"type":"object","fields":{"*":{"type":"string","filter":{}}}},
	"editions":{"type":"object","multiple":true,"mode":"nested","fields":{"format":{"type":"string","filter":{}},"pages":{"type":"int32","filter":{}}}}}}`

func keptDocument(i int) string {
	return fmt.Sprintf(`{"id":"%d","title":"A novel about winter number%d","author":"author %d","year":%d,"price":%d.5,"published":"19%02d-05-01T00:00:00Z",
		"available":%t,"shop":{"lat":%d,"lon":18},"v":[%d,1,0,0],"popularity":%d,"attributes":{"colour%d":"red"},
		"editions":[{"format":"hardback","pages":%d},{"format":"paperback","pages":%d}]}`,
		i, i, i%3, 1900+i, i, i, i%2 == 0, 20+i, i, i, i%5, 100+i, 200+i)
}

// writeKept fills the index of a kept directory: documents of two commits, changes
// between them, settings, a key, and changes that only the log holds.
func writeKept(t *testing.T, c *caller) {
	t.Helper()
	add := func(from, to int) {
		var documents []string
		for i := from; i < to; i++ {
			documents = append(documents, keptDocument(i))
		}
		c.must(t, "POST", "/indexes/books/documents", `{"documents":[`+strings.Join(documents, ",")+`]}`)
	}
	c.must(t, "PUT", "/admin/indexes/books", keptDefinition)
	c.must(t, "PUT", "/admin/indexes/books/settings", `{"synonyms":{"seasons":{"rules":[{"equivalent":["winter","snow"]}]}}}`)
	c.must(t, "POST", "/admin/keys", `{"description":"kept","grants":[{"role":"reader","indexes":["books"]}]}`)
	add(1, 31)
	c.must(t, "POST", "/admin/indexes/books/actions/commit", "")
	c.must(t, "DELETE", "/indexes/books/documents/3", "")
	c.must(t, "PATCH", "/indexes/books/documents/4", `{"author":"another","attributes.colour4":"blue"}`)
	add(31, 41)
	c.must(t, "POST", "/admin/indexes/books/actions/commit", "")
	add(41, 42)
	c.must(t, "DELETE", "/indexes/books/documents/5", "")
}

// readKept compares what a node answers from a kept directory with what was
// written.
func readKept(t *testing.T, c *caller, documents int) {
	t.Helper()
	for search, want := range map[string]int{
		`{}`: documents,
		`{"query":[{"type":"text","text":"novle"}]}`:                                                                              documents,
		`{"query":[{"type":"text","text":"snow"}]}`:                                                                               documents,
		`{"filters":[{"field":"author","match":{"value":"another"}}]}`:                                                            1,
		`{"filters":[{"field":"year","match":{"type":"range","gte":1901,"lte":1910}}]}`:                                           8,
		`{"filters":[{"field":"published","match":{"type":"range","lt":"1911-01-01T00:00:00Z"}}]}`:                                8,
		`{"filters":[{"field":"available","match":{"value":true}},{"field":"year","match":{"type":"range","lte":1940}}]}`:         20,
		`{"filters":[{"field":"attributes.colour4","match":{"value":"blue"}}]}`:                                                   1,
		`{"filters":[{"field":"shop","match":{"type":"distance","lat":30,"lon":18,"radius":1000}}]}`:                              1,
		`{"query":[{"type":"nested","path":"editions","clauses":[{"field":"editions.pages","match":{"value":110}}]}]}`:            1,
		`{"query":[{"type":"knn","field":"v","k":3,"vector":[1,0,0,0]}]}`:                                                         3,
		`{"sort":[{"field":"author"}],"signals":[{"field":"popularity","saturation":{"pivot":2}}],"facets":[{"field":"author"}]}`: documents,
	} {
		got := c.must(t, "POST", "/indexes/books/search", search)
		if !strings.Contains(string(got.body), fmt.Sprintf(`"count":%d,`, want)) {
			t.Errorf("%s: %s, want %d", search, got, want)
		}
	}
	for key, want := range map[string]string{"4": `"author":"another"`, "41": `"number41`, "1": `"pages":101`} {
		if got := c.must(t, "GET", "/indexes/books/documents/"+key, ""); !strings.Contains(strings.ReplaceAll(string(got.body), "winter number", `"number`), want) {
			t.Errorf("document %s: %s, want %s", key, got, want)
		}
	}
	for _, key := range []string{"3", "5"} {
		if got, err := c.send("GET", "/indexes/books/documents/"+key, asJSON, ""); err != nil || got.status != 404 {
			t.Errorf("document %s: %s %v", key, got, err)
		}
	}
	if got := c.must(t, "GET", "/admin/keys", ""); !strings.Contains(string(got.body), `"description":"kept"`) {
		t.Errorf("keys: %s", got)
	}
}

// Data directories that earlier versions wrote are opened, searched, changed and
// opened again. make upgrade lets the earlier version read what this one writes.
func TestKeptDirectoriesAreOpened(t *testing.T) {
	archives, err := filepath.Glob("testdata/kept/*.tar.gz")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no kept directory: %v", err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			directory := t.TempDir()
			unpackKept(t, archive, directory)
			p := start(t, directory)
			c := newCaller(p)
			c.must(t, "POST", "/admin/indexes/books/actions/commit", "")
			readKept(t, c, 39)
			c.must(t, "POST", "/indexes/books/documents", `{"documents":[`+keptDocument(42)+`,`+keptDocument(43)+`]}`)
			c.must(t, "DELETE", "/indexes/books/documents/42", "")
			p.kill()
			p = start(t, directory)
			c = newCaller(p)
			c.must(t, "POST", "/admin/indexes/books/actions/commit", "")
			readKept(t, c, 40)
			if err := p.terminate(time.Minute); err != nil {
				t.Fatal(err)
			}
			check(t, directory)
			p = start(t, directory)
			readKept(t, newCaller(p), 40)
			p.noPanic(t)
		})
	}
}

// TestKeepADirectory writes an archive for TestKeptDirectoriesAreOpened.
func TestKeepADirectory(t *testing.T) {
	if *keep == "" {
		t.Skip("writes a file: go test ./internal/campaign -run TestKeepADirectory -binary PROGRAM -keep $PWD/internal/campaign/testdata/kept/NAME.tar.gz")
	}
	directory := t.TempDir()
	p := start(t, directory, "SERVICE_INDEXES_COMMIT_MAX_INTERVAL=1h")
	writeKept(t, newCaller(p))
	p.kill()
	packKept(t, directory, *keep)
}

// packKept writes the regular files below a directory to an archive.
func packKept(t *testing.T, directory, archive string) {
	t.Helper()
	content := make(map[string][]byte)
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(directory, path)
		if err != nil {
			return err
		}
		content[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	writeArchive(t, archive, content)
}

func unpackKept(t *testing.T, archive, directory string) {
	t.Helper()
	for name, content := range readArchive(t, archive) {
		path := filepath.Join(directory, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// writeArchive packs contents under their names.
func writeArchive(t *testing.T, archive string, contents map[string][]byte) {
	t.Helper()
	file, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(file)
	out := tar.NewWriter(packed)
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(contents[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(contents[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), packed.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

func readArchive(t *testing.T, archive string) map[string][]byte {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	contents := make(map[string][]byte)
	for in := tar.NewReader(packed); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return contents
		}
		if err != nil {
			t.Fatal(err)
		}
		if contents[header.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}
