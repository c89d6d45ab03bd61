package generations

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// unwritable is a bucket that, while off, stores nothing and does not report it.
type unwritable struct {
	bucket.Bucket
	off atomic.Bool
}

func (u *unwritable) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if u.off.Load() {
		<-ctx.Done()
		return bucket.Written{}, bucket.ErrUnknown
	}
	return u.Bucket.PutIf(ctx, key, body, condition)
}

// leaveWrite leaves a generation open with a write that is in no commit.
func leaveWrite(t *testing.T, s *Set, e registry.Entry) {
	t.Helper()
	g := acquire(t, s, e)
	add(t, g, `{"id":"1"}`)
	g.Release()
}

// closeSoon closes a set whose bucket stores nothing.
func closeSoon(t *testing.T, s *Set) {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = s.Close(ctx)
	if took := time.Since(began); took > 11*time.Second {
		t.Errorf("closing took %v", took)
	}
}

// behindALeavingWriter returns a set in which a writer cannot finish closing
// without its bucket, and a copy waits for that.
func behindALeavingWriter(t *testing.T) (*Set, registry.Entry) {
	t.Helper()
	b := &unwritable{Bucket: memory.New(nil)}
	s := newShared(b, vfs.Memory(), mine{})
	e := create(t, s, "books")
	leaveWrite(t, s, e)
	b.off.Store(true)
	s.Demote(e.Index)
	go func() {
		if inst, err := s.acquire(context.Background(), e, ForRequest, askCopy); err == nil {
			s.giveBack(inst)
		}
	}()
	synctest.Wait()
	return s, e
}

// A node ends in time although a copy waits for a writer to close, even when a
// writer waits for the copy in turn (seed 35548).
func TestClosingEndsACopyThatWaitsForAWriter(t *testing.T) {
	for _, isWritten := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s, e := behindALeavingWriter(t)
			if isWritten {
				go func() {
					if g, err := s.Acquire(context.Background(), e); err == nil {
						g.Release()
					}
				}()
				synctest.Wait()
			}
			closeSoon(t, s)
		})
	}
}

// A removal waits for no commit, even when a copy waits for a writer to close.
func TestRemovingEndsAWriterThatACopyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e := behindALeavingWriter(t)
		if err := s.Remove(t.Context(), e.Generation); err != nil {
			t.Error(err)
		}
		closeSoon(t, s)
	})
}

// A generation that begins to leave after the time for the close is over also
// leaves without its last commit.
func TestClosingEndsWhatLeavesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &unwritable{Bucket: memory.New(nil)}
		s := newShared(b, vfs.Memory(), mine{})
		slow, late := create(t, s, "books"), create(t, s, "films")
		if slow.Generation.Compare(late.Generation) > 0 { // they are closed in this order
			slow, late = late, slow
		}
		leaveWrite(t, s, late)
		opened := make(chan struct{})
		s.remote.Taken = func(context.Context, registry.Entry) error {
			<-opened
			return nil
		}
		go func() {
			if g, err := s.Acquire(context.Background(), slow); err == nil {
				g.Release()
			}
		}()
		synctest.Wait()
		b.off.Store(true)
		time.AfterFunc(10500*time.Millisecond, func() {
			s.Demote(late.Index)
			close(opened)
		})
		closeSoon(t, s)
	})
}

// GN3: a removed generation opens again once it is listed again and its files are
// gone.
func TestARemovedGenerationOpensWhenItIsListedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var isListed atomic.Bool
		s := newShared(memory.New(nil), vfs.Memory(), mine{})
		s.options.Listed = func(registry.Entry) bool { return isListed.Load() }
		defer s.Close(t.Context())
		e := create(t, s, "books")
		g := acquire(t, s, e)
		add(t, g, `{"id":"a"}`)
		commit(t, g)
		g.Release()
		if err := s.Remove(t.Context(), e.Generation); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Acquire(t.Context(), e); !errors.Is(err, problem.IndexClosed) {
			t.Errorf("acquired after the removal: %v", err)
		}
		isListed.Store(true)
		s.mu.Lock()
		s.at(e.Generation).removals++ // another call deletes its files
		s.mu.Unlock()
		if _, err := s.Acquire(t.Context(), e); !errors.Is(err, problem.IndexClosed) {
			t.Errorf("acquired during a removal: %v", err)
		}
		s.mu.Lock()
		s.at(e.Generation).removals--
		s.mu.Unlock()
		g = acquire(t, s, e)
		defer g.Release()
		view := g.Snapshot()
		defer view.Release()
		if view.Documents != 1 {
			t.Errorf("%d documents after it was restored", view.Documents)
		}
	})
}
