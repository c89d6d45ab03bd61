package node

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

const wider = `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string"},"more":{"type":"string"}}}`

// still is a connection that hangs, for writes alone or for reads too.
type still struct {
	bucket.Bucket
	reads, writes atomic.Bool
}

func (s *still) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if s.reads.Load() {
		<-ctx.Done()
		return bucket.Object{}, ctx.Err()
	}
	return s.Bucket.Get(ctx, key, unless)
}

func (s *still) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if s.writes.Load() {
		select {
		case <-ctx.Done():
		case <-time.After(30 * time.Second):
		}
		return bucket.Written{}, bucket.ErrUnknown
	}
	return s.Bucket.PutIf(ctx, key, body, condition)
}

// R14, I20: without a bucket, commits and definitions are answered as soon as a
// write of documents would be, and nothing was begun. What was acknowledged is
// there when the bucket is back.
func TestCommitsAndDefinitionsWithoutABucketAreAnswered(t *testing.T) {
	for name, away := range map[string]func(bucket.Bucket) (bucket.Bucket, func(bool)){
		"refuses": func(b bucket.Bucket) (bucket.Bucket, func(bool)) {
			cut := &cutBucket{Bucket: b}
			return cut, cut.off.Store
		},
		"stands still": func(b bucket.Bucket) (bucket.Bucket, func(bool)) {
			quiet := &still{Bucket: b}
			return quiet, func(off bool) { quiet.reads.Store(off); quiet.writes.Store(off) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, off := away(memory.New(nil))
				f := sharedNode(t, b, vfs.Memory(), "a")
				f.mustPut("books", books)
				f.mustPut("other", books)
				f.mustWrite("books", book(1, "one"))
				f.mustWrite("other", book(1, "one"))
				off(true)
				began := time.Now()
				_, err := f.Commit(t.Context(), parse(t, "books"))
				refused(t, "a commit", err, problem.StorageIoError)
				if took := time.Since(began); took > 11*time.Second {
					t.Errorf("a commit was answered after %v", took)
				}
				began = time.Now()
				_, _, err = f.put("other", wider)
				refused(t, "a definition", err, problem.StorageIoError)
				if took := time.Since(began); took > 11*time.Second {
					t.Errorf("a definition was answered after %v", took)
				}
				off(false)
				time.Sleep(time.Minute)
				for _, name := range []string{"books", "other"} {
					if _, err := f.Commit(t.Context(), parse(t, name)); err != nil {
						t.Errorf("with the bucket back: %v", err)
					}
					if got := f.documents(name, ""); len(got) != 1 {
						t.Errorf("with the bucket back: %v", got)
					}
				}
				if d := f.mustPut("other", wider); d == nil {
					t.Error("no definition")
				}
			})
		})
	}
}

// I18: looking for a job to take over does not delay a definition while the bucket
// hangs.
func TestADefinitionDuringATakeoverWithoutABucketIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &still{Bucket: memory.New(nil)}
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		entry, err := f.registry.Resolve(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		b.reads.Store(true)
		b.writes.Store(true)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _ = f.jobs.TakeOver(ctx, entry.Index) }()
		synctest.Wait()
		began := time.Now()
		_, _, err = f.put("books", wider)
		refused(t, "a definition", err, problem.StorageIoError)
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("a definition was answered after %v", took)
		}
		cancel()
		b.reads.Store(false)
		b.writes.Store(false)
	})
}

// A bucket that goes away during a commit leaves the outcome open: the commit is
// retried.
func TestABucketThatGoesAwayDuringACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &still{Bucket: memory.New(nil)}
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		b.writes.Store(true)
		time.AfterFunc(time.Second, func() { b.reads.Store(true) })
		began := time.Now()
		_, err := f.Commit(t.Context(), parse(t, "books"))
		refused(t, "a commit", err, problem.StorageUnknown)
		if took := time.Since(began); took > 21*time.Second {
			t.Errorf("answered after %v", took)
		}
		b.writes.Store(false)
		b.reads.Store(false)
		time.Sleep(time.Minute)
		if got := f.documents("books", ""); len(got) != 1 {
			t.Errorf("with the bucket back: %v", got)
		}
	})
}

// F9: a bucket that fails now and then prevents neither a commit nor a definition.
func TestCommitsAndDefinitionsWithABucketThatFailsNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		b.SetPlan(func(call faultbucket.Call) faultbucket.Fault {
			if call.Number%3 != 0 {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Errorf("a commit: %v", err)
		}
		if _, _, err := f.put("books", wider); err != nil {
			t.Errorf("a definition: %v", err)
		}
		b.SetPlan(nil)
	})
}

// The last commits of a stopping node do not hold it up while the bucket does not
// answer: what was acknowledged is in the log.
func TestANodeStopsWithoutItsBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := &cutBucket{Bucket: memory.New(nil)}
		f := sharedNode(t, cut, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		cut.off.Store(true)
		f.stop()
		closing, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		began := time.Now()
		_ = f.Node.Close(closing)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("it takes %s", took)
		}
		f.Node = nil
		cut.off.Store(false)
		other := sharedNode(t, cut, vfs.Memory(), "b")
		time.Sleep(time.Minute)
		token := other.mustWrite("books", book(2, "two"))
		if got := other.documents("books", token); len(got) != 2 {
			t.Errorf("%v", got)
		}
	})
}
