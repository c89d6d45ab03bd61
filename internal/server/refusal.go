package server

import (
	"bytes"
	"fmt"
	"net"
)

// The HTTP server itself answers a request that it cannot read, as plain text
// written past every handler. refusingListener replaces such an answer by the error
// body of the interface, so that clients see one form of failure.
//
// It recognizes such an answer by its first header lines, which no answer of a
// handler has: those carry a date. For an expectation that the server does not
// know, it recognizes a status that no handler uses.
type refusingListener struct {
	net.Listener
	body func(reason string) []byte
}

func (l refusingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &refusingConn{Conn: c, body: l.body}, nil
}

type refusingConn struct {
	net.Conn
	body  func(reason string) []byte
	folds foldCheck
}

func (c *refusingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.folds.check(p[:n])
	return n, err
}

func (c *refusingConn) Write(p []byte) (int, error) {
	reason, ok := refusal(p)
	if !ok {
		return c.Conn.Write(p)
	}
	body := c.body(reason)
	answer := fmt.Appendf(nil, "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n", len(body))
	if _, err := c.Conn.Write(append(answer, body...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

var (
	refusalProtocol    = []byte("HTTP/1.1 ")
	unknownExpectation = []byte("HTTP/1.1 417 Expectation Failed")
	refusalHeader      = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
)

// refusal returns why the server refused a request if p is such an answer.
func refusal(p []byte) (reason string, ok bool) {
	line, rest, found := bytes.Cut(p, []byte("\r\n"))
	if !found || !bytes.HasPrefix(line, refusalProtocol) ||
		!bytes.HasPrefix(rest, refusalHeader) && !bytes.Equal(line, unknownExpectation) {
		return "", false
	}
	_, text, _ := bytes.Cut(line[len(refusalProtocol):], []byte(" ")) // without the status
	return string(bytes.ToLower(text)), true
}
