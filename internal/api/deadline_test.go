package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// deadlineRecorder records the last read deadline set by a request.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	read time.Time
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
