// Package wire is how benchmarks talk to services: over their own cheap
// connections, or with the client of net/http where nothing is measured.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
)

// Conn is a connection for sequential requests. It writes and reads in the
// calling goroutine: the client of net/http passes every request to two
// goroutines of its own and back, which costs processor time that the measured
// services need.
type Conn struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
	answer  bytes.Buffer
}

// Dial connects to host:port.
func Dial(address string) (*Conn, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &Conn{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// Close ends the connection.
func (c *Conn) Close() { _ = c.conn.Close() }

// Send sends one request. The response is valid until the next call.
func (c *Conn) Send(method, path, kind string, body []byte) ([]byte, error) {
	c.request = fmt.Appendf(c.request[:0], "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", method, path, kind, len(body))
	c.request = append(c.request, body...)
	if _, err := c.conn.Write(c.request); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	c.answer.Reset()
	if _, err := c.answer.ReadFrom(answer.Body); err != nil {
		return nil, err
	}
	return check(method, path, answer.StatusCode, c.answer.Bytes())
}

// check returns the text of a response, or an error with its beginning.
func check(method, path string, status int, text []byte) ([]byte, error) {
	if status >= 300 {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, status, text[:min(len(text), 500)])
	}
	return text, nil
}

// Send sends one request with a client to a service at a URL.
func Send(client *http.Client, method, url, path, kind string, body io.Reader) ([]byte, error) {
	request, err := http.NewRequestWithContext(context.Background(), method, url+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", kind)
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	return check(method, path, answer.StatusCode, text)
}

// FreeAddress returns a loopback address that nothing listens on.
func FreeAddress() (address, port string, err error) {
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	address = probe.Addr().String()
	_, port, _ = net.SplitHostPort(address)
	return address, port, probe.Close()
}
