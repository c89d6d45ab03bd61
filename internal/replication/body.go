package replication

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/vfs"
)

// mappedBody returns a body of mapped bytes. A transport reads it in its own goroutine,
// possibly after the store has answered, so each reader holds the mapping until it is
// closed. If the bytes cannot be read, fail is called with the fault.
func mappedBody(mapping *vfs.Mapping, fail context.CancelCauseFunc) (body bucket.Body, err error) {
	err = vfs.Protect(func() error {
		body = bucket.Bytes(mapping.Bytes())
		return nil
	})
	body.Open = func() (io.ReadCloser, error) {
		if !mapping.Retain() {
			return nil, fmt.Errorf("read %s: %w", mapping.Name(), os.ErrClosed)
		}
		return &mappedReader{mapping: mapping, rest: mapping.Bytes(), fail: fail}, nil
	}
	return body, err
}

// mappedReader reads mapped bytes. It may be closed during a Read.
type mappedReader struct {
	mapping *vfs.Mapping
	fail    context.CancelCauseFunc

	mu       sync.Mutex
	rest     []byte
	isClosed bool
}

func (r *mappedReader) Read(b []byte) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.isClosed:
		return 0, fmt.Errorf("read %s: %w", r.mapping.Name(), os.ErrClosed)
	case len(r.rest) == 0:
		return 0, io.EOF
	}
	err = vfs.Protect(func() error {
		n = copy(b, r.rest)
		return nil
	})
	if err != nil {
		r.fail(err)
		return 0, err
	}
	r.rest = r.rest[n:]
	return n, nil
}

func (r *mappedReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isClosed {
		return nil
	}
	r.isClosed = true
	return r.mapping.Release()
}
