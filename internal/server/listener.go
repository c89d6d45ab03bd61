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
	"time"

	"github.com/quiresearch/quire/internal/config"
)

// Bounds on slow clients. There is no bound on a whole request, because a
// stream may carry a complete dataset; bodies are bounded by their progress.
const (
	headerTimeout  = 5 * time.Second
	maxHeaderBytes = 32 << 10
	idleTimeout    = 90 * time.Second
)

// listen opens the listener of the node. A certificate that could not be
// served with refuses the start.
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

// serveHTTP answers requests until ctx ends, then waits for those in flight,
// at most for the drain time. draining is called before the wait.
func serveHTTP(ctx context.Context, c config.HTTP, listener *limitedListener, handler http.Handler, refusal func(reason string) []byte, log *slog.Logger, draining func()) error {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		Protocols:         protocols,
		ConnState: func(c net.Conn, state http.ConnState) {
			if checked, ok := c.(*refusingConn); ok && state == http.StateIdle {
				checked.folds.begin()
			}
			listener.note(c, state)
		},
		ErrorLog:  slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	ended := make(chan error, 1)
	go func() {
		if c.CertificateFile != "" {
			ended <- server.ServeTLS(listener, c.CertificateFile, c.KeyFile)
			return
		}
		ended <- server.Serve(refusingListener{listener, refusal})
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	draining()
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.DrainTimeout)
	defer cancel()
	err := server.Shutdown(wait)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("requests were still in flight at the end of the drain time", "drain", c.DrainTimeout)
		err = server.Close()
	}
	<-ended
	if err != nil {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}
