package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/problem"
)

// Receipt is the outcome of the writes of a stream.
type Receipt struct {
	// Sequence is the commit that holds or will hold everything the stream wrote;
	// the current commit if it wrote nothing.
	Sequence uint64
	// Durable is the number of durable operations, counted from the first: all of
	// them unless Wait failed.
	Durable int
}

// WriteStream is a run of writes by one caller. Add, Update and Delete return
// refusals at once; Wait returns when the accepted writes are durable. A context
// bounds how long a write waits to be accepted; an accepted write is not withdrawn.
type WriteStream struct {
	g      *Generation
	inside bool // it passed the gate for all its operations

	mu       sync.Mutex
	total    int // operations accepted
	open     int // operations accepted and not settled
	durable  int
	known    int // durable when Wait last succeeded
	behind   int // operations that became durable after an earlier one had failed
	sequence uint64
	err      error
	settled  chan struct{} // closed when open drops to zero; nil while no caller waits

	joined   uint64 // the round of the queue in which it last waited; guarded by queue.mu
	answered uint64 // the round that began when it was last answered; guarded by queue.mu
}

// WriteStream starts a run of writes.
func (g *Generation) WriteStream() *WriteStream { return &WriteStream{g: g} }

// enter passes the gate for one operation, which ends with leave.
func (s *WriteStream) enter(ctx context.Context) error {
	if s.inside {
		return nil
	}
	return s.g.gate.enter(ctx)
}

// leave ends what enter began.
func (s *WriteStream) leave() {
	if !s.inside {
		s.g.gate.leave()
	}
}

// Add writes a document, replacing the one under its key. Signal values that it
// does not give stay unchanged. The stream owns the document when Add returns nil.
func (s *WriteStream) Add(ctx context.Context, d *document.Document) error {
	return s.write(ctx, string(d.Key), func(key string) (*operation, error) { return s.g.addition(key, d) })
}

// Delete removes the document under a key in text form. It succeeds when there is
// none.
func (s *WriteStream) Delete(ctx context.Context, key document.Key) error {
	return s.write(ctx, string(key), func(key string) (*operation, error) {
		return &operation{Operation: log.Operation{Kind: log.Delete, Key: key}}, nil
	})
}

// Current is the newest state of a document, uncommitted writes included.
type Current struct {
	Key document.Key

	signals []signalValue // by field; without those that have no value
	source  func() ([]byte, error)
}

// Source returns the document as it was sent. The signal values in it are not the
// current ones; those are carried over. It fails with problem.DocumentSourceNotKept
// when the document was written without its source.
func (c Current) Source() ([]byte, error) { return c.source() }

// Signal returns the current value of a signal field, and false when there is none.
func (c Current) Signal(field *definition.ResolvedField) (number int64, ok bool) {
	for _, s := range c.signals {
		if s.Field == field.Path && s.Has {
			return s.Value, true
		}
	}
	return 0, false
}

// Update changes the document under a key: change gets the newest state and returns
// the whole document to replace it, or an error, which leaves everything as it is.
// No other write to the key comes in between. If there is no document under the
// key, found is false and change is not called. Signal values that the new document
// does not mention stay unchanged.
func (s *WriteStream) Update(ctx context.Context, key document.Key, change func(Current) (*document.Document, error)) (found bool, err error) {
	err = s.write(ctx, string(key), func(key string) (*operation, error) {
		current, exists, err := s.g.newest(key)
		if err != nil || !exists {
			return nil, err
		}
		found = true
		d, err := change(current)
		if err != nil {
			return nil, err
		}
		return s.g.replacement(key, d, current.signals)
	})
	return found, err
}

// write passes the gate and makes one operation while no other write to the key is
// under way. prepare may return no operation.
func (s *WriteStream) write(ctx context.Context, key string, prepare func(key string) (*operation, error)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if err := s.g.queue.awaitCapacity(ctx, s.g.options.LogWait); err != nil {
		return err
	}
	if key == "" {
		key = s.g.newInternalKey()
	} else {
		stripe := s.g.stripe(key)
		stripe.Lock()
		defer stripe.Unlock()
	}
	refused := s.g.queue.refused.Load()
	op, err := prepare(key)
	if err != nil || op == nil {
		return err
	}
	op.stream = s
	return s.g.queue.pushOnto(refused, op)
}

// taken counts operations that the queue accepted.
func (s *WriteStream) taken(count int) {
	s.mu.Lock()
	s.total += count
	s.open += count
	s.mu.Unlock()
}

// Taken returns how many operations the stream has accepted so far.
func (s *WriteStream) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// settle records the outcome of consecutive operations.
func (s *WriteStream) settle(count int, sequence uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open -= count
	switch {
	case err == nil && s.err == nil:
		s.durable += count
		s.sequence = max(s.sequence, sequence)
	case s.err == nil:
		s.err = err
	case err == nil:
		s.behind += count
	}
	if s.open == 0 && s.settled != nil {
		close(s.settled)
		s.settled = nil
	}
}

// Wait blocks until every operation accepted so far is durable or one has failed.
// storage:unknown means either that it gave up waiting and operations that are not
// durable yet may still become so, or that some operations are durable and the others
// were refused. Wait may be called again after further writes.
func (s *WriteStream) Wait(ctx context.Context) (Receipt, error) {
	s.mu.Lock()
	if s.open > 0 {
		if s.settled == nil {
			s.settled = make(chan struct{})
		}
		settled := s.settled
		s.mu.Unlock()
		err := s.await(ctx, settled)
		s.mu.Lock()
		if err != nil {
			defer s.mu.Unlock()
			return Receipt{Sequence: s.sequence, Durable: s.durable}, problem.StorageUnknown.New("resource", "index").Because(err)
		}
	}
	defer s.mu.Unlock()
	receipt := Receipt{Sequence: s.sequence, Durable: s.durable}
	if receipt.Sequence == 0 {
		receipt.Sequence = s.g.Sequence()
	}
	if s.err == nil {
		s.known = s.durable
	}
	return receipt, s.outcome()
}

// outcome returns the error of Wait. storage:io_error says that nothing was changed,
// which is false once the log has accepted one of several writes (R14): the first, or one
// that was accepted after an earlier one had failed. The caller holds mu.
func (s *WriteStream) outcome() error {
	var refused *problem.Problem
	durable := s.durable - s.known + s.behind
	if durable == 0 || !errors.As(s.err, &refused) || refused.Code != problem.StorageIoError {
		return s.err
	}
	return problem.StorageUnknown.New("resource", "index").Because(fmt.Errorf("%d of %d writes are durable: %w", durable, s.total-s.known, refused.Cause))
}

var errNoProgress = errors.New("the log shows no progress")

// await waits for a channel to be closed. It returns an error when it gives up
// because ctx ended or one append to the log took too long.
func (s *WriteStream) await(ctx context.Context, settled <-chan struct{}) error {
	most := s.g.options.LogWait
	for wait := most; ; {
		late, stop := after(wait)
		select {
		case <-settled:
			stop()
			return nil
		case <-ctx.Done():
			stop()
			return ctx.Err()
		case <-late:
			if wait = s.g.queue.patience(most); wait <= 0 {
				return errNoProgress
			}
		}
	}
}

// stripes is the number of locks that serialize writes to the same key.
const stripes = 256

var stripeSeed = maphash.MakeSeed()

func (g *Generation) stripe(key string) *sync.Mutex {
	return &g.stripes[maphash.String(stripeSeed, key)%stripes]
}

// newInternalKey returns a unique key for a document of an index without primary
// key: the random prefix of this opening and a counter.
func (g *Generation) newInternalKey() string {
	key := append([]byte(nil), g.session[:8]...)
	return string(binary.BigEndian.AppendUint64(key, g.internal.Add(1)))
}
