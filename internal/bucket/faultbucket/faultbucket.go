// Package faultbucket is a bucket that fails on purpose. It is for tests.
//
// A Plan decides what happens to every call: it goes through, is refused before
// anything happened, is applied with its answer lost, is applied late (after other
// calls) or twice, cannot be decided, is slow, stalls until its context ends,
// transfers half of its bytes, or lists an earlier state.
//
// A Bucket may be used by any number of goroutines; it calls the Plan from one at a
// time.
package faultbucket

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
)

// Fault is what happens to one call.
type Fault int

// The faults. Those that concern writes do not affect reads.
const (
	None        Fault = iota
	Unavailable       // nothing happens; the outcome is reported as unknown
	LoseReply         // the write takes place; the outcome is reported as unknown
	Late              // the write takes place when Settle is called; until then it is unknown
	Undecided         // a conditional write is answered with ErrUndecided; nothing happens
	Stall             // the call waits for its context to end; nothing happens
	Hang              // the call waits for its context to end, at most as long as HangLimit; nothing happens
	Slow              // the call takes place after SlowBy
	Cut               // only half of the bytes of an object that is read arrive; other calls are Unavailable
	Duplicate         // the write takes place twice; the second answer is returned
	Stale             // a listing shows the state before the last writes
)

// SlowBy is how long a slow call takes, and HangLimit how long a client of a store
// waits for an unanswered request.
const (
	SlowBy    = 20 * time.Second
	HangLimit = 45 * time.Second
)

// remembered is how many writes a stale listing does not show.
const remembered = 4

// Call is one call of the bucket.
type Call struct {
	Number int    // from 1
	Op     string // get, put, list, delete
	Key    string // the prefix for list

	IsConditional bool // of a write: it has a condition
}

// Plan decides what happens to a call.
type Plan func(Call) Fault

// Bucket passes calls on as its plan says. It may be used by any number of
// goroutines.
type Bucket struct {
	under bucket.Bucket

	mu    sync.Mutex
	plan  Plan
	calls int
	late  []func()
	past  []past // before each of the last writes, oldest first
}

// past is what a listing showed of a key before a write.
type past struct {
	key   string
	entry *bucket.Entry // nil: nothing
}

var _ bucket.Bucket = (*Bucket)(nil)

// New returns a bucket over another one.
func New(under bucket.Bucket, plan Plan) *Bucket { return &Bucket{under: under, plan: plan} }

// SetPlan replaces the plan; nil lets everything through.
func (b *Bucket) SetPlan(plan Plan) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.plan = plan
}

// Settle applies the late writes, in the order of their calls.
func (b *Bucket) Settle() {
	b.mu.Lock()
	late := b.late
	b.late = nil
	b.mu.Unlock()
	for _, apply := range late {
		apply()
	}
}

// Late returns how many writes wait for Settle.
func (b *Bucket) Late() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.late)
}

func (b *Bucket) decide(op, key string, isConditional bool) Fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if b.plan == nil {
		return None
	}
	return b.plan(Call{Number: b.calls, Op: op, Key: key, IsConditional: isConditional})
}

func unknown(op, key string) error { return fmt.Errorf("%s %s: %w", op, key, bucket.ErrUnknown) }

// refuse returns the error of a fault that prevents the call, or nil for the
// others.
func refuse(ctx context.Context, fault Fault, op, key string) error {
	switch fault {
	case Unavailable:
		return unknown(op, key)
	case Slow:
		wait(ctx, SlowBy)
		return ctx.Err()
	case Hang:
		wait(ctx, HangLimit)
		return unknown(op, key)
	case Stall:
		<-ctx.Done()
		return fmt.Errorf("%s %s: %w: %w", op, key, bucket.ErrUnknown, ctx.Err())
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Get reads an object.
func (b *Bucket) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	fault := b.decide("get", key, false)
	if err := refuse(ctx, fault, "get", key); err != nil {
		return bucket.Object{}, err
	}
	object, err := b.under.Get(ctx, key, unless)
	if err == nil && fault == Cut {
		object.Body = &halfBody{object.Body, object.Size / 2, unknown("get", key)}
	}
	return object, err
}

// halfBody is a body that breaks off.
type halfBody struct {
	io.ReadCloser
	left int64
	end  error
}

func (h *halfBody) Read(p []byte) (int, error) {
	if h.left <= 0 {
		return 0, h.end
	}
	n, err := h.ReadCloser.Read(p[:min(int64(len(p)), h.left)])
	h.left -= int64(n)
	return n, err
}

// PutIf stores an object if the condition holds.
func (b *Bucket) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	return b.write(ctx, "put", key, condition, func(ctx context.Context) (bucket.Written, error) {
		return b.under.PutIf(ctx, key, body, condition)
	})
}

// Delete removes an object if the condition holds.
func (b *Bucket) Delete(ctx context.Context, key string, condition bucket.Condition) (bucket.Written, error) {
	return b.write(ctx, "delete", key, condition, func(ctx context.Context) (bucket.Written, error) {
		return b.under.Delete(ctx, key, condition)
	})
}

func (b *Bucket) write(ctx context.Context, op, key string, condition bucket.Condition,
	apply func(context.Context) (bucket.Written, error)) (bucket.Written, error) {
	fault := b.decide(op, key, condition != bucket.Always)
	if err := refuse(ctx, fault, op, key); err != nil {
		return bucket.Written{}, err
	}
	b.remember(ctx, key)
	switch fault {
	case Cut:
		return bucket.Written{}, unknown(op, key)
	case Duplicate:
		apply(ctx)
	case Undecided:
		if condition != bucket.Always {
			return bucket.Written{}, fmt.Errorf("%s %s: %w", op, key, bucket.ErrUndecided)
		}
	case LoseReply:
		apply(ctx)
		return bucket.Written{}, unknown(op, key)
	case Late:
		b.mu.Lock()
		b.late = append(b.late, func() { apply(context.WithoutCancel(ctx)) })
		b.mu.Unlock()
		return bucket.Written{}, unknown(op, key)
	}
	return apply(ctx)
}

// List returns every object below the prefix.
func (b *Bucket) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	fault := b.decide("list", prefix, false)
	if err := refuse(ctx, fault, "list", prefix); err != nil {
		return bucket.Listing{}, err
	}
	switch fault {
	case Cut:
		return bucket.Listing{}, unknown("list", prefix)
	case Stale:
		return b.stale(ctx, prefix, delimiter)
	}
	return b.under.List(ctx, prefix, delimiter)
}

// remember records what a listing shows of a key that is about to be written.
func (b *Bucket) remember(ctx context.Context, key string) {
	listing, err := b.under.List(ctx, key, "")
	if err != nil {
		return
	}
	before := past{key: key}
	for _, entry := range listing.Entries {
		if entry.Key == key {
			before.entry = &entry
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.past = append(b.past, before)
	b.past = b.past[max(0, len(b.past)-remembered):]
}

// stale lists the state before the remembered writes.
func (b *Bucket) stale(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	listing, err := b.under.List(ctx, prefix, "")
	if err != nil {
		return listing, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, before := range slices.Backward(b.past) {
		if !strings.HasPrefix(before.key, prefix) {
			continue
		}
		listing.Entries = slices.DeleteFunc(listing.Entries, func(e bucket.Entry) bool { return e.Key == before.key })
		if before.entry != nil {
			listing.Entries = append(listing.Entries, *before.entry)
		}
	}
	lister := bucket.NewLister(prefix, delimiter)
	for _, entry := range listing.Entries {
		if lister.Takes(entry.Key) {
			lister.Add(entry)
		}
	}
	return lister.Finish(listing.Date), nil
}
