package api

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/metrics"
)

// R34: a client that leaves is not a failure of the node: no error is logged,
// no code is counted, and the request is counted separately.
func TestAClientThatLeavesIsNoFailure(t *testing.T) {
	arrived, ended := make(chan struct{}), make(chan struct{})
	server, a := serveRoutes(t, Options{}, Route{Operation: "wait", Method: "POST", Path: "/q/wait", handler: func(ctx context.Context, _ *Request) (*Response, error) {
		close(arrived)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	var logged bytes.Buffer
	a.log = slog.New(slog.NewTextHandler(&logged, nil))
	served := server.Config.Handler
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		served.ServeHTTP(w, r)
	})
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/q/wait", nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-arrived
		leave()
	}()
	if _, err := http.DefaultClient.Do(request); err == nil {
		t.Error("an answer came")
	}
	<-ended
	if logged.Len() > 0 {
		t.Errorf("logged: %s", logged.String())
	}
	measured := measuredBy(a)
	if !strings.Contains(measured, `status="499"`) || strings.Contains(measured, "node:error") || strings.Contains(measured, `status="5`) {
		t.Errorf("measured: %s", measured)
	}
}

// A response that is cut off is counted under its route: with the status that
// was sent if the node ends it, separately if the client has left.
func TestAnAnswerThatIsCutOffIsCounted(t *testing.T) {
	for _, isLeft := range []bool{false, true} {
		ended := make(chan struct{})
		began := make(chan struct{})
		server, a := serveRoutes(t, Options{}, Route{Operation: "cut", Method: "GET", Path: "/q/cut", handler: func(ctx context.Context, _ *Request) (*Response, error) {
			return &Response{Status: 200, ContentType: ndjsonType, Stream: func(w io.Writer) error {
				if _, err := io.WriteString(w, strings.Repeat("{}\n", 8<<10)); err != nil { // more than is buffered
					return err
				}
				close(began)
				if isLeft {
					<-ctx.Done()
				}
				return io.ErrUnexpectedEOF
			}}, nil
		}})
		served := server.Config.Handler
		server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(ended)
			served.ServeHTTP(w, r)
		})
		ctx, leave := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/q/cut", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", "identity")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		<-began
		want := `status="200"`
		if isLeft {
			leave()
			want = `status="499"`
		}
		if _, err := io.ReadAll(answer.Body); err == nil {
			t.Error("the answer is whole")
		}
		answer.Body.Close()
		<-ended
		leave()
		if measured := measuredBy(a); !strings.Contains(measured, want) || !strings.Contains(measured, `uri="/q/cut"`) {
			t.Errorf("left %t: %s", isLeft, measured)
		}
	}
}

// leaving is a write whose client leaves after two entries.
type leaving struct {
	leave   context.CancelFunc
	entries int
}

func (w *leaving) Do(context.Context, func(*generations.Generation, *engine.WriteStream) error) error {
	if w.entries++; w.entries == 2 {
		w.leave()
	}
	return nil
}

func (w *leaving) Finish(context.Context) (string, error) { return "", nil }

// No further entry begins after the client left, whatever the format of the
// body.
func TestABatchEndsWhenItsClientLeaves(t *testing.T) {
	for media, body := range map[string]string{
		mediaJSON:   "[" + strings.Repeat(`{"id":"1"},`, 100) + `{"id":"1"}]`,
		mediaNDJSON: strings.Repeat(`{"id":"1"}`+"\n", 100),
		mediaCSV:    "id\n" + strings.Repeat("1\n", 100),
		mediaTSV:    "id\n" + strings.Repeat("1\n", 100),
	} {
		ctx, leave := context.WithCancel(t.Context())
		sent := httptest.NewRequestWithContext(ctx, "POST", "/", strings.NewReader(body))
		sent.Header.Set("Content-Type", media)
		request := &Request{HTTP: sent, text: newBoundedBody(httptest.NewRecorder(), sent, 0), Route: &Route{Streams: true, Rows: true}}
		write := &leaving{leave: leave}
		b := &batch{write: write, isStream: request.isStream(), isRows: request.delimiter() != 0}
		if _, err := b.run(ctx, request, b.add); !isAbandoned(sent, err) || write.entries != 2 {
			t.Errorf("%s: %d entries, %v", media, write.entries, err)
		}
	}
}

// A write whose client left is counted separately and changes nothing.
func TestAbandonedWritesAreCountedByThemselves(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	s.expect("PUT", "/1", `{"n":1}`, 204, "")
	ctx, leave := context.WithCancel(t.Context())
	leave()
	for _, request := range []struct{ method, path, body string }{
		{"PUT", "/1", `{"n":2}`}, {"PATCH", "/1", `{"n":2}`}, {"DELETE", "/1", ""}, {"POST", "", `[{"id":"1","n":2}]`},
	} {
		r := httptest.NewRequestWithContext(ctx, request.method, "/v1alpha1/indexes/shop/documents"+request.path, strings.NewReader(request.body))
		r.Header.Set("Authorization", "Bearer "+rootKey)
		func() {
			defer func() {
				if cause := recover(); cause != http.ErrAbortHandler {
					t.Errorf("%s %s: %v", request.method, request.path, cause)
				}
			}()
			s.api.ServeHTTP(httptest.NewRecorder(), r)
		}()
	}
	s.commit()
	if got := s.list(); !strings.Contains(got, `"n":1`) {
		t.Errorf("after writes whose client left: %s", got)
	}
	measured := measuredBy(s.api)
	for _, want := range []string{`status="499"`, `operation="add",outcome="abandoned"`, `operation="update",outcome="abandoned"`, `operation="delete",outcome="abandoned"`} {
		if !strings.Contains(measured, want) {
			t.Errorf("no %s in %s", want, measured)
		}
	}
	if strings.Contains(measured, `outcome="error"`) || strings.Contains(measured, `status="5`) {
		t.Errorf("measured: %s", measured)
	}
}

// A forwarded request is not a failure either when its client leaves, before or
// after the end of its body.
func TestAForwardedClientThatLeavesIsNoFailure(t *testing.T) {
	for name, body := range map[string]string{"whole": "12345", "cut": "123"} {
		t.Run(name, func(t *testing.T) {
			arrived, ended := make(chan struct{}), make(chan struct{})
			writer := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadFull(r.Body, make([]byte, len(body)))
				close(arrived)
				if _, err := io.Copy(io.Discard, r.Body); err == nil {
					<-r.Context().Done()
				}
			}))
			var logged bytes.Buffer
			authority, err := auth.Open(t.Context(), memory.New(nil), auth.Options{RootKey: rootKey}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			a := New(Components{Authority: authority, Ownership: heldBy(writer.URL), Health: NewHealth(time.Second),
				Metrics: metrics.New(metrics.Options{WithoutRuntime: true}), Log: slog.New(slog.NewTextHandler(&logged, nil))}, Options{})
			front := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(ended)
				a.ServeHTTP(w, r)
			}))
			connection, _ := dial(t, front.URL)
			_, err = io.WriteString(connection, "PUT /v1alpha1/indexes/a/documents/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "+rootKey+"\r\nContent-Length: 5\r\n\r\n"+body)
			if err != nil {
				t.Fatal(err)
			}
			<-arrived
			_ = connection.Close()
			<-ended
			measured := measuredBy(a)
			if !strings.Contains(measured, `service_write_forwarded_requests_total{outcome="abandoned"} 1`) || strings.Contains(measured, `status="5`) || logged.Len() > 0 {
				t.Errorf("logged %q, measured %s", logged.String(), measured)
			}
		})
	}
}

func measuredBy(a *API) string {
	recorder := &recorded{header: make(http.Header)}
	a.metrics.Handler().ServeHTTP(recorder, &http.Request{Method: "GET"})
	return recorder.body.String()
}
