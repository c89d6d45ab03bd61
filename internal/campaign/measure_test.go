package campaign

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/internal/s3test"
)

var (
	measure = flag.Duration("measure", 0, "how long each measurement of writes takes; 0: nothing is measured")
	delay   = flag.Duration("delay", 0, "how long a request to the bucket takes beside what it takes anyway")
	corpus  = flag.String("corpus", "", "packed NDJSON whose texts are loaded to measure a start with an empty disk")
	texts   = flag.Int("texts", 1_000_000, "texts of the corpus that are loaded at most")
)

// meter passes requests on to the bucket and counts them.
type meter struct {
	*httptest.Server
	requests, bytes atomic.Int64
}

func newMeter(t *testing.T, to string) *meter {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	m := &meter{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // the host is signed
	}, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		m.bytes.Add(max(0, r.ContentLength))
		time.Sleep(*delay)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

// stored returns the variables of a node, and the meter of its requests to the
// bucket, which is nil in local mode.
func stored(t *testing.T, mode string) ([]string, *meter) {
	t.Helper()
	if mode == "local" {
		return nil, nil
	}
	server := s3test.Start(t)
	m := newMeter(t, server.URL)
	return []string{"SERVICE_STORAGE_MODE=object", "SERVICE_INDEXER_ENABLED=true", "SERVICE_STORAGE_REMOTE_URL=" + m.URL,
		"SERVICE_STORAGE_REMOTE_BUCKET=" + server.Bucket, "SERVICE_STORAGE_REMOTE_ACCESS_KEY=" + server.Access,
		"SERVICE_STORAGE_REMOTE_SECRET_KEY=" + server.Secret}, m
}

func (p *process) send(client *http.Client, method, path, kind string, body io.Reader) error {
	request, err := http.NewRequest(method, p.base+"/v1alpha1"+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Authorization", "Bearer "+rootKey)
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return nil
}

const textDefinition = `{"fields":{"id":{"type":"string","primaryKey":true},"text":{"type":"string","matching":{}}}}`

// TestMeasureWrites measures acknowledged writes of one document each, with one
// client and with many, in both modes, and what a commit costs in the bucket.
func TestMeasureWrites(t *testing.T) {
	if *measure == 0 {
		t.Skip("-measure is not set")
	}
	for _, mode := range []string{"local", "object"} {
		for _, clients := range []int{1, 64} {
			environment, m := stored(t, mode)
			p := start(t, t.TempDir(), environment...)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
			if err := p.send(client, "PUT", "/admin/indexes/books", "application/json", strings.NewReader(textDefinition)); err != nil {
				t.Fatal(err)
			}
			took := make([][]time.Duration, clients)
			var group sync.WaitGroup
			begun := time.Now()
			for i := range clients {
				group.Go(func() {
					for n := 0; time.Since(begun) < *measure; n++ {
						body := fmt.Sprintf(`{"documents":[{"id":"%d-%d","text":"a short text of number %d that somebody wrote"}]}`, i, n, n)
						sent := time.Now()
						if err := p.send(client, "POST", "/indexes/books/documents", "application/json", strings.NewReader(body)); err != nil {
							t.Error(err)
							return
						}
						took[i] = append(took[i], time.Since(sent))
					}
				})
			}
			group.Wait()
			all := slices.Sorted(slices.Values(slices.Concat(took...)))
			if len(all) == 0 {
				t.Fatal("nothing was written")
			}
			seconds := time.Since(begun).Seconds()
			t.Logf("%-6s %2d clients: %8.0f writes/s, p50 %7.2f ms, p99 %7.2f ms", mode, clients, float64(len(all))/seconds,
				ms(all[len(all)/2]), ms(all[len(all)*99/100]))
			if m != nil {
				t.Logf("%-6s %2d clients: %.2f requests and %.0f bytes a write, all told", mode, clients,
					float64(m.requests.Load())/float64(len(all)), float64(m.bytes.Load())/float64(len(all)))
				measureCommit(t, p, client, m)
			}
			if err := p.terminate(time.Minute); err != nil {
				t.Error(err)
			}
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// measureCommit commits a thousand documents at a time.
func measureCommit(t *testing.T, p *process, client *http.Client, m *meter) {
	t.Helper()
	const commits, documents = 10, 1000
	var requests, sent int64
	for c := range commits {
		var body bytes.Buffer
		for i := range documents {
			fmt.Fprintf(&body, "{\"id\":\"c%d-%d\",\"text\":\"a short text of number %d that somebody wrote\"}\n", c, i, i)
		}
		if err := p.send(client, "POST", "/indexes/books/documents", "application/x-ndjson", &body); err != nil {
			t.Fatal(err)
		}
		requests -= m.requests.Load()
		sent -= m.bytes.Load()
		if err := p.send(client, "POST", "/admin/indexes/books/actions/commit", "application/json", nil); err != nil {
			t.Fatal(err)
		}
		requests += m.requests.Load()
		sent += m.bytes.Load()
	}
	t.Logf("object a commit of %d documents: %.1f requests, %.0f bytes", documents, float64(requests)/commits, float64(sent)/commits)
}

// TestMeasureEmptyDisk loads a corpus in both modes and measures the time from the
// start of the process, in object mode with an empty disk, to the first answer.
func TestMeasureEmptyDisk(t *testing.T) {
	if *measure == 0 || *corpus == "" {
		t.Skip("-measure or -corpus is not set")
	}
	for _, mode := range []string{"local", "object"} {
		environment, _ := stored(t, mode)
		directory := filepath.Join(t.TempDir(), "disk")
		p := start(t, directory, environment...)
		client := &http.Client{}
		if err := p.send(client, "PUT", "/admin/indexes/books", "application/json", strings.NewReader(textDefinition)); err != nil {
			t.Fatal(err)
		}
		read, write := io.Pipe()
		var count, size int
		go func() { write.CloseWithError(unpack(write, &count, &size)) }()
		begun := time.Now()
		if err := p.send(client, "POST", "/indexes/books/documents", "application/x-ndjson", read); err != nil {
			t.Fatal(err)
		}
		if err := p.send(client, "POST", "/admin/indexes/books/actions/commit", "application/json", nil); err != nil {
			t.Fatal(err)
		}
		t.Logf("%-6s %d texts of %d MB loaded and committed in %.1f s", mode, count, size>>20, time.Since(begun).Seconds())
		if err := p.terminate(5 * time.Minute); err != nil {
			t.Fatal(err)
		}
		if mode == "object" {
			if err := os.RemoveAll(directory); err != nil {
				t.Fatal(err)
			}
		}
		begun = time.Now()
		p = start(t, directory, environment...)
		ready := time.Since(begun)
		if err := p.send(client, "POST", "/indexes/books/search", "application/json", strings.NewReader(`{"query":[{"type":"text","text":"fix"}],"limit":10}`)); err != nil {
			t.Error(err)
		}
		t.Logf("%-6s ready after %.2f s, first answer after %.2f s", mode, ready.Seconds(), time.Since(begun).Seconds())
		if err := p.terminate(time.Minute); err != nil {
			t.Error(err)
		}
	}
}

// unpack writes the texts of the corpus as documents.
func unpack(w io.Writer, count, size *int) error {
	file, err := os.Open(*corpus)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder, err := zstd.NewReader(file)
	if err != nil {
		return err
	}
	defer decoder.Close()
	lines := bufio.NewScanner(decoder)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() && *count < *texts {
		var members map[string]any
		if err := json.Unmarshal(lines.Bytes(), &members); err != nil {
			return err
		}
		var text strings.Builder
		for _, member := range members {
			if s, ok := member.(string); ok {
				text.WriteString(s + "\n")
			}
		}
		line, err := json.Marshal(map[string]string{"id": fmt.Sprint(*count), "text": text.String()})
		if err != nil {
			return err
		}
		*count++
		*size += len(line)
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}
