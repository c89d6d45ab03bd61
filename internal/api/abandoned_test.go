package api

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// R34: a client that goes away is not a failure of the node: nothing is logged as
// one, no code is counted, and the request is counted by itself.
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
	var measured strings.Builder
	recorder := &recorded{header: make(http.Header)}
	a.metrics.Handler().ServeHTTP(recorder, &http.Request{Method: "GET"})
	measured.Write(recorder.body.Bytes())
	if !strings.Contains(measured.String(), `status="499"`) || strings.Contains(measured.String(), "node:error") || strings.Contains(measured.String(), `status="5`) {
		t.Errorf("measured: %s", measured.String())
	}
}
