package generations

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// tryToAdd adds a document and returns how long the answer took.
func tryToAdd(t *testing.T, g *Generation, raw string) (time.Duration, error) {
	t.Helper()
	var found problem.List
	d := document.NewReader(g.Schema()).Read([]byte(raw), problem.Path{}, &found)
	began := time.Now()
	s := g.WriteStream()
	if err := errors.Join(found.Err(), s.Add(t.Context(), d)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Wait(t.Context())
	return time.Since(began), err
}

// A write that the bucket does not answer gets that error while it is still
// retried: it is stored if the bucket comes back in time, and no other write was
// refused.
func TestAWriteWithoutABucketIsAnsweredSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		s := newShared(b, vfs.Memory(), mine{})
		defer s.Close(t.Context())
		e := create(t, s, "books")
		g := acquire(t, s, e)
		defer g.Release()
		b.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Unavailable })
		for _, raw := range []string{`{"id":"tried"}`, `{"id":"waiting"}`} {
			took, err := tryToAdd(t, g, raw)
			if !errors.Is(err, problem.StorageUnknown) || took != logWait {
				t.Errorf("%s: %v after %s", raw, err, took)
			}
		}
		b.SetPlan(nil)
		if took, err := tryToAdd(t, g, `{"id":"after"}`); err != nil || took >= logWait {
			t.Errorf("with the bucket back: %v after %s", err, took)
		}
		commit(t, g)
		view := g.Snapshot()
		defer view.Release()
		if view.Documents != 3 {
			t.Errorf("%d documents, want 3", view.Documents)
		}
	})
}

// I1: after the generation is opened again, a write that was answered
// storage:unknown and never reached the bucket is absent, and every acknowledged
// write is there.
func TestABucketThatStaysAwayFailsTheWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		s := newShared(b, vfs.Memory(), mine{})
		defer s.Close(t.Context())
		e := create(t, s, "books")
		g := acquire(t, s, e)
		add(t, g, `{"id":"before"}`)
		b.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Unavailable })
		if _, err := tryToAdd(t, g, `{"id":"lost"}`); !errors.Is(err, problem.StorageUnknown) {
			t.Error(err)
		}
		time.Sleep(5 * time.Minute)
		g.Release()
		if g, err := s.Acquire(t.Context(), e); err == nil {
			g.Release()
			t.Error("a writer without a bucket")
		}
		b.SetPlan(nil)
		time.Sleep(5 * time.Minute)
		g = acquire(t, s, e)
		defer g.Release()
		add(t, g, `{"id":"after"}`)
		commit(t, g)
		view := g.Snapshot()
		defer view.Release()
		for key, want := range map[string]bool{"before": true, "lost": false, "after": true} {
			if _, _, ok, err := view.LookupKey(key); err != nil || ok != want {
				t.Errorf("%s: %v %v", key, ok, err)
			}
		}
	})
}
