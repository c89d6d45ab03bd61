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

// progressTimeout is how long a body may stand still before the connection is
// given up. There is no bound on the whole, because a stream may carry a
// complete dataset.
const progressTimeout = 30 * time.Second

// boundedBody reads a request body within its bound. Its errors are problems:
// request:body_too_large and request:body_unreadable.
type boundedBody struct {
	source  io.Reader
	left    int64 // bytes that may still come; negative when there is no bound
	limit   int64
	length  int64 // that the client states; negative when it states none
	control *http.ResponseController
	armed   time.Time // when the read deadline was last set
	isBegun bool      // something was read
	failed  error
	isEnded atomic.Bool // it was read to its end, which is asked for while it is read
}

func newBoundedBody(w http.ResponseWriter, r *http.Request, limit int64) *boundedBody {
	b := &boundedBody{source: r.Body, left: limit, limit: limit, length: r.ContentLength, control: http.NewResponseController(w)}
	if limit <= 0 {
		b.left = -1
	}
	if r.Body == nil || r.Body == http.NoBody {
		// The server reads on by itself, to see whether the client leaves: a deadline
		// would end the context of every request that follows on the connection.
		b.failed = io.EOF
		b.isEnded.Store(true)
	}
	return b
}

// stated refuses a body whose stated length is above the bound, also where nobody
// would read it. Nothing of a stream is processed then.
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

// Read reads within the bound.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	if len(p) == 0 {
		return 0, nil
	}
	// One byte more than allowed distinguishes a body at the bound from one above it.
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

// arm moves the read deadline on. A second of imprecision saves a system call
// per read.
func (b *boundedBody) arm() {
	now := time.Now()
	if now.Sub(b.armed) < time.Second {
		return
	}
	b.armed = now
	// A connection that cannot take a deadline, as in tests, is read without.
	_ = b.control.SetReadDeadline(now.Add(progressTimeout))
}

// disarm takes the deadline off, so that a long answer is not cut short by it.
func (b *boundedBody) disarm() {
	if b.armed.IsZero() {
		return
	}
	b.armed = time.Time{}
	_ = b.control.SetReadDeadline(time.Time{})
}

// maxLeftover is how much of a refused body is still taken from the connection: a
// client that sends all of it before it reads would not see the refusal otherwise.
const maxLeftover = 64 << 20

// drain takes what is left of a body that was refused, drops it and reports
// whether that was all of it.
func (b *boundedBody) drain() bool {
	switch {
	case b.failed == io.EOF:
		return true
	case b.failed != nil && !errors.Is(b.failed, problem.RequestBodyTooLarge):
		return false // nothing more comes
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

// Body reads the whole body. It is nil when none was sent.
func (r *Request) Body() ([]byte, error) {
	var buffer bytes.Buffer
	if length := r.HTTP.ContentLength; length > 0 && length <= maxPreallocated {
		buffer.Grow(int(length) + bytes.MinRead)
	}
	if _, err := buffer.ReadFrom(r.text); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(buffer.Bytes())) == 0 {
		return nil, nil
	}
	return buffer.Bytes(), nil
}

// maxPreallocated bounds what a stated length makes us allocate before a byte
// has arrived.
const maxPreallocated = 1 << 20

// RequiredBody reads the whole body and refuses a request without one.
func (r *Request) RequiredBody() ([]byte, error) {
	body, err := r.Body()
	if err == nil && body == nil {
		return nil, problem.RequestBodyRequired.New()
	}
	return body, err
}

// OptionalBody reads the whole body; a missing one and null are read as {}.
func (r *Request) OptionalBody() ([]byte, error) {
	body, err := r.Body()
	if err == nil && (body == nil || string(bytes.TrimSpace(body)) == "null") {
		return []byte("{}"), nil
	}
	return body, err
}

// delimiter returns what separates the values of a body of rows, 0 for other
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
