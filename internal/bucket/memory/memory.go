// Package memory is a bucket in memory: the reference for what a store must do, and
// the store of simulations.
//
// Conditions are decided under one lock, so exactly one of several writers that
// race on one tag wins. A Bucket may be used by several goroutines.
package memory

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
)

// Bucket keeps objects in a map.
type Bucket struct {
	now func() time.Time

	mu      sync.Mutex
	objects map[string]object
	writes  uint64
}

type object struct {
	content  []byte
	tag      bucket.Tag
	modified time.Time
}

// New returns an empty bucket whose store time is now(); nil means the clock of the
// machine.
func New(now func() time.Time) *Bucket {
	if now == nil {
		now = time.Now
	}
	return &Bucket{now: now, objects: make(map[string]object)}
}

var _ bucket.Bucket = (*Bucket)(nil)

// Get reads an object.
func (b *Bucket) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if err := ctx.Err(); err != nil {
		return bucket.Object{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	date := b.now()
	held, ok := b.objects[key]
	if !ok {
		return bucket.Object{Date: date}, fmt.Errorf("get %s: %w", key, bucket.ErrNotFound)
	}
	answer := bucket.Object{Tag: held.tag, Size: int64(len(held.content)), Date: date}
	if unless != "" && unless == held.tag {
		return answer, bucket.ErrNotModified
	}
	answer.Body = io.NopCloser(bytes.NewReader(held.content))
	return answer, nil
}

// PutIf stores an object if the condition holds.
func (b *Bucket) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	content, err := bucket.ReadBody(ctx, key, body)
	if err != nil {
		return bucket.Written{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	date := b.now()
	if err := b.decide(key, condition); err != nil {
		return bucket.Written{Date: date}, fmt.Errorf("put %s: %w", key, err)
	}
	b.writes++
	tag := bucket.Tag(strconv.FormatUint(b.writes, 16))
	b.objects[key] = object{content: content, tag: tag, modified: date}
	return bucket.Written{Tag: tag, Date: date}, nil
}

func (b *Bucket) decide(key string, condition bucket.Condition) error {
	held, exists := b.objects[key]
	return condition.Check(exists, held.tag)
}

// List returns every object below the prefix.
func (b *Bucket) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	if err := ctx.Err(); err != nil {
		return bucket.Listing{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	lister, date := bucket.NewLister(prefix, delimiter), b.now()
	for key, held := range b.objects {
		if lister.Takes(key) {
			lister.Add(bucket.Entry{Key: key, Size: int64(len(held.content)), Tag: held.tag, Modified: held.modified})
		}
	}
	return lister.Finish(date), nil
}

// Delete removes an object if the condition holds.
func (b *Bucket) Delete(ctx context.Context, key string, condition bucket.Condition) (bucket.Written, error) {
	if err := ctx.Err(); err != nil {
		return bucket.Written{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	date := b.now()
	if err := b.decide(key, condition); err != nil {
		return bucket.Written{Date: date}, fmt.Errorf("delete %s: %w", key, err)
	}
	delete(b.objects, key)
	return bucket.Written{Date: date}, nil
}
