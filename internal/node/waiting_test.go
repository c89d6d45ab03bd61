package node

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// A request that waits for a move of its index, which may wait for the bucket, ends
// with its caller.
func TestCallersLeaveAnIndexThatIsBeingMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		f.mustPut("books@2", books)
		index, err := f.registry.Find(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		moves := f.generations.Moves(index.ID)
		moves.Lock()
		time.AfterFunc(time.Minute, moves.Unlock)
		for what, request := range map[string]func(context.Context) error{
			"a write": func(ctx context.Context) error {
				_, release, err := f.settle(ctx, parse(t, "books"))
				if err == nil {
					release()
				}
				return err
			},
			"a definition": func(ctx context.Context) error {
				_, _, err := f.Put(ctx, Put{Name: parse(t, "books"), Body: []byte(wider), StartedBy: "root"})
				return err
			},
			"a promotion": func(ctx context.Context) error {
				_, err := f.Promote(ctx, parse(t, "books@2"))
				return err
			},
			"a reindex": func(ctx context.Context) error {
				_, err := f.StartReindex(ctx, reindex.Request{Target: parse(t, "books@2")})
				return err
			},
			"a removal": func(ctx context.Context) error { return f.Delete(ctx, parse(t, "books")) },
		} {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := request(ctx)
			cancel()
			if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
				t.Errorf("%s: %v after %s", what, err, took)
			}
		}
		time.Sleep(time.Minute)
		f.mustWrite("books", book(1, "one"))
	})
}

// A request that comes while a node begins, which waits for the bucket, ends with
// its caller.
func TestCallersLeaveANodeThatBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), func(c faultbucket.Call) faultbucket.Fault {
			if c.Key == "registry" && c.Op == "get" {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.begun.mu.Lock()
		began := time.Now()
		time.AfterFunc(time.Minute, f.begun.mu.Unlock)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		refused(t, "a request", f.ready(ctx), problem.StorageIoError)
		if took := time.Since(began); took != time.Second {
			t.Errorf("answered after %s", took)
		}
		time.Sleep(time.Minute)
	})
}
