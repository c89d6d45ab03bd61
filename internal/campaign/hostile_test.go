package campaign

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// raw sends bytes on its own connection and returns the answer.
func raw(t *testing.T, p *process, request string) (status int, header http.Header, body string) {
	t.Helper()
	connection := dial(t, p)
	_, _ = io.WriteString(connection, request)
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatalf("%.80q: %v", request, err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, string(text)
}

func dial(t *testing.T, p *process) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	_ = connection.SetDeadline(time.Now().Add(time.Minute))
	return connection
}

// meters returns the meters of the node.
func meters(t *testing.T, p *process) string {
	t.Helper()
	answer, err := http.Get(p.base + "/q/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// noPanic checks S26: the process did not catch a panic either.
func (p *process) noPanic(t *testing.T) {
	t.Helper()
	if found := regexp.MustCompile(`(?m)^service_api_panic_total ([1-9].*)$`).FindString(meters(t, p)); found != "" {
		t.Errorf("%s\n%s", found, tail(p.output.String()))
	}
	p.sound(t)
}

// S9: at the most verbose log level, secrets and documents are in no log, meter or
// error, and secrets are not in storage.
func TestSecretsAreNowhere(t *testing.T) {
	directory := t.TempDir()
	p := start(t, directory, append(quick, "SERVICE_LOG_LEVEL=DEBUG", "SERVICE_HTTP_ACCESS_LOG=true")...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	created := c.must(t, "POST", "/admin/keys", `{"grants":[{"permissions":["search"],"indexes":["x"]}]}`)
	match := regexp.MustCompile(`"key":"([^"]+)"|"(?:secret|credential)":"([^"]+)"`).FindSubmatch(created.body)
	if match == nil {
		t.Fatalf("no credential in %s", created.body)
	}
	credential := string(match[1]) + string(match[2])
	// The secret may contain _ itself: it is everything after the second one.
	parts := strings.SplitN(credential, "_", 3)
	if len(parts) != 3 || len(parts[2]) < 40 {
		t.Fatalf("%d parts of a credential, or a short secret", len(parts))
	}
	secret := parts[2]
	const document, wrong = "canary-document-words", "canary-wrong-credential"
	var errors strings.Builder
	send := func(method, path, body string, headers ...string) {
		got, err := c.send(method, path, asJSON, body, headers...)
		if err != nil {
			t.Fatal(err)
		}
		if got.status >= 400 {
			errors.Write(got.body)
		}
	}
	for _, body := range []string{
		`{"version":1,"title":"` + document + `"}`, `{"version":1,"title":"` + document + `"`, `{"version":"` + document + `"}`,
		`{"version":1,"title":["` + document + `"]}`, `{"` + document + `":1}`, `{"version":1,"title":"` + document + `","title":1}`,
	} {
		send("PUT", "/indexes/x/documents/1", body)
		send("PATCH", "/indexes/x/documents/1", body)
		send("POST", "/indexes/x/documents", `{"documents":[`+body+`]}`)
		send("POST", "/indexes/x/search", body)
		send("PUT", "/admin/indexes/x/settings", body)
		send("POST", "/admin/keys", body)
	}
	send("POST", "/admin/indexes/x/actions/commit", "")
	send("POST", "/indexes/x/search", `{"query":[{"type":"text","text":"`+document+`"}]}`, "Authorization", "Bearer "+credential)
	for _, authorization := range []string{"Bearer " + wrong, "Basic " + wrong, wrong, "Bearer quire_0123456789abcdef_" + wrong, "Bearer " + credential + "x", "Bearer " + rootKey + " "} {
		send("GET", "/admin/indexes", "", "Authorization", authorization)
		send("GET", "/admin/indexes?x="+"%zz", "", "Authorization", authorization)
	}
	raw(t, p, "GET /%zz HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "+wrong+"\r\n\r\n")
	raw(t, p, "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "+wrong+"\r\nBad Header: "+wrong+"\r\n\r\n")
	measured := meters(t, p)
	p.noPanic(t)
	if err := p.terminate(40 * time.Second); err != nil {
		t.Fatal(err)
	}
	for what, canary := range map[string]string{"root key": rootKey, "credential": secret, "wrong credential": wrong, "document": document} {
		for where, text := range map[string]string{"log": p.output.String(), "meters": measured, "errors": errors.String()} {
			if strings.Contains(text, canary) && (what != "document" || where != "errors") {
				at := strings.Index(text, canary)
				t.Errorf("%s in the %s: %s", what, where, text[max(0, at-150):min(len(text), at+150)])
			}
		}
	}
	err := filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		for _, canary := range []string{secret, rootKey, wrong} {
			if strings.Contains(string(content), canary) {
				t.Errorf("%s holds a secret", name)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// S14: slow clients of every kind keep no other client waiting, and those that send
// no header, or no body to a handler that reads none, are cut off.
func TestSlowClients(t *testing.T) {
	p := start(t, t.TempDir(), quick...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	each := *slow / 3
	authorized := "Host: h\r\nAuthorization: Bearer " + rootKey + "\r\nContent-Type: application/json\r\n"
	var silent []net.Conn
	for range each { // this many of each kind
		header := dial(t, p)
		_, _ = io.WriteString(header, "GET /q/health/live HTTP/1.1\r\nHost")
		silent = append(silent, header)
		for _, request := range []string{"GET /console/", "OPTIONS *"} { // not served by the API
			unsent := dial(t, p)
			_, _ = io.WriteString(unsent, request+" HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n{")
			silent = append(silent, unsent)
		}
		body := dial(t, p)
		_, _ = io.WriteString(body, "POST /v1alpha1/indexes/x/documents HTTP/1.1\r\n"+authorized+"Content-Length: 100000\r\n\r\n{\"doc")
		reader := dial(t, p)
		_, _ = io.WriteString(reader, strings.Repeat("GET /q/openapi HTTP/1.1\r\nHost: h\r\n\r\n", 50))
	}
	slowest := time.Duration(0)
	for range 50 {
		began := time.Now()
		answer, err := http.Get(p.base + "/q/health/live")
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("health beside slow clients: %v %v", answer, err)
		}
		answer.Body.Close()
		slowest = max(slowest, time.Since(began))
	}
	c.must(t, "PUT", "/indexes/x/documents/1", `{"version":1}`)
	c.must(t, "POST", "/indexes/x/search", `{}`)
	for _, connection := range silent {
		// The connection ends, possibly after a refusal.
		if _, err := io.Copy(io.Discard, connection); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Fatalf("a client without header or body is kept: %v", err)
		}
	}
	t.Logf("slowest health beside %d slow clients: %v", 5*each, slowest)
	p.noPanic(t)
}

// S15: bodies that never end are cut at their bound and cost no memory.
func TestEndlessBodies(t *testing.T) {
	p := start(t, t.TempDir(), append(quick, "SERVICE_API_MAX_BODY_SIZE=1M", "SERVICE_API_MAX_STREAM_BODY_SIZE=8M")...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	for _, test := range []struct{ path, contentType, first, rest string }{
		{"/indexes/x/documents", asJSON, `{"documents":[`, strings.Repeat(" ", 8192)},
		{"/indexes/x/documents", asJSON, `{"documents":[`, strings.Repeat(`{"id":"1"},`, 500)},
		{"/indexes/x/search", asJSON, `{"query":[`, strings.Repeat("[", 8192)},
		{"/indexes/x/documents", asLines, `{"id":"1","title":"`, strings.Repeat("x", 8192)},
		{"/indexes/x/documents", asLines, "", strings.Repeat("{\"id\":\"1\"}\n", 500)},
		{"/indexes/x/documents", asLines, "", strings.Repeat("\n", 8192)},
		{"/admin/keys", asJSON, `{"name":"`, strings.Repeat("x", 8192)},
		{"/indexes/x/suggest", asJSON, ``, strings.Repeat(" ", 8192)},
	} {
		connection := dial(t, p)
		go func() {
			fmt.Fprintf(connection, "POST /v1alpha1%s HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n",
				test.path, rootKey, test.contentType)
			for piece := test.first; ; piece = test.rest {
				if piece == "" {
					continue
				}
				if _, err := fmt.Fprintf(connection, "%x\r\n%s\r\n", len(piece), piece); err != nil {
					return
				}
			}
		}()
		answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Errorf("%s %.20q: %v", test.path, test.rest, err)
			continue
		}
		text, _ := io.ReadAll(answer.Body)
		if answer.StatusCode != 413 && answer.StatusCode != 400 {
			t.Errorf("%s %.20q: %d %.200s", test.path, test.rest, answer.StatusCode, text)
		}
		connection.Close()
	}
	if used := resident(t, p); used > 600<<20 {
		t.Errorf("%d MB in use", used>>20)
	}
	p.noPanic(t)
}

// resident returns the memory of a process.
func resident(t *testing.T, p *process) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		t.Skip("needs /proc")
	}
	match := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
	if match == nil {
		t.Fatalf("no VmRSS in %s", text)
	}
	kilobytes, _ := strconv.ParseInt(string(match[1]), 10, 64)
	return kilobytes << 10
}

// S19: a thousand reads that wait for one write cost a handful of commits, and
// tokens and cursors that no node issued are refused by name.
func TestTokensAreHostile(t *testing.T) {
	p := start(t, t.TempDir(), "SERVICE_INDEXES_COMMIT_MAX_INTERVAL=0", "SERVICE_INDEXES_COMMIT_MAX_CHANGES=0")
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	counted := regexp.MustCompile(`(?m)^service_commit_seconds_count\{.*\} (\d+)`)
	commits := func() (sum int) {
		for _, match := range counted.FindAllStringSubmatch(meters(t, p), -1) {
			n, _ := strconv.Atoi(match[1])
			sum += n
		}
		return sum
	}
	before := commits()
	const rounds = 5
	for round := range rounds {
		token := c.must(t, "PUT", "/indexes/x/documents/1", fmt.Sprintf(`{"version":%d}`, round)).token()
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				for range 50 {
					got, err := c.send("GET", "/indexes/x/documents/1", "", "", "X-Service-Freshness", token)
					if err != nil || got.status != 200 || !strings.Contains(string(got.body), fmt.Sprintf(`"version":%d`, round)) {
						t.Errorf("%v %s", err, got)
						return
					}
				}
			})
		}
		group.Wait()
	}
	if made := commits() - before; made > 2*rounds {
		t.Errorf("%d reads with a token made %d commits", rounds*1000, made)
	}
	honest := c.must(t, "PUT", "/indexes/x/documents/1", `{"version":9}`).token()
	hostile := []string{"x", "AQ", strings.Repeat("A", 100000), honest + "A", honest[:len(honest)-2], "AQEQ" + strings.Repeat("_", 40), "%00", "é"}
	for i := range len(honest) {
		hostile = append(hostile, honest[:i]+"z"+honest[i+1:])
	}
	for _, token := range hostile {
		for _, request := range [][3]string{
			{"POST", "/indexes/x/search", fmt.Sprintf(`{"freshness":{"atLeast":%q}}`, token)},
			{"POST", "/indexes/x/suggest", fmt.Sprintf(`{"text":"a","freshness":{"atLeast":%q}}`, token)},
			{"POST", "/indexes/x/search", fmt.Sprintf(`{"after":%q}`, token)},
			{"POST", "/indexes/x/search", fmt.Sprintf(`{"before":%q,"sort":[{"field":"version"}]}`, token)},
		} {
			got, err := c.send(request[0], request[1], asJSON, request[2])
			if err != nil || got.status >= 500 && got.code() != "search:freshness:unavailable" {
				t.Errorf("%.60q: %v %s", token, err, got)
			}
		}
	}
	p.noPanic(t)
}

// S20: the number of series does not grow with invented names.
func TestSeriesAreBounded(t *testing.T) {
	p := start(t, t.TempDir(), "SERVICE_METRICS_INDEX_SEARCH_HISTOGRAM=true")
	c := newCaller(p)
	ask := func(from, to int) {
		var group sync.WaitGroup
		for worker := range 8 {
			group.Go(func() {
				for i := from + worker; i < to; i += 8 {
					_, _ = c.send("POST", fmt.Sprintf("/indexes/made-up-%d/search", i), asJSON, `{}`)
					_, _ = c.send("POST", fmt.Sprintf("/indexes/made-up-%d/suggest", i), asJSON, `{"text":1}`)
					_, _ = c.send("GET", fmt.Sprintf("/made/up/%d", i), "", "")
					_, _ = c.send(fmt.Sprintf("M%d", i), "/admin/indexes", "", "")
				}
			})
		}
		group.Wait()
	}
	ask(0, 200)
	before := strings.Count(meters(t, p), "\n")
	ask(200, 3400)
	after := meters(t, p)
	if lines := strings.Count(after, "\n"); lines > before+300 {
		t.Errorf("%d lines of meters became %d", before, lines)
	}
	if strings.Contains(after, "made-up-3000") {
		t.Error("an index that does not exist has a series")
	}
	p.noPanic(t)
}
