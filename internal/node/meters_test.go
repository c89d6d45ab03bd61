package node

import (
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// A generation that cannot be opened is not open but is reported as unhealthy.
func TestAGenerationThatCannotBeOpenedIsMeasured(t *testing.T) {
	b, fs := memory.New(nil), vfs.Memory()
	meters := metrics.New(metrics.Options{WithoutRuntime: true})
	start := func() *Node {
		n, err := Open(t.Context(), Storage{Bucket: b, FS: fs}, Options{Engine: engine.Options{MinFree: -1, Workers: 1}}, meters, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	n := start()
	if _, _, err := n.Put(t.Context(), Put{Name: parse(t, "books"), Body: []byte(books)}); err != nil {
		t.Fatal(err)
	}
	if err := n.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	directories, err := fs.List(defaultDirectory)
	if err != nil || len(directories) != 1 {
		t.Fatal(directories, err)
	}
	directory := defaultDirectory + "/" + strings.TrimSuffix(directories[0], "/")
	names, err := fs.List(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, "/") {
			if err := fs.Remove(directory + "/" + name); err != nil {
				t.Fatal(err)
			}
		}
	}
	n = start()
	defer n.Close(t.Context())
	if _, err := n.Read(t.Context(), parse(t, "books"), freshness.Token{}, nil); !errors.Is(err, problem.StorageIoError) {
		t.Fatal(err)
	}
	n.sample()
	answer := httptest.NewRecorder()
	meters.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/q/metrics", nil))
	for _, line := range []string{`service_index_unhealthy{generation="1",index="books",state="CLOSED"} 1`, `service_index_state_generations{state="CLOSED"} 1`} {
		if !strings.Contains(answer.Body.String(), line) {
			t.Errorf("there is no %s", line)
		}
	}
}
