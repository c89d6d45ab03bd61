package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
)

// wire is a connection on which one request follows the other. It writes and
// reads in the goroutine that asks: the client of net/http hands every request
// to two goroutines of its own and back, which costs processor time that the
// services under measurement share.
type wire struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
	answer  bytes.Buffer
}

func dialWire(address string) (*wire, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (w *wire) close() { _ = w.conn.Close() }

// send does one request. The answer is valid until the next.
func (w *wire) send(method, path, kind string, body []byte) ([]byte, error) {
	w.request = fmt.Appendf(w.request[:0], "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", method, path, kind, len(body))
	w.request = append(w.request, body...)
	if _, err := w.conn.Write(w.request); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	w.answer.Reset()
	if _, err := w.answer.ReadFrom(answer.Body); err != nil {
		return nil, err
	}
	text := w.answer.Bytes()
	if answer.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text[:min(len(text), 500)])
	}
	return text, nil
}
