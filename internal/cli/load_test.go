package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/config"
	"github.com/quiresearch/quire/internal/server"
)

// serveNode runs a node without credentials until the test ends.
func serveNode(t *testing.T) string {
	t.Helper()
	loaded, err := config.Load([]string{"SERVICE_STORAGE_LOCAL_DIRECTORY=" + t.TempDir(), "SERVICE_HTTP_PORT=0", "SERVICE_HTTP_HOST=127.0.0.1", "SERVICE_AUTH_MODE=none"}, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	listening, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- server.Run(ctx, loaded, server.NewLog(config.Log{Level: "error"}, io.Discard), func(a net.Addr) { listening <- a })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case err := <-ended:
		ended <- err
		t.Fatal(err)
		return ""
	case address := <-listening:
		return "http://" + address.String()
	}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const shopCSV = "\ufeffArtikel;Name;Preis (EUR);Seit;Lieferbar\n" +
	"A1;Rotes Kleid für den Sommer;1.234,50;31.12.2024;ja\n" +
	"A2;Blaues Hemd mit langem Arm;19,90;1.2.2024;nein\n" +
	"A3;Grüne Hose aus der Werkstatt;7,00;15.3.2024;ja\n"

// TestNamesOfFiles checks the index names and key prefixes derived from file names.
func TestNamesOfFiles(t *testing.T) {
	for _, c := range [][3]string{
		{"-", "documents", "documents"},
		{"Orders.csv", "orders", "orders"},
		{"data/orders.ndjson.GZ", "orders", "orders"},
		{"sales.2023.csv", "sales", "sales-2023"},
		{"sales.2024.csv.zst", "sales", "sales-2024"},
		{"_größe_.tsv", "gr--e", "gr--e"},
		{".csv", "documents", "documents"},
	} {
		if index, prefix := indexName(c[0]), keyPrefix(c[0]); index != c[1] || prefix != c[2] {
			t.Errorf("%s: %s and %s, want %s and %s", c[0], index, prefix, c[1], c[2])
		}
	}
}

func TestAFileIsLoadedAndSearchedByTwoCommands(t *testing.T) {
	node := serveNode(t)
	file := write(t, "Shop Artikel.csv", shopCSV)
	code, _, err := run(nil, "load", file, "--url", node)
	if code != exitDone {
		t.Fatalf("%d %s", code, err)
	}
	for _, want := range []string{`separated by ";"; encoded as UTF-8 with a byte order mark`, "preis (Preis (EUR)): double, decimal comma, header names EUR",
		"3 rows read, 3 added to shop-artikel.", "quire search shop-artikel", node + "/console/"} {
		if !strings.Contains(err, want) {
			t.Errorf("the output lacks %q:\n%s", want, err)
		}
	}
	if code, out, err := run([]string{"QUIRE_URL=" + node}, "search", "shop-artikel", "klied"); code != exitDone || !strings.Contains(out, "Rotes Kleid") ||
		!strings.Contains(out, "preis: 1234.50") || !strings.Contains(out, "Seit: 2024-12-31T00:00:00Z") {
		t.Errorf("%d %s %s", code, out, err)
	}
	// Loading the same file again replaces the same documents.
	code, _, err = run(nil, "load", file, "--url", node)
	if code != exitDone || !strings.Contains(err, "The index shop-artikel exists") {
		t.Errorf("again: %d %s", code, err)
	}
	if _, out, _ := run(nil, "search", "shop-artikel", "--url", node, "--limit", "0"); out != "0 of 3 hits\n" {
		t.Errorf("after loading twice: %s", out)
	}
}

// TestASearchSaysHowItsTextWasRead checks that quire search asks in the language of the
// index, and reports what it read and left out.
func TestASearchSaysHowItsTextWasRead(t *testing.T) {
	node := serveNode(t)
	if code, _, err := run(nil, "load", write(t, "mode.csv", shopCSV), "--url", node); code != exitDone {
		t.Fatalf("%d %s", code, err)
	}
	_, out, _ := run(nil, "search", "mode", "zzzz kleid hose unter 50", "--url", node)
	if !strings.HasPrefix(out, " 1. Grüne Hose") || !strings.HasSuffix(out, `1 of 1 hit
"unter 50" was read as preis < 50
"zzzz" was left out: it is in no document
"kleid" was left out: no document has all words
`) {
		t.Errorf("%s", out)
	}
}

func TestRefusedRowsAreListedAndWritten(t *testing.T) {
	node := serveNode(t)
	var content strings.Builder
	content.WriteString("id,name,price\n")
	for i := range 200 {
		fmt.Fprintf(&content, "%d,thing number %d,%d.5\n", i, i, i)
	}
	content.WriteString("900,broken,cheap\n901,too,many,cells\n")
	file, rejects := write(t, "things.csv", content.String()), filepath.Join(t.TempDir(), "rejects.ndjson")
	code, _, err := run(nil, "load", file, "--url", node, "--rejects", rejects)
	if code != exitPartly || !strings.Contains(err, `row 201, price: "cheap": it is not a number`) || !strings.Contains(err, "202 rows read, 200 added to things, 2 refused.\nCorrect the refused rows or the definition, then run the same command again") {
		t.Errorf("%d %s", code, err)
	}
	written, failure := os.ReadFile(rejects)
	if failure != nil || strings.Count(string(written), "\n") != 2 || !strings.Contains(string(written), `"row":201,"column":"price","value":"cheap"`) ||
		!strings.Contains(string(written), `"document":{"id":"900"`) {
		t.Errorf("%v %s", failure, written)
	}
}

// Refusals of the node for documents of an existing index are reported by row
// and column.
func TestRefusalsOfTheNodeNameTheRow(t *testing.T) {
	node := serveNode(t)
	definition := `{"fields":{"id":{"type":"string","role":"id"},"n":{"type":"int32","filter":{},"validation":{"max":5}}}}`
	request, err := http.NewRequest("PUT", node+"/v1alpha1/admin/indexes/small", strings.NewReader(definition))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(request); err != nil || response.StatusCode != 201 {
		t.Fatal(response, err)
	}
	code, _, out := run(nil, "load", write(t, "x.csv", "ID,N,extra\na,1,x\nb,9,y\n"), "--index", "small", "--url", node)
	if code != exitPartly || !strings.Contains(out, "row 2, n") || !strings.Contains(out, "extra is left out") {
		t.Errorf("%d %s", code, out)
	}
}

// Everyday files are loaded without losing rows silently: cells may hold JSON, and
// everything that the output does not report is in the index.
func TestEverydayFiles(t *testing.T) {
	node := serveNode(t)
	var wide strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&wide, `%s"c%d":"x"`, map[bool]string{true: "{", false: ","}[i == 0], i)
	}
	wide.WriteString("}\n")
	for _, c := range []struct {
		name, content string
		code          int
		want          string // of the output
		document      string // expected in the index
	}{
		{"lists.csv", "id,tags\n1,\"[\"\"a\"\",\"\"b\"\"]\"\n2,\"[\"\"c\"\"]\"\n", exitDone, "2 rows read, 2 added", `"tags":["a","b"]`},
		{"objects.csv", "id,meta\n1,\"{\"\"x\"\":1}\"\n2,\"{\"\"x\"\":2}\"\n", exitDone, "2 rows read, 2 added", `"meta":{"x":1}`},
		{"open.csv", "id,name\n1,a thing\n2,\"b thing\n3,c thing\n", exitPartly, "open.csv, row 2: \"2,\\\"b thing\": a quotation mark is not closed", `{"id":"3","name":"c thing"}`},
		{"wide.ndjson", wide.String(), exitDone, "1 rows read, 1 added", `"c1":"x"`},
		{"title.csv", "# exported today\nid,name\n1,x\n", exitRefused, `no row can be read: `, ""},
		{"bytes.ndjson", "{\"id\":\"1\"}\n" + strings.Repeat("\n", 1<<20) + "{\"id\":\"2\",\"name\":\"caf\xe9\"}\n{\"id\":\"3\",\"id\":\"3\"}\n", exitPartly, "2 refused", `"id":"1"`},
	} {
		rejects := filepath.Join(t.TempDir(), "rejects.ndjson")
		name := strings.TrimSuffix(c.name, filepath.Ext(c.name))
		code, _, out := run(nil, "load", write(t, c.name, c.content), "--url", node, "--rejects", rejects)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: %d %s", c.name, code, out)
		}
		if c.document == "" {
			continue
		}
		response, err := http.Get(node + "/v1alpha1/indexes/" + name + "/documents")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(body), c.document) {
			t.Errorf("%s: %s %v", c.name, body, err)
		}
		written, err := os.ReadFile(rejects)
		if refused := strings.Count(out, ", row "); err != nil || strings.Count(string(written), "\n") != refused {
			t.Errorf("%s: %d of %d refusals are in the file: %s %v", c.name, strings.Count(string(written), "\n"), refused, written, err)
		}
	}
	code, _, out := run(nil, "load", write(t, "lists.csv", "id,tags\n2,\"[\"\"c\"\"]\"\n3,\n"), "--url", node)
	if code != exitDone || !strings.Contains(out, "The index holds 3 documents, 2 before: 1 rows had a key that was there already, and replaced it.") {
		t.Errorf("over what is there: %d %s", code, out)
	}
}

// Untrusted documents and files cannot control the terminal.
func TestControlCharactersAreNotPrinted(t *testing.T) {
	node := serveNode(t)
	file := write(t, "colours.csv", "id,na\x1b[31mme,title\n1,\x1b]0;x\x07y,\x1b[2Jred\u202eshoes\n2,y,\"blue\rshoes\"\n3,too,many,cells\n")
	_, out, err := run(nil, "load", file, "--url", node)
	_, hits, _ := run(nil, "search", "colours", "--url", node)
	_, _, failed := run(nil, "search", "no\x1b[2Jne", "--url", node)
	if text := out + err + hits + failed; strings.ContainsAny(text, "\x1b\x07\r\u202e") || !strings.Contains(hits, "\ufffd[2Jred\ufffdshoes") {
		t.Errorf("%q", text)
	}
}

func TestADraftIsWrittenAndNothingCreated(t *testing.T) {
	target := filepath.Join(t.TempDir(), "definition.json")
	code, _, err := run(nil, "load", write(t, "shop.csv", shopCSV), "--draft", target, "--url", "http://127.0.0.1:1")
	written, failure := os.ReadFile(target)
	if code != exitDone || failure != nil || !strings.Contains(string(written), `"unit": "EUR"`) || !strings.Contains(err, "Seit: timestamp") {
		t.Errorf("%d %s %v %s", code, err, failure, written)
	}
	if code, out, _ := run(nil, "load", write(t, "shop.csv", shopCSV), "--draft", "-"); code != exitDone || !strings.HasPrefix(out, "{\n  \"fields\"") {
		t.Errorf("%d %s", code, out)
	}
}

// Only a node that responded before is worth waiting for.
func TestWithoutANodeCommandsFailAtOnce(t *testing.T) {
	code, _, err := run(nil, "load", write(t, "shop.csv", shopCSV), "--url", "http://127.0.0.1:1")
	if code != exitFailed || !strings.Contains(err, "no node responds at http://127.0.0.1:1") {
		t.Errorf("%d %s", code, err)
	}
	dump := write(t, "i.ndjson", `{"quire":"dump","version":1,"index":"i","definition":{"fields":{}}}`+"\n"+`{"documents":0}`+"\n")
	for _, arguments := range [][]string{{"dump", "shop"}, {"restore", dump}, {"search", "shop", "hose"}, {"evaluate", "shop", "set"}} {
		began := time.Now()
		code, _, err := run(nil, append(arguments, "--url", "http://127.0.0.1:1")...)
		if code != exitFailed || !strings.Contains(err, "no node responds at http://127.0.0.1:1") || !strings.Contains(err, "--url") {
			t.Errorf("%v: %d %s", arguments, code, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%v took %v", arguments, took)
		}
	}
	for _, arguments := range [][]string{{"load", filepath.Join(t.TempDir(), "none.csv")}, {"load", write(t, "x.csv", "a\n1\n"), "--index", "No"}, {"load", write(t, "x.csv", "a\n1\n"), "--url", "ftp://x"}} {
		if code, _, err := run(nil, arguments...); code != exitRefused {
			t.Errorf("%v: %d %s", arguments, code, err)
		}
	}
}

// LD2: a connection that breaks after a batch and a node that is temporarily
// unavailable lose nothing and add nothing twice, even if rows have no key.
func TestALostConnectionAddsNothingTwice(t *testing.T) {
	node := serveNode(t)
	target, err := url.Parse(node)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	var adds atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/documents") {
			forward.ServeHTTP(w, r)
			return
		}
		switch adds.Add(1) % 3 {
		case 1: // processed, but the response is lost
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(proxy.Close)
	var content strings.Builder
	const rows = 12_000 // three batches of 8 MB
	padding := strings.Repeat("word ", 350)
	for i := range rows {
		fmt.Fprintf(&content, "{\"text\":\"a note about %d %s\"}\n", i%100, padding)
	}
	code, _, out := run(nil, "load", write(t, "notes.ndjson", content.String()), "--url", proxy.URL)
	if code != exitDone || !strings.Contains(out, "rows get a key of their own") || !strings.Contains(out, "12,000 added") {
		t.Fatalf("%d %s", code, out)
	}
	if _, out, _ := run(nil, "search", "notes", "--limit", "0", "--url", node); out != "0 of 12,000 hits\n" {
		t.Errorf("%s", out)
	}
}

// TestMessagesNameTheDirectoryOfTheNode checks that the place of the data is the one that
// the node uses.
func TestMessagesNameTheDirectoryOfTheNode(t *testing.T) {
	for _, c := range [][2]string{{"", "./quire-data"}, {"data", "./data"}, {"../data", "../data"}} {
		s := &surroundings{environment: []string{"SERVICE_STORAGE_LOCAL_DIRECTORY=" + c[0]}}
		if got := s.dataDirectory(); got != c[1] {
			t.Errorf("%q: %s, want %s", c[0], got, c[1])
		}
	}
}
