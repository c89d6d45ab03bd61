package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put sends a body and expects success.
func put(t *testing.T, url, body string) {
	t.Helper()
	request, err := http.NewRequest("PUT", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode >= 300 {
		t.Fatal(response, err)
	}
	response.Body.Close()
}

func TestADumpIsRestoredAsItWas(t *testing.T) {
	node := serveNode(t)
	file := write(t, "shop.csv", shopCSV)
	if code, _, err := run(nil, "load", file, "--url", node); code != exitDone {
		t.Fatal(err)
	}
	put(t, node+"/v1alpha1/admin/indexes/shop/settings", `{"synonyms":{"default":{"rules":[]}}}`)
	for _, name := range []string{"shop.ndjson", "shop.ndjson.zst"} {
		dump := filepath.Join(t.TempDir(), name)
		if code, _, err := run(nil, "dump", "shop", "-o", dump, "--url", node); code != exitDone || err != "3 documents of shop\n" {
			t.Fatalf("%d %s", code, err)
		}
		other := strings.ReplaceAll(name, ".", "-")
		if code, _, err := run(nil, "restore", dump, "--index", other, "--url", node); code != exitDone || !strings.Contains(err, "3 documents added to "+other) {
			t.Fatalf("%d %s", code, err)
		}
		_, first, _ := run(nil, "dump", "shop", "--url", node)
		_, second, _ := run(nil, "dump", other, "--url", node)
		if strings.ReplaceAll(second, `"index":"`+other+`"`, `"index":"shop"`) != first || strings.Count(first, "\n") != 5 || !strings.Contains(first, `"synonyms"`) {
			t.Errorf("restored:\n%s\ndumped:\n%s", second, first)
		}
		if code, _, err := run(nil, "restore", dump, "--index", other, "--url", node); code != exitRefused || !strings.Contains(err, "exists") {
			t.Errorf("over an index: %d %s", code, err)
		}
	}
}

func TestADumpThatWasCutOffIsNoticed(t *testing.T) {
	node := serveNode(t)
	header := `{"quire":"dump","version":1,"index":"i","definition":{"fields":{"id":{"type":"string","role":"id"}}}}` + "\n"
	for name, c := range map[string]struct {
		content, says string
		code          int
	}{
		"cut":   {header + `{"id":"a"}` + "\n", "cut off after 1 documents", exitFailed},
		"count": {header + `{"id":"a"}` + "\n" + `["end",2]` + "\n", "should hold 2", exitFailed},
		"newer": {strings.Replace(header, `"version":1`, `"version":9`, 1), "of version 9", exitRefused},
		"more":  {header + `["end",0]` + "\n" + header + `["end",0]` + "\n", "more follows the end", exitFailed},
		"other": {`{"id":"a"}` + "\n", "is not a dump", exitRefused},
		"csv":   {"a,b\n1,2\n", "is not a dump", exitRefused},
	} {
		file := write(t, name, c.content)
		if code, _, err := run(nil, "restore", file, "--index", name, "--url", node); code != c.code || !strings.Contains(err, c.says) {
			t.Errorf("%s: %d %s", name, code, err)
		}
	}
	missing := filepath.Join(t.TempDir(), "x")
	if code, _, err := run(nil, "dump", "none", "-o", missing, "--url", node); code != exitFailed || !strings.Contains(err, "none") {
		t.Errorf("%d %s", code, err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a file was written")
	}
}

// Settings and definitions may be longer than the beginning that Open inspects.
func TestADumpWithALongHeaderIsRestored(t *testing.T) {
	node := serveNode(t)
	put(t, node+"/v1alpha1/admin/indexes/long", `{"fields":{"id":{"type":"string","role":"id"},"c":{"type":"string","role":"tag"}}}`)
	var values strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&values, `%s{"value":"v%d","labels":{"en":"%s"}}`, map[bool]string{true: "", false: ","}[i == 0], i, strings.Repeat("label ", 80))
	}
	put(t, node+"/v1alpha1/admin/indexes/long/settings", `{"fields":{"c":{"values":[`+values.String()+`]}}}`)
	dump := filepath.Join(t.TempDir(), "long.zst")
	if code, _, err := run(nil, "dump", "long", "-o", dump, "--url", node); code != exitDone {
		t.Fatal(err)
	}
	if code, _, err := run(nil, "restore", dump, "--index", "again", "--url", node); code != exitDone {
		t.Errorf("%d %s", code, err)
	}
}

// A failed dump keeps an earlier one of the same name.
func TestAFailedDumpKeepsTheEarlierOne(t *testing.T) {
	breaks := true
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/settings"):
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":"settings:not_found","errors":[{"code":"settings:not_found"}]}`)
		case strings.HasSuffix(r.URL.Path, "/documents"):
			_, _ = io.WriteString(w, `{"id":"1"}`+"\n")
			if breaks {
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
		default:
			_, _ = io.WriteString(w, `{"name":"books","definition":{}}`)
		}
	}))
	defer node.Close()
	dump := write(t, "books.dump", "the dump of yesterday")
	if code, _, err := run(nil, "dump", "books", "-o", dump, "--url", node.URL); code != exitFailed {
		t.Errorf("%d %s", code, err)
	}
	if kept, err := os.ReadFile(dump); err != nil || string(kept) != "the dump of yesterday" {
		t.Errorf("%q %v", kept, err)
	}
	breaks = false
	if code, _, err := run(nil, "dump", "books", "-o", dump, "--url", node.URL); code != exitDone {
		t.Errorf("%d %s", code, err)
	}
	if found, err := os.Stat(dump); err != nil || found.Mode().Perm() != 0o600 || found.Size() < 30 {
		t.Errorf("%v %v", found, err)
	}
	if all, err := os.ReadDir(filepath.Dir(dump)); err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
}

func TestHelpVersionAndCompletion(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		code      int
		says      string
	}{
		{[]string{"help"}, exitDone, "load <file>"},
		{[]string{"help", "load"}, exitDone, "--rejects"},
		{[]string{"help", "locale-data", "build"}, exitDone, "--hunspell"},
		{[]string{"--version"}, exitDone, "quire "},
		{[]string{"completion", "bash"}, exitDone, "complete -o default -F _quire quire"},
		{[]string{"completion", "zsh"}, exitDone, "bashcompinit"},
		{[]string{"completion", "fish"}, exitDone, "-l rejects"},
	} {
		if code, out, err := run(nil, c.arguments...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v: %d %s %s", c.arguments, code, out, err)
		}
	}
	if code, _, err := run(nil, "help", "fly"); code != exitRefused || !strings.Contains(err, "fly") {
		t.Errorf("%d %s", code, err)
	}
}
