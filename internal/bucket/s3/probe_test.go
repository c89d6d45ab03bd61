package s3_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/bucket/s3"
	"github.com/quiresearch/quire/internal/s3test"
)

// flawed is a store that breaks one rule.
type flawed struct {
	bucket.Bucket
	put    func(under bucket.Bucket, ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error)
	get    func(under bucket.Bucket, ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error)
	list   func(under bucket.Bucket, ctx context.Context, prefix, delimiter string) (bucket.Listing, error)
	delete func(under bucket.Bucket, ctx context.Context, key string, c bucket.Condition) (bucket.Written, error)
}

func (f *flawed) PutIf(ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
	if f.put != nil {
		return f.put(f.Bucket, ctx, key, body, c)
	}
	return f.Bucket.PutIf(ctx, key, body, c)
}

func (f *flawed) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if f.get != nil {
		return f.get(f.Bucket, ctx, key, unless)
	}
	return f.Bucket.Get(ctx, key, unless)
}

func (f *flawed) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	if f.list != nil {
		return f.list(f.Bucket, ctx, prefix, delimiter)
	}
	return f.Bucket.List(ctx, prefix, delimiter)
}

func (f *flawed) Delete(ctx context.Context, key string, c bucket.Condition) (bucket.Written, error) {
	if f.delete != nil {
		return f.delete(f.Bucket, ctx, key, c)
	}
	return f.Bucket.Delete(ctx, key, c)
}

// slowly checks a condition, and writes a while later whatever happened in between:
// this is correct only for one writer at a time.
func slowly(ignore func(bucket.Condition) bool) func(bucket.Bucket, context.Context, string, bucket.Body, bucket.Condition) (bucket.Written, error) {
	return func(under bucket.Bucket, ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
		if !ignore(c) {
			return under.PutIf(ctx, key, body, c)
		}
		object, err := under.Get(ctx, key, "")
		if err == nil {
			_ = object.Body.Close()
		}
		switch {
		case c.Absent && err == nil, c.Matches != "" && object.Tag != c.Matches:
			return bucket.Written{}, bucket.ErrCondition
		}
		time.Sleep(time.Millisecond)
		return under.PutIf(ctx, key, body, bucket.Always)
	}
}

// I21, F40: the probe finds and names every rule that a store breaks.
func TestProbeRefusesFlawedStores(t *testing.T) {
	type (
		putter = func(bucket.Bucket, context.Context, string, bucket.Body, bucket.Condition) (bucket.Written, error)
		getter = func(bucket.Bucket, context.Context, string, bucket.Tag) (bucket.Object, error)
	)
	ignoring := func(ignores func(bucket.Condition) bool) putter {
		return func(under bucket.Bucket, ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
			if ignores(c) {
				c = bucket.Always
			}
			return under.PutIf(ctx, key, body, c)
		}
	}
	absent := func(c bucket.Condition) bool { return c.Absent }
	matches := func(c bucket.Condition) bool { return c.Matches != "" }
	var stale getter // shows the first state of an object forever
	var first sync.Map
	stale = func(under bucket.Bucket, ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
		content, object, err := bucket.ReadAll(ctx, under, key, "", 1<<10)
		if err != nil {
			return bucket.Object{}, err
		}
		body := bucket.Bytes(content)
		object.Body, _ = body.Open()
		kept, _ := first.LoadOrStore(key, object)
		return kept.(bucket.Object), nil
	}
	for name, c := range map[string]struct {
		store flawed
		want  string
	}{
		"creates what exists":           {flawed{put: ignoring(absent)}, "creating an existing object"},
		"replaces what changed":         {flawed{put: ignoring(matches)}, "replacing an older version"},
		"creations race":                {flawed{put: slowly(absent)}, "creations at once"},
		"replacements race":             {flawed{put: slowly(matches)}, "replacements at once"},
		"one version for every content": {flawed{put: constant}, "version does not follow"},
		"no date": {flawed{put: func(under bucket.Bucket, ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
			written, err := under.PutIf(ctx, key, body, c)
			written.Date = time.Time{}
			return written, err
		}}, "no date"},
		"older reads": {flawed{put: func(under bucket.Bucket, ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
			written, err := under.PutIf(ctx, key, body, c)
			if object, err := stale(under, ctx, key, ""); err == nil {
				_ = object.Body.Close()
			}
			return written, err
		}, get: stale}, "a read does not see"},
		"always unchanged": {flawed{get: func(under bucket.Bucket, ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
			if unless != "" {
				return bucket.Object{}, bucket.ErrNotModified
			}
			return under.Get(ctx, key, "")
		}}, "read the last write"},
		"never unchanged": {flawed{get: func(under bucket.Bucket, ctx context.Context, key string, _ bucket.Tag) (bucket.Object, error) {
			return under.Get(ctx, key, "")
		}}, "unchanged object"},
		"late listings": {flawed{list: func(under bucket.Bucket, ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
			listing, err := under.List(ctx, prefix, delimiter)
			listing.Entries = nil
			return listing, err
		}}, "a listing does not see"},
		"removes what changed": {flawed{delete: func(under bucket.Bucket, ctx context.Context, key string, _ bucket.Condition) (bucket.Written, error) {
			return under.Delete(ctx, key, bucket.Always)
		}}, "removing an older version"},
		"removes nothing": {flawed{delete: func(under bucket.Bucket, ctx context.Context, key string, c bucket.Condition) (bucket.Written, error) {
			object, err := under.Get(ctx, key, "")
			if err != nil {
				return bucket.Written{}, err
			}
			_ = object.Body.Close()
			if c.Matches != "" && c.Matches != object.Tag {
				return bucket.Written{}, bucket.ErrCondition
			}
			return bucket.Written{Date: time.Now()}, nil
		}}, "what was removed"},
		"no answer": {flawed{put: func(bucket.Bucket, context.Context, string, bucket.Body, bucket.Condition) (bucket.Written, error) {
			return bucket.Written{}, bucket.ErrUnknown
		}}, "not known"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := c.store
				store.Bucket = memory.New(time.Now)
				if err := s3.Probe(t.Context(), &store); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, not %q", err, c.want)
				}
			})
		})
	}
}

// constant answers every write with one tag, which always matches.
func constant(under bucket.Bucket, ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
	if c.Matches != "" {
		c = bucket.Always
	}
	written, err := under.PutIf(ctx, key, body, c)
	written.Tag = "same"
	return written, err
}

// A store that is busy, or at first accepts none of many writers, is not refused.
func TestProbeWaitsForABusyStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tried sync.Map
		store := &flawed{Bucket: memory.New(time.Now), put: func(under bucket.Bucket, ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
			if _, again := tried.LoadOrStore([2]any{key, body.CRC32C}, true); !again {
				return bucket.Written{}, bucket.ErrUndecided
			}
			return under.PutIf(ctx, key, body, c)
		}}
		if err := s3.Probe(t.Context(), store); err != nil {
			t.Error(err)
		}
		if listing, err := store.Bucket.List(t.Context(), "", ""); err != nil || len(listing.Entries) != 0 {
			t.Errorf("left %v, %v", listing.Entries, err)
		}
	})
}

// A probe that is cut short leaves nothing behind.
func TestAProbeThatEndsEarlyCleansUp(t *testing.T) {
	under := memory.New(time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	store := &flawed{Bucket: under, get: func(bucket.Bucket, context.Context, string, bucket.Tag) (bucket.Object, error) {
		cancel()
		return bucket.Object{}, context.Canceled
	}}
	if err := s3.Probe(ctx, store); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if listing, err := under.List(t.Context(), "", ""); err != nil || len(listing.Entries) != 0 {
		t.Errorf("left %v, %v", listing.Entries, err)
	}
}

// favouring lets the same writer be first in every race.
type favouring struct {
	bucket.Bucket

	mu      sync.Mutex
	entered int
	first   chan struct{} // closed when it has written; nil: no race is under way
}

func (f *favouring) PutIf(ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
	content, err := body.Open()
	if err != nil {
		return bucket.Written{}, err
	}
	text, err := io.ReadAll(content)
	if err != nil || !strings.HasPrefix(string(text), "racer ") {
		return f.Bucket.PutIf(ctx, key, body, c)
	}
	f.mu.Lock()
	if f.first == nil {
		f.first = make(chan struct{})
	}
	first := f.first
	if f.entered++; f.entered == 32 {
		f.entered, f.first = 0, nil
	}
	f.mu.Unlock()
	if strings.HasPrefix(string(text), "racer 7") {
		defer close(first)
	} else {
		<-first
	}
	return f.Bucket.PutIf(ctx, key, body, c)
}

// The tag of many stores depends on the content: writers that store the existing
// content would let each other win. A store is not refused for that.
func TestProbeAcceptsAStoreWhereOneWriterIsAlwaysFirst(t *testing.T) {
	store := &favouring{Bucket: s3test.Start(t).Store(t, "")}
	if err := s3.Probe(t.Context(), store); err != nil {
		t.Error(err)
	}
}
