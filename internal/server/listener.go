package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/config"
)

// Bounds on slow clients. A whole request has no time limit, because a stream may
// carry a complete dataset; bodies are bounded by their progress.
const (
	headerTimeout  = 5 * time.Second
	maxHeaderBytes = 32 << 10
	idleTimeout    = 90 * time.Second
	h2WriteTimeout = 30 * time.Second // an HTTP/2 client must read something within it
)

// listen opens the listener of the node. A certificate that cannot be used refuses
// the start.
func listen(c config.HTTP) (*limitedListener, error) {
	if c.CertificateFile != "" {
		if _, err := tls.LoadX509KeyPair(c.CertificateFile, c.KeyFile); err != nil {
			return nil, fmt.Errorf("SERVICE_HTTP_TLS_CERTIFICATE_FILE, SERVICE_HTTP_TLS_KEY_FILE: %w", err)
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(c.Host, strconv.Itoa(c.Port)))
	if err != nil {
		return nil, fmt.Errorf("listen (SERVICE_HTTP_HOST, SERVICE_HTTP_PORT): %w", err)
	}
	return limitConnections(listener, boundConnections(c.MaxConnections, descriptors())), nil
}

// httpServer serves the HTTP interface of a node.
type httpServer struct {
	config   config.HTTP
	listener *limitedListener
	handler  http.Handler
	refusal  func(reason string) []byte // returns the answer to a request that the handler must not see
	log      *slog.Logger
	stopping func() // called when requests are no longer accepted
	draining func() // called when those in flight have ended or take long
}

// longRequests is the part of the drain time after which requests in flight count
// as long: streams of documents then end early and report how far they came.
const longRequests = 20

// serve answers requests until ctx ends, then waits for those in flight, at most
// for the drain time. Short requests are answered as usual.
func (h *httpServer) serve(ctx context.Context) error {
	server := h.newServer()
	ended := make(chan error, 1)
	go func() {
		if h.config.CertificateFile != "" {
			ended <- server.ServeTLS(h.listener, h.config.CertificateFile, h.config.KeyFile)
			return
		}
		ended <- server.Serve(refusingListener{h.listener, h.refusal})
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	h.stopping()
	drain := sync.OnceFunc(h.draining)
	late := time.AfterFunc(h.config.DrainTimeout/longRequests, drain)
	defer late.Stop()
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.config.DrainTimeout)
	defer cancel()
	err := server.Shutdown(wait)
	drain()
	if errors.Is(err, context.DeadlineExceeded) {
		h.log.Warn("requests were still in flight at the end of the drain time", "drain", h.config.DrainTimeout)
		err = server.Close()
	}
	<-ended
	if err != nil {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}

func (h *httpServer) newServer() *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           serverOptions(h.handler),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		Protocols:         protocols,
		// net/http would answer OPTIONS * itself and wait for its body forever.
		DisableGeneralOptionsHandler: true,
		// The deadlines of responses do not end an HTTP/2 connection whose client reads
		// nothing at all: not even a reset of the stream can be sent on it.
		HTTP2: &http.HTTP2Config{WriteByteTimeout: h2WriteTimeout},
		ConnState: func(c net.Conn, state http.ConnState) {
			if checked, ok := c.(*refusingConn); ok && state == http.StateIdle {
				checked.folds.begin()
			}
			h.listener.note(c, state)
		},
		ErrorLog:  slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
}

// serverOptions answers OPTIONS *, which asks about the server as a whole, and passes
// all other requests to next.
func serverOptions(next http.Handler) http.Handler {
	nothing := api.Bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "0") }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions && r.RequestURI == "*" {
			nothing.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
