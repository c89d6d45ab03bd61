// Package faultbucket is a bucket that fails on purpose. It is for tests.
//
// A Plan decides for every call what happens: it goes through, is refused
// before anything happened, is applied with its answer lost, is applied late
// (after other calls), cannot be decided, or stalls until its context ends.
//
// A Bucket may be used by any number of goroutines; the Plan is asked by one at
// a time.
package faultbucket

import (
	"context"
	"fmt"
	"sync"

	"github.com/quiresearch/quire/internal/bucket"
)

// Fault is what happens to one call.
type Fault int

// The faults. Those about writes leave reads alone.
const (
	None        Fault = iota
	Unavailable       // nothing happens; the outcome is reported as not known
	LoseReply         // the write takes place; the outcome is reported as not known
	Late              // the write takes place when Settle is called; not known until then
	Undecided         // a conditional write is answered with ErrUndecided; nothing happens
	Stall             // the call waits for its context to end; nothing happens
)

// Call is one call of the bucket.
type Call struct {
	Number int    // from 1
	Op     string // get, put, list, delete
	Key    string // the prefix for list
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

// Settle applies the writes that are late, in the order of their calls.
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

func (b *Bucket) decide(op, key string) Fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if b.plan == nil {
		return None
	}
	return b.plan(Call{Number: b.calls, Op: op, Key: key})
}

func unknown(op, key string) error { return fmt.Errorf("%s %s: %w", op, key, bucket.ErrUnknown) }

// refuse returns the error of a fault before which nothing happens, nil for
// the others.
func refuse(ctx context.Context, fault Fault, op, key string) error {
	switch fault {
	case Unavailable:
		return unknown(op, key)
	case Stall:
		<-ctx.Done()
		return fmt.Errorf("%s %s: %w: %w", op, key, bucket.ErrUnknown, ctx.Err())
	}
	return nil
}

// Get reads an object.
func (b *Bucket) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if err := refuse(ctx, b.decide("get", key), "get", key); err != nil {
		return bucket.Object{}, err
	}
	return b.under.Get(ctx, key, unless)
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
	fault := b.decide(op, key)
	if err := refuse(ctx, fault, op, key); err != nil {
		return bucket.Written{}, err
	}
	switch fault {
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
	if err := refuse(ctx, b.decide("list", prefix), "list", prefix); err != nil {
		return bucket.Listing{}, err
	}
	return b.under.List(ctx, prefix, delimiter)
}
