package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// wire is a connection to the server on which one request follows the other.
// It writes and reads in the goroutine that asks, so that what is measured is
// the server and the protocol; the client of net/http hands every request to
// two goroutines of its own and back.
type wire struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

func (r *remote) dial() (*wire, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (w *wire) close() { _ = w.conn.Close() }

// post asks one of the operations of the index.
func (w *wire) post(operation string, body []byte) ([]byte, error) {
	w.request = fmt.Appendf(w.request[:0], "POST /v1alpha1/indexes/%s/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		remoteIndex, operation, len(body))
	w.request = append(w.request, body...)
	if _, err := w.conn.Write(w.request); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s: %d %s", operation, answer.StatusCode, text[:min(len(text), 500)])
	}
	return text, err
}
