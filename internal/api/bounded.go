package api

import (
	"io"
	"net/http"
)

// Bounded returns a handler that gives up on a client that stops sending its
// request or stops reading the response, with the limits of an API. Handlers
// outside an API need it because net/http waits forever.
func Bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tracked := newTrackedWriter(w, r)
		if tracked.hasBody {
			tracked.body = newBoundedBody(w, r, 0)
			bounded := *r
			bounded.Body = boundedCloser{tracked.body, r.Body}
			r = &bounded
		}
		next.ServeHTTP(tracked, r)
		if tracked.status == 0 {
			tracked.WriteHeader(http.StatusOK) // as net/http would, but with a deadline
		}
	})
}

// boundedCloser reads a body through the limits and closes the original body.
type boundedCloser struct {
	io.Reader
	io.Closer
}
