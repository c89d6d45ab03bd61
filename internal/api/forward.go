package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/problem"
)

// headerForwarded marks a request that another node sent on.
const headerForwarded = "X-Service-Forwarded"

// Ownership reports where writes of an index are served.
type Ownership interface {
	// WriterAddress returns scheme://host:port of the node to send a write of
	// the index on to, or an empty text when this node serves it. A creating
	// request may claim an index that does not exist yet. Its errors are
	// problems.
	WriterAddress(ctx context.Context, name string, creates bool) (string, error)
	// Forwarded notes that another node changed what indexes there are on
	// behalf of this one. When it returns this node knows of the change, or will
	// find out by itself.
	Forwarded(ctx context.Context)
	// IsServing reports whether the node of an address still takes part, as far
	// as is known. One that was stopped or cut off no longer does after a lease.
	IsServing(ctx context.Context, address string) bool
}

const (
	// servingCheck is the time between looks whether the node that was sent a
	// request still takes part.
	servingCheck = time.Second
	// longestSilence bounds how long a node takes nothing of a request and answers
	// nothing, where nobody can tell whether it still takes part: it may be stopped
	// while the leadership cannot be read.
	longestSilence = 5 * time.Minute
	// takeoverWait bounds how long a request waits for another node when the one
	// that wrote the index takes no connection.
	takeoverWait = 5 * time.Second
)

var errSilent = errors.New("the node that writes the index no longer takes part, or shows no progress")

// forward sends a request on to the node that writes the index. It reports
// false when this node serves the request itself. A node that takes no
// connection, or ends it before it asks for the body, did nothing: it may have
// just stopped, so the index is looked up again until another node writes it or
// the wait is over.
func (a *API) forward(w *trackedWriter, r *Request) (*Response, bool, error) {
	if a.ownership == nil {
		return nil, false, nil
	}
	wait, done := context.WithTimeout(r.HTTP.Context(), a.takeoverWait)
	defer done()
	for {
		address, target, err := a.writer(r)
		if err != nil || target == nil {
			return nil, err != nil, err
		}
		isUnsent, err := a.relay(w, r, address, target)
		switch {
		case err == nil:
			a.metrics.Forwarded("success")
			return alreadyAnswered, true, nil
		case errors.Is(err, problem.RequestBodyTooLarge):
			return nil, true, err // found out here
		case isAbandoned(r.HTTP, err), errors.Is(err, problem.RequestBodyUnreadable):
			a.metrics.Forwarded("abandoned") // the other node knows how far it came
			return nil, true, err
		case !isUnsent || !pause(wait, a.servingCheck/8):
			a.metrics.Forwarded("unreachable")
			return nil, true, problem.IndexerUnreachable.New().Because(err)
		}
	}
}

// writer returns the node to send a request on to; no target when this node
// serves it.
func (a *API) writer(r *Request) (string, *url.URL, error) {
	address, err := a.ownership.WriterAddress(r.HTTP.Context(), r.Param("name"), r.Route.Creates)
	if err != nil {
		if isAbandoned(r.HTTP, err) {
			a.metrics.Forwarded("abandoned")
		} else {
			a.metrics.Forwarded("unavailable")
		}
		return "", nil, err
	}
	if address == "" {
		return "", nil, nil
	}
	if r.HTTP.Header.Get(headerForwarded) != "" {
		a.metrics.Forwarded("stale")
		return "", nil, problem.IndexerUnavailable.New()
	}
	target, ok := writerURL(address)
	if !ok {
		a.metrics.Forwarded("unavailable")
		a.log.Warn("the address of the writing node is not scheme://host:port", "address", address)
		return "", nil, problem.IndexerUnavailable.New()
	}
	return address, target, nil
}

// isRefused reports whether a node took no connection.
func isRefused(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

// pause waits, and reports false when ctx ended before.
func pause(ctx context.Context, length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// isStream reports whether the body is taken as it arrives.
func (r *Request) isStream() bool {
	return r.Route.Streams && r.IsNDJSON() || r.Route.Rows && r.delimiter() != 0
}

// writerURL reads the address of a writing node: scheme, host and port, and
// nothing more, so that a forged one leads to no path, user or scheme.
func writerURL(address string) (*url.URL, bool) {
	target, err := url.Parse(address)
	if err != nil || target.Hostname() == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, false
	}
	return target, *target == url.URL{Scheme: target.Scheme, Host: target.Host}
}

// alreadyAnswered stands for an answer that went out while the request was
// served.
var alreadyAnswered = &Response{}

// watch gives a request up when the node it was sent to takes no part any more:
// whatever that node still does, it acknowledges nothing. It also does so when the
// state of that node is not known and nothing moves for long. It returns the context of the request
// and what ends the watch.
func (a *API) watch(ctx context.Context, address string, body *relayedBody) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(a.servingCheck)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				if ctx.Err() == nil && (body.silence() > a.longestSilence || !a.ownership.IsServing(ctx, address)) {
					cancel(errSilent)
				}
				if ctx.Err() != nil {
					body.abandon() // again, if a read began just then
				}
			}
		}
	})
	return ctx, func() { cancel(nil); close(ended); watching.Wait() }
}

// relay streams a request to another node and its answer back, once: a request
// whose answer is lost is not sent again, unless doing it twice is doing it once.
// An error means that nothing was answered yet. The other node did nothing then
// when isUnsent is true; otherwise whether it did what was asked is not known.
//
// The other node is sent the body when it asks for it (Expect: 100-continue). A
// connection of the pool may be closed by a node that stops at the moment it is
// used; without its body a request changes nothing.
func (a *API) relay(w *trackedWriter, r *Request, address string, target *url.URL) (isUnsent bool, err error) {
	body := &relayedBody{boundedBody: r.body, began: time.Now()}
	if r.isStream() {
		body.left = -1 // the other node reports how far it took what is too large
	}
	ctx, unwatch := a.watch(r.HTTP.Context(), address, body)
	defer unwatch()
	var failed error
	proxy := &httputil.ReverseProxy{
		// The proxy would send the other node's 100 Continue on to the caller.
		Transport: roundTrip(func(out *http.Request) (*http.Response, error) { return a.transport.RoundTrip(out.WithContext(ctx)) }),
		ErrorLog:  slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		Rewrite: func(p *httputil.ProxyRequest) {
			// The path is taken as it was written, never cleaned.
			p.Out.URL = &url.URL{Scheme: target.Scheme, Host: target.Host, Path: p.In.URL.Path,
				RawPath: p.In.URL.RawPath, RawQuery: p.In.URL.RawQuery}
			p.Out.Host = ""
			// What concerns the caller's connection alone stays here; no upgrade is
			// passed on.
			// The origin of a page was checked here, against the name the caller used.
			// The last two would let the transport send a request twice.
			for _, name := range []string{"Connection", "Expect", "Te", "Upgrade", "Via", "Origin", "Sec-Fetch-Site",
				"Idempotency-Key", "X-Idempotency-Key"} {
				p.Out.Header.Del(name)
			}
			if r.Route.Repeats {
				// A header without values is not sent. It lets the transport send the
				// request again on a new connection when one of the pool was closed
				// before any byte of an answer came.
				p.Out.Header["Idempotency-Key"] = []string{}
			}
			// Set on the outgoing request: a Connection header of the caller
			// cannot strip them.
			p.Out.Header.Set(headerForwarded, "true")
			if credential := p.In.Header.Values("Authorization"); len(credential) > 0 {
				p.Out.Header["Authorization"] = credential
			}
			p.Out.Body, p.Out.ContentLength = http.NoBody, 0
			if p.In.ContentLength != 0 && r.Route.Body != "" {
				p.Out.Body, p.Out.ContentLength = body, p.In.ContentLength
				p.Out.Header.Set("Expect", "100-continue")
				body.isWanted = true
			}
		},
		ModifyResponse: func(answer *http.Response) error {
			body.move()
			for _, name := range []string{"Date", "Server", "Via"} {
				answer.Header.Del(name)
			}
			rewriteLocation(answer.Header, target, r)
			if answer.StatusCode == http.StatusRequestEntityTooLarge {
				w.Header().Set("Connection", "close")
			}
			if r.Route.Tag == tagIndexes && answer.StatusCode < http.StatusMultipleChoices {
				a.ownership.Forwarded(r.HTTP.Context())
			}
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			if failed = err; errors.Is(context.Cause(ctx), errSilent) {
				failed = errSilent
			}
		},
	}
	func() {
		defer body.end(ctx) // also when the proxy panics because the caller is gone
		proxy.ServeHTTP(w, r.HTTP.WithContext(ctx))
	}()
	if failed != nil && w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	if body.isAbandoned.Load() {
		w.Header().Set("Connection", "close")
	}
	var refused *problem.Problem
	if errors.As(failed, &refused) && (refused.Code == problem.RequestBodyTooLarge || refused.Code == problem.RequestBodyUnreadable) {
		return false, refused
	}
	isUntaken := body.isWanted && !body.isTaken.Load() && !errors.Is(failed, errSilent)
	return isRefused(failed) || isUntaken, failed
}

// roundTrip is a function that sends a request.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// relayedBody is the body of a caller on its way to another node, which may answer
// before it took all of it. What is left of it may be taken off the connection
// before the answer, so it is not closed.
type relayedBody struct {
	*boundedBody
	isWanted bool        // the request has a body
	isTaken  atomic.Bool // the other node has asked for it

	reading sync.Mutex // held during a read; comes before mu
	began   time.Time
	moved   atomic.Int64 // nanoseconds from began until the other node last took something or answered

	isAbandoned atomic.Bool // the connection may have been cut while the server read from it

	mu       sync.Mutex
	isClosed bool // no read begins any more
}

func (b *relayedBody) move() { b.moved.Store(int64(time.Since(b.began))) }

// silence returns how long nothing has moved.
func (b *relayedBody) silence() time.Duration {
	return time.Since(b.began) - time.Duration(b.moved.Load())
}

// Read gives the next bytes, which are asked for when those before were taken. A
// caller that sends none for long is not waited for.
func (b *relayedBody) Read(p []byte) (int, error) {
	b.isTaken.Store(true)
	b.reading.Lock()
	defer b.reading.Unlock()
	if !b.begin() {
		return 0, http.ErrBodyReadAfterClose
	}
	b.move()
	defer b.move()
	return b.boundedBody.Read(p)
}

// begin sets the deadline of a read, unless none begins any more.
func (b *relayedBody) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.isClosed {
		b.arm()
	}
	return !b.isClosed
}

// abandon ends a read under way: what a caller still sends goes nowhere, and
// nobody waits for it.
func (b *relayedBody) abandon() {
	if !b.isEnded.Load() {
		b.isAbandoned.Store(true)
		_ = b.control.SetReadDeadline(time.Now())
	}
}

// Close lets no read begin any more.
func (b *relayedBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isClosed = true
	return nil
}

// end returns when nobody reads the body any more: after an answer the connection is
// the server's again, which reads the next request from it. What is left of the body
// is not waited for longer than that of any other.
func (b *relayedBody) end(ctx context.Context) {
	_ = b.Close()
	if !b.isEnded.Load() {
		wait := leftoverTimeout
		if ctx.Err() != nil {
			wait = 0
		}
		_ = b.control.SetReadDeadline(time.Now().Add(wait))
	}
	b.reading.Lock()
	defer b.reading.Unlock()
	b.armed = time.Time{} // the deadline stays
	if b.isEnded.Load() {
		_ = b.control.SetReadDeadline(b.armed)
	}
}

// rewriteLocation makes an absolute Location of the other node point to the
// host the caller used.
func rewriteLocation(header http.Header, target *url.URL, r *Request) {
	location := header.Get("Location")
	prefix := target.Scheme + "://" + target.Host
	if rest, ok := strings.CutPrefix(location, prefix); ok {
		header.Set("Location", strings.TrimSuffix(r.URL(""), "/")+rest)
	}
}

// forwardTransport connects within ten seconds, follows no redirects (a
// round tripper never does) and asks no proxy of the environment.
func forwardTransport(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return &http.Transport{
		DialContext:           dial,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: longestSilence,
		ExpectContinueTimeout: servingCheck, // something between the nodes may not know of it
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       60 * time.Second,
		DisableCompression:    true,
	}
}
