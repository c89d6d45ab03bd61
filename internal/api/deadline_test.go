package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// deadlineRecorder records the last deadlines set by a request.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (r *deadlineRecorder) SetReadDeadline(at time.Time) error {
	r.read = at
	return nil
}

func TestABodyNobodyReadsIsNotAwaitedForEver(t *testing.T) {
	_, api := serveRoutes(t, Options{MaxBodySize: 10}, echo("POST"))
	for _, test := range []struct {
		method, path, body string
		waits              bool
	}{
		{"POST", "/v1alpha1/indexes/a/echo/b", "{}", false},
		{"POST", "/v1alpha1/indexes/a/echo/b", strings.Repeat(" ", 11), true},
		{"POST", "/absent", "{}", true},
		{"PUT", "/v1alpha1/indexes/a/echo/b", "{}", true},
		{"GET", "/q/health", "", false},
	} {
		request := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		if test.body == "" {
			request.Body = http.NoBody
		}
		request.Header.Set("Authorization", "Bearer "+rootKey)
		answer := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
		api.ServeHTTP(answer, request)
		if got := !answer.read.IsZero(); got != test.waits {
			t.Errorf("%s %s with %d bytes: status %d, deadline %v", test.method, test.path, len(test.body), answer.Code, answer.read)
		}
	}
}

// SetWriteDeadline records the last write deadline set by a request.
func (r *deadlineRecorder) SetWriteDeadline(at time.Time) error {
	r.write = at
	return nil
}

// S14: a handler outside the API waits no longer for its clients than the API does.
func TestABoundedHandlerDoesNotWaitForEver(t *testing.T) {
	for name, test := range map[string]struct {
		body  string
		waits bool // for the rest of the body once the response has begun
		serve http.HandlerFunc
	}{
		"reads all":     {"{}", false, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }},
		"reads nothing": {"{}", true, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }},
		"reads a part": {"{}", true, func(w http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 1))
			w.WriteHeader(http.StatusBadRequest)
		}},
		"does nothing": {"{}", true, func(http.ResponseWriter, *http.Request) {}},
		"has no body":  {"", false, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }},
	} {
		request := httptest.NewRequest("POST", "/", strings.NewReader(test.body))
		if test.body == "" {
			request.Body = http.NoBody
		}
		answer := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
		Bounded(test.serve).ServeHTTP(answer, request)
		if got := !answer.read.IsZero(); got != test.waits || answer.write.IsZero() {
			t.Errorf("%s: status %d, deadlines %v to read and %v to write", name, answer.Code, answer.read, answer.write)
		}
	}
}

// Reading a body fails once it makes no progress for a while.
func TestABoundedBodyIsReadWithADeadline(t *testing.T) {
	answer := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	Bounded(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := r.Body.Read(make([]byte, 1)); err != nil || answer.read.IsZero() {
			t.Errorf("error %v, deadline %v", err, answer.read)
		}
		if err := r.Body.Close(); err != nil {
			t.Error(err)
		}
	})).ServeHTTP(answer, httptest.NewRequest("POST", "/", strings.NewReader("{}")))
}
