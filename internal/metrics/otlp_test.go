package metrics

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// R27: meters are pushed under the names of the interface, with their units, as
// those of the service quire; Prometheus names are only for scraping.
func TestMetersArePushedUnderTheirOwnNames(t *testing.T) {
	bodies := make(chan []byte, 16)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- body
	}))
	defer collector.Close()
	s := New(Options{WithoutRuntime: true})
	s.Search("", Success, time.Second)
	s.APIError("index:not_found")
	ctx, stop := context.WithCancel(t.Context())
	stop() // meters are pushed once more at the end
	if err := s.Push(ctx, PushOptions{URL: collector.URL + "/v1/metrics", Step: time.Hour}); err != nil {
		t.Fatal(err)
	}
	body := <-bodies
	for _, name := range []string{"service.search", "service.name", "quire"} {
		if !bytes.Contains(body, []byte(name)) {
			t.Errorf("%s is not pushed", name)
		}
	}
	if at := bytes.Index(body, []byte("service_")); at >= 0 {
		t.Errorf("pushed: %q", body[at:min(at+40, len(body))])
	}
}

func TestUnitsOfPushedMeters(t *testing.T) {
	for _, m := range Meters() {
		unit := otlpUnit(m.Unit)
		if m.Unit != "" && unit == "" || strings.HasSuffix(unit, "s}") {
			t.Errorf("%s: %q becomes %q", m.Name, m.Unit, unit)
		}
	}
}
