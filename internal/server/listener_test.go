package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/config"
)

// deadlined records the last deadlines set by a request.
type deadlined struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (d *deadlined) SetReadDeadline(at time.Time) error {
	d.read = at
	return nil
}

func (d *deadlined) SetWriteDeadline(at time.Time) error {
	d.write = at
	return nil
}

// S14: neither a body of OPTIONS * that never ends nor an HTTP/2 client that reads
// nothing keeps its connection open.
func TestTheServerItselfWaitsForNobody(t *testing.T) {
	h := &httpServer{config: config.HTTP{}, log: slog.New(slog.DiscardHandler),
		handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })}
	server := h.newServer()
	if !server.DisableGeneralOptionsHandler || server.HTTP2 == nil || server.HTTP2.WriteByteTimeout <= 0 {
		t.Errorf("net/http waits without limit: %v, %+v", server.DisableGeneralOptionsHandler, server.HTTP2)
	}
	answer := &deadlined{ResponseRecorder: httptest.NewRecorder()}
	server.Handler.ServeHTTP(answer, httptest.NewRequest("OPTIONS", "*", strings.NewReader("{")))
	if answer.Code != http.StatusOK || answer.Header().Get("Content-Length") != "0" || answer.read.IsZero() || answer.write.IsZero() {
		t.Errorf("OPTIONS *: status %d, %v, deadlines %v to read and %v to write", answer.Code, answer.Header(), answer.read, answer.write)
	}
	for _, target := range []string{"/", "/*"} {
		answer := httptest.NewRecorder()
		server.Handler.ServeHTTP(answer, httptest.NewRequest("OPTIONS", target, nil))
		if answer.Code != http.StatusTeapot {
			t.Errorf("OPTIONS %s: status %d", target, answer.Code)
		}
	}
}
