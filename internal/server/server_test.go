package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/config"
)

var quiet = slog.New(slog.DiscardHandler)

func load(t *testing.T, entries ...string) *config.Config {
	t.Helper()
	loaded, err := config.Load(append([]string{"SERVICE_HTTP_HOST=127.0.0.1", "SERVICE_HTTP_PORT=0", "SERVICE_AUTH_ROOT_KEY=k"}, entries...), false)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// start runs a node and returns its address and a function that stops it.
func start(t *testing.T, c *config.Config) (base string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	listening, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() { ended <- Run(ctx, c, quiet, func(a net.Addr) { listening <- a }) }()
	select {
	case address := <-listening:
		return "http://" + address.String(), func() error {
			cancel()
			return <-ended
		}
	case err := <-ended:
		cancel()
		t.Fatalf("start: %v", err)
		return "", nil
	}
}

func TestASecondProcessCannotUseTheDirectory(t *testing.T) {
	c := load(t, "SERVICE_STORAGE_LOCAL_DIRECTORY="+t.TempDir())
	_, stop := start(t, c)
	if err := Run(context.Background(), c, quiet, nil); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "SERVICE_STORAGE_LOCAL_DIRECTORY") {
		t.Errorf("got %v", err)
	}
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	_, stop = start(t, c)
	if err := stop(); err != nil {
		t.Errorf("stop again: %v", err)
	}
}

func TestAPortInUseIsRefusedByName(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	c := load(t, "SERVICE_STORAGE_LOCAL_DIRECTORY="+t.TempDir(), "SERVICE_HTTP_PORT="+port)
	if err := Run(context.Background(), c, quiet, nil); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "SERVICE_HTTP_PORT") {
		t.Errorf("got %v", err)
	}
}

func TestACertificateThatCannotBeReadIsRefusedByName(t *testing.T) {
	c := load(t, "SERVICE_STORAGE_LOCAL_DIRECTORY="+t.TempDir(), "SERVICE_HTTP_TLS_CERTIFICATE_FILE=absent", "SERVICE_HTTP_TLS_KEY_FILE=absent")
	if err := Run(context.Background(), c, quiet, nil); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "SERVICE_HTTP_TLS_CERTIFICATE_FILE") {
		t.Errorf("got %v", err)
	}
}

func TestAStoppingNodeFinishesRequestsInFlight(t *testing.T) {
	c := load(t, "SERVICE_STORAGE_LOCAL_DIRECTORY="+t.TempDir())
	base, stop := start(t, c)
	put, err := http.NewRequest(http.MethodPut, base+"/v1alpha1/admin/indexes/x", strings.NewReader(`{"fields":{"id":{"type":"string","role":"id"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	put.Header.Set("Authorization", "Bearer k")
	if response, err := http.DefaultClient.Do(put); err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("%v %v", response, err)
	}
	reader, writer := io.Pipe()
	request, err := http.NewRequest(http.MethodPost, base+"/v1alpha1/indexes/x/documents", reader)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer k")
	request.Header.Set("Content-Type", "application/x-ndjson")
	type result struct {
		status int
		err    error
	}
	answered := make(chan result, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			answered <- result{0, err}
			return
		}
		defer response.Body.Close()
		answered <- result{response.StatusCode, nil}
	}()
	// The server has taken the request once it has read the first document; that is
	// larger than every buffer on the way, so that writing returns only then.
	if _, err := io.WriteString(writer, `{"id":"`+strings.Repeat("x", 100)+`"}`+"\n"+strings.Repeat(" ", 4<<20)+"\n"); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	if _, err := io.WriteString(writer, `{"id":"2"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	if got := <-answered; got.err != nil || got.status != http.StatusOK {
		t.Errorf("the request in flight: %+v", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
}

// F36: a stopping node takes no more connections and answers requests in flight as
// usual; only then does it refuse writes. Requests that take long are refused
// sooner, so that they do not delay the stop.
func TestRequestsInFlightEndBeforeTheNodeDrains(t *testing.T) {
	for _, c := range []struct {
		drain  time.Duration
		isLong bool
	}{{24 * time.Hour, false}, {10 * time.Second, true}} {
		listener, err := listen(config.HTTP{Host: "127.0.0.1", MaxConnections: 10})
		if err != nil {
			t.Fatal(err)
		}
		var (
			entered, stopping, drained = make(chan struct{}), make(chan struct{}), make(chan struct{})
			release                    = make(chan struct{})
		)
		h := &httpServer{
			config: config.HTTP{DrainTimeout: c.drain}, listener: listener, log: slog.New(slog.DiscardHandler),
			refusal:  func(string) []byte { return nil },
			stopping: func() { close(stopping) }, draining: func() { close(drained) },
			handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				close(entered)
				<-release
				select {
				case <-drained:
					w.WriteHeader(http.StatusConflict)
				default:
				}
			}),
		}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- h.serve(ctx) }()
		answered := make(chan int, 1)
		go func() {
			answer, err := http.Get("http://" + listener.Addr().String())
			if err != nil {
				t.Error(err)
				answered <- 0
				return
			}
			answer.Body.Close()
			answered <- answer.StatusCode
		}()
		<-entered
		stop()
		<-stopping
		if c.isLong {
			<-drained
		}
		close(release)
		want := http.StatusOK
		if c.isLong {
			want = http.StatusConflict
		}
		if got := <-answered; got != want {
			t.Errorf("answered %d, want %d", got, want)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		<-drained
	}
}

// A node whose registry cannot be read is not ready, says so to every request, and
// serves once it can be read.
func TestANodeIsReadyOnceItHasReadTheRegistry(t *testing.T) {
	directory := t.TempDir()
	c := load(t, "SERVICE_STORAGE_LOCAL_DIRECTORY="+directory)
	base, stop := start(t, c)
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		request, err := http.NewRequest(method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer k")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(content)
	}
	const definition = `{"fields":{"id":{"type":"string","role":"id"}}}`
	if status, body := ask(http.MethodPut, "/v1alpha1/admin/indexes/x", definition); status != http.StatusCreated {
		t.Fatal(status, body)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(directory, "bucket", "registry")
	sound, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, sound[:len(sound)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	base, stop = start(t, c)
	if status, body := ask(http.MethodGet, "/q/health/ready", ""); status != http.StatusServiceUnavailable {
		t.Errorf("ready: %d %s", status, body)
	}
	for _, path := range []string{"/v1alpha1/admin/indexes", "/v1alpha1/admin/indexes/x", "/v1alpha1/admin/indexes/x/settings",
		"/v1alpha1/admin/reindexes", "/v1alpha1/admin/reindexes/x", "/v1alpha1/indexes/x/documents"} {
		if status, body := ask(http.MethodGet, path, ""); status != http.StatusConflict || !strings.Contains(body, `"code":"storage:io_error"`) ||
			!strings.Contains(body, `"resource":"registry"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body := ask(http.MethodPut, "/v1alpha1/admin/indexes/y", definition); status != http.StatusConflict {
		t.Errorf("put: %d %s", status, body)
	}
	if err := os.WriteFile(name, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	for status := 0; status != http.StatusOK; {
		status, _ = ask(http.MethodGet, "/q/health/ready", "")
	}
	if status, body := ask(http.MethodGet, "/v1alpha1/admin/indexes/x", ""); status != http.StatusOK {
		t.Errorf("after it can be read: %d %s", status, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A bucket that is away: a node that only searches starts and is not ready; a node
// that may write is refused, because it is unknown whether the bucket enforces
// conditions.
func TestABucketThatIsAwayAtTheStart(t *testing.T) {
	entries := []string{"SERVICE_STORAGE_MODE=object", "SERVICE_STORAGE_REMOTE_URL=http://127.0.0.1:1", "SERVICE_STORAGE_REMOTE_BUCKET=b",
		"SERVICE_STORAGE_REMOTE_ACCESS_KEY=a", "SERVICE_STORAGE_REMOTE_SECRET_KEY=b", "SERVICE_STORAGE_LOCAL_DIRECTORY=" + t.TempDir()}
	base, stop := start(t, load(t, entries...))
	for path, want := range map[string]int{"/q/health/ready": 503, "/q/health/live": 200, "/v1alpha1/admin/indexes": 409, "/v1alpha1/admin/indexes/x": 409,
		"/v1alpha1/admin/keys": 409, "/v1alpha1/admin/registry/audit": 409} {
		request, err := http.NewRequest(http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer k")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		content, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != want || want == 409 && !strings.Contains(string(content), `"code":"storage:io_error"`) {
			t.Errorf("%s: %d %s", path, response.StatusCode, content)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := Run(context.Background(), load(t, append(entries, "SERVICE_INDEXER_ENABLED=true")...), quiet, nil); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "SERVICE_STORAGE_REMOTE_") {
		t.Errorf("a node that may write: %v", err)
	}
}
