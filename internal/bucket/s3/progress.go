package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
)

// stallLimit is how long a request may show no progress: while it is sent, until it
// is answered, and whenever a caller waits for more of the answer. Large objects
// may take as long as they need.
const stallLimit = 30 * time.Second

var errStalled = errors.New("no progress for too long")

// progress ends a request that stalls.
type progress struct {
	end    context.CancelFunc
	caller <-chan struct{} // closed when the caller's context ends

	mu         sync.Mutex
	timer      *time.Timer
	isAnswered bool
	isStalled  bool // it made no progress for too long
}

// watch returns the context of a request and its progress, which begins now.
func watch(ctx context.Context) (context.Context, *progress) {
	p := &progress{caller: ctx.Done()}
	ctx, p.end = context.WithCancel(ctx)
	p.timer = time.AfterFunc(stallLimit, p.stall)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { p.sent() },
		WroteRequest: func(httptrace.WroteRequestInfo) { p.sent() },
	}), p
}

// sent records progress of a request on its way. Bytes sent after the answer came
// do not count.
func (p *progress) sent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isAnswered {
		p.timer.Reset(stallLimit)
	}
}

// stall ends the request because it made no progress.
func (p *progress) stall() {
	p.mu.Lock()
	p.isStalled = true
	p.mu.Unlock()
	p.end()
}

// answered records that the answer came; no caller waits for its body yet.
func (p *progress) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isAnswered = true
	p.timer.Stop()
}

// over ends the watch, and the request if it is still under way.
func (p *progress) over() {
	p.answered()
	p.end()
}

// sending is the body of a request.
type sending struct {
	io.ReadCloser
	progress *progress
}

func (s sending) Read(b []byte) (int, error) {
	s.progress.sent()
	return s.ReadCloser.Read(b)
}

// receiving is the body of an answer. If it breaks off or stalls, its rest is
// unknown and may be requested again.
type receiving struct {
	io.ReadCloser
	progress *progress
}

func (r *receiving) Read(b []byte) (int, error) {
	r.progress.timer.Reset(stallLimit)
	n, err := r.ReadCloser.Read(b)
	r.progress.timer.Stop()
	if err == nil {
		return n, nil
	}
	if err != io.EOF && !r.progress.callerLeft() {
		err = r.progress.unanswered(err)
	}
	r.progress.over()
	return n, err
}

func (r *receiving) Close() error {
	defer r.progress.over()
	return r.ReadCloser.Close()
}

// callerLeft reports whether the caller's context has ended.
func (p *progress) callerLeft() bool {
	select {
	case <-p.caller:
		return true
	default:
		return false
	}
}

// unanswered returns the error of a request without a whole answer.
func (p *progress) unanswered(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isStalled {
		err = errStalled
	}
	return fmt.Errorf("%w: %w", bucket.ErrUnknown, err)
}
