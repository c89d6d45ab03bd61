package server

import (
	"bytes"
	"sync"
)

// A header line that begins with a blank continues the previous line (obs-fold, RFC
// 9112, section 5.2). net/http joins the two; proxies that do not would read
// another header than this node, so such requests are refused.
//
// foldCheck watches the bytes that a connection reads and replaces the blank by a
// colon, which makes a line without a name that net/http refuses. It knows where a
// header begins: with the connection, after a header without a body, and where the
// server says that the previous request is answered. A header that a client sends
// before its previous body is answered goes unchecked.
//
// The goroutine that reads the connection and the one that serves it use it
// concurrently.
type foldCheck struct {
	mu sync.Mutex
	header
}

// header is how far the header of a request was read.
type header struct {
	isInside bool // after the request line
	isEnded  bool // nothing is checked until the next header begins
	isOther  bool // another protocol follows: nothing is checked any more
	hasBody  bool
	line     []byte // its first bytes
}

// lineHead is how many bytes of a line are kept.
const lineHead = len("transfer-encoding:")

// begin says that the next bytes are a header.
func (c *foldCheck) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restart()
}

// check changes p where a line is folded.
func (c *foldCheck) check(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read(p)
}

func (c *header) restart() { *c = header{isOther: c.isOther, line: c.line[:0]} }

func (c *header) read(p []byte) {
	for len(p) > 0 && !c.isEnded && !c.isOther {
		if c.isInside && len(c.line) == 0 && (p[0] == ' ' || p[0] == '\t') {
			p[0] = ':'
		}
		end := bytes.IndexByte(p, '\n')
		part := p
		if end >= 0 {
			part = p[:end]
		}
		c.line = append(c.line, part[:min(len(part), lineHead-len(c.line))]...)
		if end < 0 {
			return
		}
		c.endLine()
		p = p[end+1:]
	}
}

func (c *header) endLine() {
	line := bytes.ToLower(bytes.TrimSuffix(c.line, []byte{'\r'}))
	c.line = c.line[:0]
	switch {
	case !c.isInside:
		c.isInside = true
		c.isOther = bytes.HasPrefix(line, []byte("pri * http/2.0"))
	case len(line) == 0 && c.hasBody:
		c.isEnded = true
	case len(line) == 0:
		c.restart()
	case bytes.HasPrefix(line, []byte("content-length:")), bytes.HasPrefix(line, []byte("transfer-encoding:")):
		c.hasBody = true
	}
}
