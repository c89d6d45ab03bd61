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

// headerForwarded marks a request forwarded by another node.
const headerForwarded = "X-Service-Forwarded"

// Ownership reports which node serves the writes of an index.
type Ownership interface {
	// WriterAddress returns scheme://host:port of the node that serves writes of
	// the index, or an empty string if this node does. A creating request may
	// claim an index that does not exist yet. The errors are problems.
	WriterAddress(ctx context.Context, name string, creates bool) (string, error)
	// Forwarded notes that another node changed the set of indexes on behalf of
	// this one. When it returns, this node knows of the change or will find out by
	// itself.
	Forwarded(ctx context.Context)
	// IsServing reports whether the node at an address is still live, as far as is
	// known. A node that was stopped or cut off is no longer live after one lease.
	IsServing(ctx context.Context, address string) bool
}

const (
	// servingCheck is the interval at which the node that a request was forwarded
	// to is checked for liveness.
	servingCheck = time.Second
	// longestSilence bounds how long a node may go without reading from a request
	// or answering it while its liveness is unknown: it may have stopped at a time
	// when the leadership cannot be read.
	longestSilence = 5 * time.Minute
	// takeoverWait bounds how long a request waits for another node when the
	// previous writer of the index accepts no connections.
	takeoverWait = 5 * time.Second
)

var errSilent = errors.New("the node that writes the index no longer takes part, or shows no progress")

// forward sends a request to the node that writes the index. It reports false
// if this node serves the request itself. A node that refuses the connection,
// or closes it before asking for the body, did nothing. It may have just
// stopped, so the index is looked up again until another node writes it or
// takeoverWait expires.
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
			return nil, true, err // found on this node
		case isAbandoned(r.HTTP, err), errors.Is(err, problem.RequestBodyUnreadable):
			a.metrics.Forwarded("abandoned") // the other node knows how far it got
			return nil, true, err
		case !isUnsent || !pause(wait, a.servingCheck/8):
			a.metrics.Forwarded("unreachable")
			return nil, true, problem.IndexerUnreachable.New().Because(err)
		}
	}
}

// writer returns the node to forward a request to, with a nil target if this
// node serves it.
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

// isRefused reports whether a node accepted no connection.
func isRefused(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

// pause waits for length and reports false if ctx ended first.
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

// isStream reports whether the body is processed as it arrives.
func (r *Request) isStream() bool {
	return r.Route.Streams && r.IsNDJSON() || r.Route.Rows && r.delimiter() != 0
}

// writerURL parses the address of a writing node. It accepts scheme, host and
// port only, so that a forged address cannot lead to another path, user or
// scheme.
func writerURL(address string) (*url.URL, bool) {
	target, err := url.Parse(address)
	if err != nil || target.Hostname() == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, false
	}
	return target, *target == url.URL{Scheme: target.Scheme, Host: target.Host}
}

// alreadyAnswered stands for a response that was sent while the request was
// being served.
var alreadyAnswered = &Response{}

// watch cancels a request when the node it was forwarded to is no longer live:
// that node can no longer acknowledge anything. It also cancels when the
// liveness of the node is unknown and nothing moves for longestSilence. watch
// returns the context of the request and a function that stops the watch.
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
					body.abandon() // again, in case a read just began
				}
			}
		}
	})
	return ctx, func() { cancel(nil); close(ended); watching.Wait() }
}

// relay streams a request to another node and the response back, once. A
// request whose response is lost is not sent again unless it is idempotent. An
// error means that no response was started. In that case isUnsent reports
// whether the other node certainly did nothing; otherwise it is unknown whether
// the request was carried out.
//
// The body is sent when the other node asks for it (Expect: 100-continue). A
// stopping node may close a pooled connection at the moment it is used; without
// its body a request changes nothing.
func (a *API) relay(w *trackedWriter, r *Request, address string, target *url.URL) (isUnsent bool, err error) {
	body := &relayedBody{boundedBody: r.body, began: time.Now()}
	if r.isStream() {
		body.left = -1 // the other node reports how much of an oversized body it read
	}
	ctx, unwatch := a.watch(r.HTTP.Context(), address, body)
	defer unwatch()
	var failed error
	proxy := &httputil.ReverseProxy{
		// The proxy would pass the 100 Continue of the other node on to the caller.
		Transport: roundTrip(func(out *http.Request) (*http.Response, error) { return a.transport.RoundTrip(out.WithContext(ctx)) }),
		ErrorLog:  slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		Rewrite: func(p *httputil.ProxyRequest) {
			// The path is forwarded as written, never cleaned.
			p.Out.URL = &url.URL{Scheme: target.Scheme, Host: target.Host, Path: p.In.URL.Path,
				RawPath: p.In.URL.RawPath, RawQuery: p.In.URL.RawQuery}
			p.Out.Host = ""
			// Headers that concern only the caller's connection are dropped, including
			// upgrades. The origin was already checked here, against the host name the
			// caller used. headerAwait would make the other node answer a question between
			// nodes instead of the request. The last two headers would let the transport
			// send a request twice.
			for _, name := range []string{"Connection", "Expect", "Te", "Upgrade", "Via", "Origin", "Sec-Fetch-Site", headerAwait,
				"Idempotency-Key", "X-Idempotency-Key"} {
				p.Out.Header.Del(name)
			}
			if r.Route.Repeats {
				// A header without values is not sent, but lets the transport retry on a
				// new connection when a pooled one was closed before the first byte of a
				// response.
				p.Out.Header["Idempotency-Key"] = []string{}
			}
			// Set on the outgoing request, where a Connection header of the caller
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
		defer body.end(ctx) // also when the proxy panics because the caller left
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

// roundTrip adapts a function to http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// relayedBody is the body of a caller on its way to another node, which may
// respond before reading all of it. It is not closed, because the rest may be
// drained from the connection before the response.
type relayedBody struct {
	*boundedBody
	isWanted bool        // the request has a body
	isTaken  atomic.Bool // the other node asked for it

	reading sync.Mutex // held during a read; taken before mu
	began   time.Time
	moved   atomic.Int64 // nanoseconds from began until the other node last read a byte or responded

	isAbandoned atomic.Bool // the connection may have been cut while the server was reading from it

	mu       sync.Mutex
	isClosed bool // no further read may begin
}

func (b *relayedBody) move() { b.moved.Store(int64(time.Since(b.began))) }

// silence returns how long nothing has moved.
func (b *relayedBody) silence() time.Duration {
	return time.Since(b.began) - time.Duration(b.moved.Load())
}

// Read returns the next bytes. The other node asks for them after it has taken
// the previous ones. A caller that stops sending runs into the read deadline.
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

// begin sets the deadline of a read, or reports false if the body is closed.
func (b *relayedBody) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.isClosed {
		b.arm()
	}
	return !b.isClosed
}

// abandon interrupts a read in progress; nothing needs the rest of the body.
func (b *relayedBody) abandon() {
	if !b.isEnded.Load() {
		b.isAbandoned.Store(true)
		_ = b.control.SetReadDeadline(time.Now())
	}
}

// Close prevents further reads.
func (b *relayedBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isClosed = true
	return nil
}

// end waits until nothing reads the body any more: after a response the
// connection belongs to the server again, which reads the next request from it.
// The rest of the body gets the same timeout as that of any other body.
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
	b.armed = time.Time{} // keep the deadline set above
	if b.isEnded.Load() {
		_ = b.control.SetReadDeadline(b.armed)
	}
}

// rewriteLocation makes an absolute Location header of the other node point to
// the host the caller used.
func rewriteLocation(header http.Header, target *url.URL, r *Request) {
	location := header.Get("Location")
	prefix := target.Scheme + "://" + target.Host
	if rest, ok := strings.CutPrefix(location, prefix); ok {
		header.Set("Location", strings.TrimSuffix(r.URL(""), "/")+rest)
	}
}

// forwardTransport connects within ten seconds, follows no redirects (a round
// tripper never does) and ignores proxy settings of the environment.
func forwardTransport(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return &http.Transport{
		DialContext:           dial,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: longestSilence,
		ExpectContinueTimeout: servingCheck, // an intermediary may not support Expect
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       60 * time.Second,
		DisableCompression:    true,
	}
}
