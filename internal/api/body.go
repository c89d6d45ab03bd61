package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/problem"
)

// progressTimeout bounds how long a body may make no progress before the
// connection is abandoned. The total time is unlimited, because a stream may
// carry a complete dataset.
const progressTimeout = 30 * time.Second

// boundedBody reads a request body up to its limit. Its errors are problems:
// request:body_too_large and request:body_unreadable.
type boundedBody struct {
	source  io.Reader
	left    int64 // bytes that may still arrive; negative if unlimited
	limit   int64
	length  int64 // declared by the client; negative if not declared
	control *http.ResponseController
	armed   time.Time // when the read deadline was last set
	isBegun bool      // something has been read
	failed  error
	isEnded atomic.Bool // the end was reached; checked while the body is being read
}

func newBoundedBody(w http.ResponseWriter, r *http.Request, limit int64) *boundedBody {
	b := &boundedBody{source: r.Body, left: limit, limit: limit, length: r.ContentLength, control: http.NewResponseController(w)}
	if limit <= 0 {
		b.left = -1
	}
	if r.Body == nil || r.Body == http.NoBody {
		// The server itself keeps reading to detect a client that leaves: a deadline
		// would end the context of every later request on the connection.
		b.failed = io.EOF
		b.isEnded.Store(true)
	}
	return b
}

// stated rejects a body whose declared length exceeds the limit, even if no
// handler would read it. Nothing of a stream is processed in that case.
func (b *boundedBody) stated(isStream bool) error {
	if b.limit <= 0 || b.length <= b.limit {
		return nil
	}
	p := b.tooLarge()
	if isStream {
		p.With("processed", 0)
	}
	b.failed = p
	return p
}

// Read reads up to the limit.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	if len(p) == 0 {
		return 0, nil
	}
	// One extra byte distinguishes a body at the limit from one above it.
	if b.left >= 0 && int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	b.arm()
	b.isBegun = true
	n, err := b.source.Read(p)
	if b.left >= 0 {
		if int64(n) > b.left {
			b.failed = b.tooLarge()
			return int(b.left), b.failed
		}
		b.left -= int64(n)
	}
	switch {
	case errors.Is(err, io.EOF):
		b.disarm()
		b.failed = err
		b.isEnded.Store(true)
	case err != nil: // the deadline stays: nothing more is read
		b.failed = problem.RequestBodyUnreadable.New().Because(err)
		err = b.failed
	}
	return n, err
}

// arm extends the read deadline. A second of imprecision saves a system call
// per read.
func (b *boundedBody) arm() {
	now := time.Now()
	if now.Sub(b.armed) < time.Second {
		return
	}
	b.armed = now
	// A connection that does not support deadlines, as in tests, is read without
	// one.
	_ = b.control.SetReadDeadline(now.Add(progressTimeout))
}

// disarm removes the deadline, so that it does not cut a long response short.
func (b *boundedBody) disarm() {
	if b.armed.IsZero() {
		return
	}
	b.armed = time.Time{}
	_ = b.control.SetReadDeadline(time.Time{})
}

// maxLeftover bounds how much of a refused body is still read from the
// connection: a client that sends everything before it reads would otherwise
// not see the refusal.
const maxLeftover = 64 << 20

// drain discards the rest of a refused body and reports whether it reached the
// end.
func (b *boundedBody) drain() bool {
	switch {
	case b.failed == io.EOF:
		return true
	case b.failed != nil && !errors.Is(b.failed, problem.RequestBodyTooLarge):
		return false // nothing more will arrive
	}
	_ = b.control.SetReadDeadline(time.Now().Add(leftoverTimeout))
	_, err := io.CopyN(io.Discard, b.source, maxLeftover)
	if err == io.EOF {
		b.failed = err
		b.isEnded.Store(true)
	}
	return err == io.EOF
}

func (b *boundedBody) tooLarge() *problem.Problem {
	return problem.RequestBodyTooLarge.New("limit", b.limit)
}

// Body reads the whole body. It returns nil if none was sent.
func (r *Request) Body() ([]byte, error) {
	buffer := newBodyBuffer(r.HTTP.ContentLength)
	if _, err := buffer.ReadFrom(r.text); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(buffer.Bytes())) == 0 {
		return nil, nil
	}
	return buffer.Bytes(), nil
}

// maxPreallocated bounds the allocation made for a declared length before any
// byte has arrived.
const maxPreallocated = 1 << 20

// newBodyBuffer returns a buffer for a body of a declared length.
func newBodyBuffer(length int64) *bytes.Buffer {
	buffer := new(bytes.Buffer)
	if length > 0 && length <= maxPreallocated {
		buffer.Grow(int(length) + bytes.MinRead)
	}
	return buffer
}

// RequiredBody reads the whole body and rejects a request without one.
func (r *Request) RequiredBody() ([]byte, error) {
	body, err := r.Body()
	if err == nil && body == nil {
		return nil, problem.RequestBodyRequired.New()
	}
	return body, err
}

// OptionalBody reads the whole body; a missing body or null counts as {}.
func (r *Request) OptionalBody() ([]byte, error) {
	body, err := r.Body()
	if err == nil && (body == nil || string(bytes.TrimSpace(body)) == "null") {
		return []byte("{}"), nil
	}
	return body, err
}

// delimiter returns the separator of values in a body of rows, or 0 for other
// bodies.
func (r *Request) delimiter() rune {
	switch mediaType(r.HTTP.Header.Get("Content-Type")) {
	case mediaCSV:
		return ','
	case mediaTSV:
		return '\t'
	}
	return 0
}

// IsNDJSON reports whether the body is a stream of documents, one per line.
func (r *Request) IsNDJSON() bool {
	return mediaType(r.HTTP.Header.Get("Content-Type")) == mediaNDJSON
}
