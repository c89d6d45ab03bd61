// Package api is the HTTP interface of a node: routes, bodies, errors,
// conditional requests, health and the OpenAPI description.
//
// The table in routes.go lists every operation once. The router, the permission
// check, the OpenAPI description and the reference page are derived from it. A
// handler is a method of API that takes a Request and returns a Response or an
// error. Problems with a request are returned as errors and rendered here, so a
// handler never chooses the status of a failure:
//
//	func (a *API) getThing(ctx context.Context, r *Request) (*Response, error) {
//		thing, err := a.node.Thing(ctx, r.Param("name"))
//		if err != nil {
//			return nil, err
//		}
//		return OK(thing).WithETag(thing.Version), nil
//	}
//
// A request is checked in this order: path, method, media types, credential,
// permission, declared length of the body, handler. The body is not read before
// the handler asks for it, and never beyond its limit. A panic in a handler is
// caught, counted and answered as node:error.
//
// An API may be used by any number of goroutines.
package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// Handler serves one operation.
type Handler func(ctx context.Context, r *Request) (*Response, error)

// Options tune an API. The zero value accepts bodies of any size and allows no
// other origin.
type Options struct {
	MaxBodySize       int64    // of any body except NDJSON, and of one NDJSON entry; 0: no limit
	MaxStreamBodySize int64    // of an NDJSON body; 0: no limit
	CORSOrigins       []string // origins browsers may call from; * allows every origin; nil turns CORS off
	IsOpen            bool     // no credential is required, so requests from pages of other origins are refused
	OnlyLoopback      bool     // requests must name the loopback interface as Host
	Hosts             []string // names in lower case allowed in Host, except for health checks; nil allows every name
	AccessLog         bool     // log every request
	IndexTimers       bool     // tag the timers of searches with the index

	// Dial connects to other nodes; nil uses TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Limits bound what a search may request; the zero value uses the defaults.
	Limits query.Limits
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// If the disk cannot deliver a page of a mapped file, only this request fails.
	debug.SetPanicOnFault(true)
	began := time.Now()
	tracked := newTrackedWriter(w, r)
	header := tracked.Header()
	header["X-Content-Type-Options"] = noSniff

	defer a.note(tracked, r, began) // also when the response is cut off
	a.serve(tracked, r)
	if tracked.status == statusAbandoned {
		panic(http.ErrAbortHandler) // an empty response would look like success
	}
}

// note counts and logs a request that was answered or whose response was cut
// off.
func (a *API) note(w *trackedWriter, r *http.Request, began time.Time) {
	took := time.Since(began)
	pattern := "UNKNOWN"
	if w.route != nil {
		pattern = w.route.Path
	}
	status := w.status
	if w.isCut && r.Context().Err() != nil {
		status = statusAbandoned // the client left during the response
	}
	a.metrics.HTTPRequest(r.Method, pattern, status, took)
	if a.options.AccessLog {
		a.log.Info("request", "method", r.Method, "path", r.URL.EscapedPath(), "status", status, "bytes", w.written, "took", took)
	}
}

func (a *API) serve(w *trackedWriter, r *http.Request) {
	defer a.recoverPanic(w, r)
	if err := a.checkSender(r); err != nil {
		a.refuse(w, r, err)
		return
	}
	if a.answerPreflight(w, r) {
		return
	}
	path := r.URL.EscapedPath()
	if strings.Contains(path, ";") {
		a.refuse(w, r, problem.RequestPathInvalid.New())
		return
	}
	found, ok := a.router.find(path)
	if !ok {
		p := problem.RequestNotFound.New()
		if meant := nearestPath(path); meant != "" {
			p.Advise("Did you mean " + meant + "? The operations are listed at /q/docs.")
		}
		a.refuse(w, r, p)
		return
	}
	route := found.route(r.Method)
	w.route = route
	if route == nil {
		w.Header().Set("Allow", found.allow())
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		a.refuse(w, r, problem.RequestMethodNotAllowed.New("method", r.Method, "allowed", found.allow()))
		return
	}
	request := &Request{HTTP: r, Route: route, values: found.values, media: mediaJSON, maxEntry: a.options.MaxBodySize}
	response, err := a.answer(w, request)
	if err != nil {
		a.refuse(w, r, a.advise(r.Context(), request, err))
		return
	}
	if response == alreadyAnswered {
		return
	}
	body, err := response.encode()
	if err != nil {
		a.refuse(w, r, fmt.Errorf("encode the answer of %s: %w", route.Operation, err))
		return
	}
	if body, err = a.codecs.pack(response, body, answerEncoding(r.Header)); err == nil {
		w.reserved = a.reserved
		err = response.write(w, body)
	}
	a.buffers.release(response)
	if err != nil {
		a.log.Debug("answer cut short", "operation", route.Operation, "error", err)
		if response.Stream != nil {
			panic(http.ErrAbortHandler) // the client must not take it for complete
		}
	}
}

func (m match) route(method string) *Route {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return m.methods[method]
}

// answer takes a request through content negotiation, authentication and
// authorization to its handler.
func (a *API) answer(w *trackedWriter, request *Request) (*Response, error) {
	r, route := request.HTTP, request.Route
	if route.offers != nil {
		media, ok := negotiate(r.Header.Values("Accept"), route.offers)
		if !ok {
			return nil, problem.RequestNotAcceptable.New()
		}
		request.media = media
	}
	if err := route.checkBodyType(r); err != nil {
		return nil, err
	}
	limit := a.options.MaxBodySize
	if request.isStream() {
		limit = a.options.MaxStreamBodySize
	}
	request.body = newBoundedBody(w, r, limit)
	request.text = request.body
	w.body = request.body
	defer request.body.disarm()
	if encoding, _ := contentEncoding(r.Header); encoding != "" {
		unpacked := newUnpackedBody(request.body, &a.codecs, encoding, limit)
		if request.isStream() {
			unpacked.windows = a.reserved
		}
		request.text = unpacked
		defer unpacked.close()
	}

	if !route.isOpen() {
		if err := a.permit(r.Context(), request); err != nil {
			return nil, err
		}
	}
	if err := request.body.stated(request.isStream()); err != nil {
		return nil, err
	}
	// A semicolon is an ordinary character here; the parser would reject it.
	query, err := url.ParseQuery(strings.ReplaceAll(r.URL.RawQuery, ";", "%3B"))
	if err != nil {
		return nil, problem.RequestRefused.New("reason", "the query string cannot be read")
	}
	request.query = query
	if request.isAwait() {
		return a.await(r.Context(), request)
	}
	if route.forwards() {
		if response, done, err := a.forward(w, request); done || err != nil {
			return response, err
		}
	}
	return a.run(r.Context(), request)
}

// run calls the handler and times the operations that have a meter.
func (a *API) run(ctx context.Context, r *Request) (*Response, error) {
	began := time.Now()
	response, err := r.Route.handler(ctx, r)
	if errors.Is(err, vfs.ErrFault) {
		a.node.Suspect(r.Param("name"))
	}
	if meter := r.Route.meter; meter != nil {
		index := ""
		// Names invented by a caller must not become time series.
		if named, _, _ := strings.Cut(r.Param("name"), "@"); a.options.IndexTimers && a.node.Has(named) {
			index = named
		}
		meter(a.metrics, index, outcome(r, err), time.Since(began))
	}
	return response, err
}

// permit authenticates the sender of a request and checks its permission.
func (a *API) permit(ctx context.Context, r *Request) error {
	principal, err := a.authority.Authenticate(ctx, r.HTTP.Header.Values("Authorization"))
	if err == nil {
		r.Principal = principal
		err = r.Route.permit(principal, r.Param("name"))
	}
	switch {
	case err == nil:
	case errors.Is(err, problem.AuthUnauthenticated):
		a.metrics.AuthFailure("unauthenticated")
	case errors.Is(err, problem.AuthForbidden):
		a.metrics.AuthFailure("forbidden")
	case errors.Is(err, problem.IndexNotFound):
		a.metrics.AuthFailure("not_covered")
	}
	return err
}

// statusAbandoned is the status under which a request is counted when its
// client left before the response. It is never sent.
const statusAbandoned = 499

// isAbandoned reports whether a request failed only because its client did not
// wait for the response. Failures with a cause of their own are answered: the
// context also ends when the node stops reading a body.
func isAbandoned(r *http.Request, err error) bool {
	return r.Context().Err() != nil && errors.Is(err, context.Canceled) && problem.All(err)[0].Code == problem.NodeError
}

// outcome returns the outcome under which a finished request is counted.
func outcome(r *Request, err error) metrics.Outcome {
	switch {
	case err == nil:
		return metrics.Success
	case isAbandoned(r.HTTP, err):
		return metrics.Abandoned
	}
	return metrics.Failure
}

// refuse responds with an error.
func (a *API) refuse(w *trackedWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, vfs.ErrFault):
		err = problem.IndexClosed.New().Because(err)
	case errors.Is(err, vfs.ErrPanic):
		a.metrics.Panic()
		err = problem.NodeError.New().Because(err)
	}
	if isAbandoned(r, err) {
		// No client is left to respond to, and nothing failed.
		a.log.Debug("the client is gone", "method", r.Method, "path", r.URL.EscapedPath())
		if w.status != 0 {
			panic(http.ErrAbortHandler)
		}
		w.status = statusAbandoned
		return
	}
	response, code := errorResponse(err)
	a.metrics.APIError(code.Name())
	if response.Status >= http.StatusInternalServerError {
		a.log.Error("request failed", "method", r.Method, "path", r.URL.EscapedPath(), "code", code.Name(), "error", err)
	}
	body, encodeErr := response.encode()
	if encodeErr != nil {
		a.log.Error("error body", "error", encodeErr)
	}
	if w.status != 0 {
		panic(http.ErrAbortHandler) // part of another response is already sent
	}
	w.takeLeftover(r)
	if body, err = a.codecs.pack(response, body, answerEncoding(r.Header)); err == nil {
		err = response.write(w, body)
	}
	if err != nil {
		a.log.Debug("answer cut short", "error", err)
	}
}

// Refusal counts a request that was rejected before it could be read and
// returns the body of its response.
func (a *API) Refusal(reason string) []byte {
	response, code := errorResponse(problem.RequestRefused.New("reason", reason))
	a.metrics.APIError(code.Name())
	body, err := response.encode()
	if err != nil {
		a.log.Error("error body", "error", err)
	}
	return body
}

func (a *API) recoverPanic(w *trackedWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		w.isCut = true
		panic(cause)
	}
	a.refuse(w, r, vfs.Recovered(cause))
}

// trackedWriter records the status and size of a response and gives up on a
// client that stops reading.
type trackedWriter struct {
	http.ResponseWriter
	control  *http.ResponseController
	status   int
	written  int64
	armed    time.Time
	route    *Route // nil if no route serves the request
	isCut    bool   // the response ends before it is complete
	reserved *reservations

	hasBody bool         // of the request
	body    *boundedBody // nil until reading is allowed
}

func newTrackedWriter(w http.ResponseWriter, r *http.Request) *trackedWriter {
	return &trackedWriter{ResponseWriter: w, control: http.NewResponseController(w), hasBody: r.Body != nil && r.Body != http.NoBody}
}

func (w *trackedWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.arm()
	if w.hasBody && (w.body == nil || !w.body.isEnded.Load()) {
		// The server reads the rest of the body before it responds, to keep the
		// connection; it must not wait for a body that never arrives.
		_ = w.control.SetReadDeadline(time.Now().Add(leftoverTimeout))
	}
	w.ResponseWriter.WriteHeader(status)
}

// takeLeftover drains the rest of a refused body from the connection. If the
// body does not end in time, the connection is closed after the response.
func (w *trackedWriter) takeLeftover(r *http.Request) {
	if !w.hasBody {
		return
	}
	if w.body == nil {
		w.body = newBoundedBody(w, r, 0)
	}
	if !w.body.isBegun && r.Header.Get("Expect") != "" {
		return // the client waits for permission to send the body
	}
	if !w.body.drain() {
		w.Header().Set("Connection", "close")
	}
}

// leftoverTimeout bounds how long a response waits for the unread rest of a
// body.
const leftoverTimeout = 5 * time.Second

// writeChunk is the number of bytes a client must read within progressTimeout.
const writeChunk = 256 << 10

func (w *trackedWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.reserved == nil || len(p) < leastReserved {
		return w.send(nil, nil, p)
	}
	return w.sendLong(w.reserved, p)
}

// sendLong sends p and accounts for it in all until it is sent.
func (w *trackedWriter) sendLong(all *reservations, p []byte) (int, error) {
	sent := all.reserve(len(p), func() error { return w.control.SetWriteDeadline(time.Unix(1, 0)) })
	defer all.release(sent)
	return w.send(all, sent, p)
}

func (w *trackedWriter) send(all *reservations, sent *reservation, p []byte) (int, error) {
	total := 0
	for {
		chunk := p[total:min(total+writeChunk, len(p))]
		w.arm()
		if sent != nil && !all.moved(sent) { // arm may have undone the cut
			return total, errCut
		}
		n, err := w.ResponseWriter.Write(chunk)
		total += n
		w.written += int64(n)
		if err != nil || total == len(p) {
			return total, err
		}
	}
}

// arm extends the write deadline. The deadline stays in force after the
// handler, while the rest is flushed; the next response on the connection
// extends it again.
func (w *trackedWriter) arm() {
	if now := time.Now(); now.Sub(w.armed) >= time.Second {
		w.armed = now
		_ = w.control.SetWriteDeadline(now.Add(progressTimeout))
	}
}

// Flush sends the bytes written so far.
func (w *trackedWriter) Flush() { _ = w.control.Flush() }

// Unwrap gives http.ResponseController access to the connection.
func (w *trackedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
