package node

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
)

// logless is a connection over which no log is read or written while it is off.
type logless struct {
	bucket.Bucket
	off atomic.Bool
}

func (l *logless) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if l.off.Load() && strings.Contains(key, "/wal/") {
		return bucket.Object{}, bucket.ErrUnknown
	}
	return l.Bucket.Get(ctx, key, unless)
}

func (l *logless) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if l.off.Load() && strings.Contains(key, "/wal/") {
		return bucket.Written{}, bucket.ErrUnknown
	}
	return l.Bucket.PutIf(ctx, key, body, condition)
}

func (l *logless) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	if l.off.Load() && strings.Contains(prefix, "/wal/") {
		return bucket.Listing{}, bucket.ErrUnknown
	}
	return l.Bucket.List(ctx, prefix, delimiter)
}

var committing = engine.Options{MaxInterval: 5 * time.Second, MaxChanges: -1, MinFree: -1, Workers: 1}

// takeHalf replaces the manifest of a generation as a new writer does that ends
// before it seals the log.
func takeHalf(t *testing.T, b bucket.Bucket, generation registry.ID) {
	t.Helper()
	cut := &logless{Bucket: b}
	cut.off.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	fs := vfs.Memory()
	if err := fs.MakeDir("d"); err != nil {
		t.Fatal(err)
	}
	if _, err := replication.New(cut, generation.String(), time.Hour).Take(ctx, fs, "d", registry.NewID().String()); err == nil {
		t.Fatal("the log was sealed")
	}
}

// I7: the owner acknowledges a write and cannot commit it, because another
// writer began to take over and ended. It opens the generation anew, so that
// the token is reached, on the owner and elsewhere.
func TestATokenIsReachedAfterAHalfTakeover(t *testing.T) {
	for _, where := range []string{"owner", "other"} {
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := memory.New(nil)
				options := committing
				if where == "owner" {
					options.MaxInterval = -1 // only the read makes it commit
				}
				owner, other := sharedWith(t, b, vfs.Memory(), "a", options), shared(t, b, vfs.Memory(), "b")
				owner.mustPut("books", books)
				owner.mustWrite("books", book(1, "one"))
				entry, err := owner.registry.Resolve(parse(t, "books"))
				if err != nil {
					t.Fatal(err)
				}
				takeHalf(t, b, entry.Generation)
				token := owner.mustWrite("books", book(2, "two"))
				reader := owner
				if where == "other" {
					time.Sleep(time.Minute)
					reader = other
				}
				if got := reader.documents("books", token); len(got) != 2 {
					t.Errorf("%v", got)
				}
			})
		})
	}
}

// I7, F29: the node that takes an index over cannot read its log at first. It
// tries again, so that a token is reached on a node that does not write.
func TestATakeoverThatFailedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		dying, cut := &cutBucket{Bucket: under}, &logless{Bucket: under}
		f := shared(t, dying, vfs.Memory(), "a")
		heir := sharedWith(t, cut, vfs.Memory(), "b", committing)
		f.mustPut("books", books)
		token := f.mustWrite("books", book(1, "one"))
		cut.off.Store(true)
		dying.off.Store(true)
		defer dying.off.Store(false)
		time.Sleep(3 * time.Minute)
		if len(heir.object.Member.Held()) != 1 {
			t.Fatal("not taken over")
		}
		reader := shared(t, under, vfs.Memory(), "c")
		cut.off.Store(false)
		time.Sleep(2 * time.Minute)
		if got := reader.documents("books", token); len(got) != 1 {
			t.Errorf("%v", got)
		}
	})
}
