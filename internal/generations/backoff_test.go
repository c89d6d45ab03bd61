package generations

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// records returns how many records the log of a generation has: one more for every
// time it is opened to write.
func records(t *testing.T, b bucket.Bucket, id registry.ID) int {
	t.Helper()
	found, err := b.List(t.Context(), "g/"+id.String()+"/wal/", "")
	if err != nil {
		t.Fatal(err)
	}
	return len(found.Entries)
}

// However many writes come to a generation that opens and fails at once, it is
// opened less and less often; the other writes get the error at once. It works
// again soon after the disk does.
func TestWritesDoNotOpenAFailingGenerationOverAndOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := unfinished(t, b)
		disk := &unsynced{FS: vfs.Memory()}
		s := newShared(b, disk, mine{})
		defer s.Close(t.Context())
		before := records(t, b, e.Generation)
		refused := 0
		for range 10 * 60 * 10 { // ten minutes
			if g, err := s.Acquire(t.Context(), e); err == nil {
				g.Release() // it fails in a moment
			} else if !errors.Is(err, problem.IndexClosed) {
				t.Fatal(err)
			} else {
				refused++
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := records(t, b, e.Generation) - before; n < 5 || n > 15 {
			t.Errorf("it was opened %d times in ten minutes", n)
		}
		if refused < 5000 {
			t.Errorf("%d requests were refused", refused)
		}
		disk.isOff.Store(true)
		time.Sleep(longestBackoff)
		g, err := s.Acquire(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Release()
		add(t, g, `{"id":"2"}`)
		// A writer that worked for long is opened at once when it fails.
		time.Sleep(4*longestBackoff + leastLife)
		disk.isOff.Store(false)
		if _, err := g.Commit(t.Context(), engine.Explicit); err == nil || g.Err() == nil {
			t.Fatal("a commit on a failing disk succeeded")
		}
		disk.isOff.Store(true)
		anew, err := s.Acquire(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		add(t, anew, `{"id":"3"}`)
		anew.Release()
	})
}

// A generation that cannot be opened to write is tried less and less often, and can
// be read meanwhile. While the cause is a bucket that is away, it is tried often
// enough.
func TestAGenerationThatCannotBeOpenedIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := filled(t, b, vfs.Memory())
		s := newShared(b, vfs.Memory(), mine{})
		defer s.Close(t.Context())
		cause := errors.New("the registry makes no sense")
		var opened atomic.Int64
		s.remote.Taken = func(context.Context, registry.Entry) error {
			opened.Add(1)
			return cause
		}
		ask := func(span time.Duration) {
			t.Helper()
			for range span / (100 * time.Millisecond) {
				if _, err := s.Acquire(t.Context(), e); !errors.Is(err, problem.StorageIoError) || !errors.Is(err, cause) {
					t.Fatal(err)
				}
				g, err := s.AcquireToRead(t.Context(), e)
				if err != nil || !g.IsCopy() || g.State() != NeedsPull {
					t.Fatal(err)
				}
				g.Release()
				time.Sleep(100 * time.Millisecond)
			}
		}
		ask(10 * time.Minute)
		if n := opened.Load(); n < 5 || n > 15 {
			t.Errorf("it was opened %d times in ten minutes", n)
		}
		s.doubt(e.Index)
		opened.Store(0)
		cause = bucket.ErrUnknown
		ask(time.Minute)
		if n := opened.Load(); n < 12 || n > 25 {
			t.Errorf("it was opened %d times in a minute without the bucket", n)
		}
		cause = nil
		time.Sleep(awayBackoff)
		g, err := s.Acquire(t.Context(), e)
		if err != nil || g.State() != Usable {
			t.Fatal(err)
		}
		g.Release()
	})
}

// A generation that cannot be opened at all is still reported.
func TestGenerationsThatAreNotOpenAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		e := filled(t, b, vfs.Memory())
		s := newShared(b, vfs.Memory(), mine{})
		defer s.Close(t.Context())
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if strings.Contains(c.Key, "/seg/") {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		if _, err := s.AcquireToRead(t.Context(), e); !errors.Is(err, problem.StorageIoError) {
			t.Fatal(err)
		}
		if got := s.Unopened(); len(got) != 1 || got[0].Generation != e.Generation {
			t.Errorf("told of %v", got)
		}
		b.SetPlan(nil)
		time.Sleep(awayBackoff)
		acquire(t, s, e).Release()
		if got := s.Unopened(); len(got) != 0 {
			t.Errorf("still told of %v", got)
		}
	})
}

// unmapped is a disk on which no file can be opened, as without descriptors.
type unmapped struct {
	vfs.FS
	isOff atomic.Bool
}

func (u *unmapped) ReadFile(name string) ([]byte, error) {
	if !u.isOff.Load() {
		return nil, errors.New("too many open files")
	}
	return u.FS.ReadFile(name)
}

// In local mode no copy answers meanwhile, and opening replaces nothing: however
// long a generation could not be opened, it is opened as soon as it can be (I18,
// F39).
func TestALocalGenerationIsOpenedSoonAfterItCanBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &unmapped{FS: vfs.Memory()}
		disk.isOff.Store(true)
		s := New(disk, "generations", Options{Log: slog.New(slog.DiscardHandler), Engine: engine.Options{MaxInterval: -1, MinFree: -1, Workers: 1}})
		defer s.Close(t.Context())
		e := create(t, s, "books")
		disk.isOff.Store(false)
		for range 60 * 60 { // an hour
			if _, err := s.AcquireToRead(t.Context(), e); !errors.Is(err, problem.StorageIoError) {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		disk.isOff.Store(true)
		time.Sleep(awayBackoff)
		acquireToRead(t, s, e).Release()
		acquire(t, s, e).Release()
	})
}

// A writer that was fenced, even one that was opened a moment before, is reported
// as index:readonly: another node writes.
func TestAWriterFencedTwiceIsReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		ours := newShared(b, vfs.Memory(), mine{})
		defer ours.Close(t.Context())
		e := create(t, ours, "books")
		for range 2 {
			g := acquire(t, ours, e)
			theirs := newShared(b, vfs.Memory(), mine{})
			acquire(t, theirs, e).Release()
			stream := g.WriteStream()
			if err := stream.Delete(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			if _, err := stream.Wait(t.Context()); !errors.Is(err, problem.IndexReadonly) {
				t.Errorf("a fenced write: %v", err)
			}
			g.Release()
			if err := theirs.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ours.Acquire(t.Context(), e); !errors.Is(err, problem.IndexReadonly) {
			t.Errorf("after the second time: %v", err)
		}
		time.Sleep(time.Second)
		acquire(t, ours, e).Release()
	})
}

// segmentKey returns the key of the only segment of a generation.
func segmentKey(t *testing.T, b bucket.Bucket, id registry.ID) string {
	t.Helper()
	found, err := b.List(t.Context(), "g/"+id.String()+"/seg/", "")
	if err != nil || len(found.Entries) != 1 {
		t.Fatal(found.Entries, err)
	}
	return found.Entries[0].Key
}

func store(t *testing.T, b bucket.Bucket, key string, content []byte) {
	t.Helper()
	if _, err := b.PutIf(t.Context(), key, bucket.Bytes(content), bucket.Always); err != nil {
		t.Fatal(err)
	}
}

// I12: an object that is damaged in the bucket is not fetched by every refresh or
// request, and not searched. The state reports it, and the log once for every
// fetch. A replacement is fetched at once, a mended object soon, and at once when a
// request needs it.
func TestAWrongObjectIsNotFetchedOverAndOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		writing := newShared(b, vfs.Memory(), mine{})
		defer writing.Close(t.Context())
		e := create(t, writing, "books")
		w := acquire(t, writing, e)
		defer w.Release()
		var told bytes.Buffer
		reading := newShared(b, vfs.Memory(), theirs{})
		reading.options.Log = slog.New(slog.NewTextHandler(&told, nil))
		defer reading.Close(t.Context())
		r, err := reading.AcquireToRead(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		before := r.Sequence()

		add(t, w, `{"id":"a"}`)
		if _, err := w.Commit(t.Context(), engine.Explicit); err != nil {
			t.Fatal(err)
		}
		key := segmentKey(t, b, e.Generation)
		whole, _, err := bucket.ReadAll(t.Context(), b, key, "", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		wrong := bytes.Clone(whole)
		wrong[len(wrong)/2] ^= 1
		store(t, b, key, wrong)
		var fetched atomic.Int64
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "get" && strings.Contains(c.Key, "/seg/") {
				fetched.Add(1)
			}
			return faultbucket.None
		})
		unhinted := func(registry.ID) (uint64, bool) { return 0, false }
		for range 120 { // an hour of refreshes, each with a request that waits for the newest state
			reading.Renew(t.Context(), unhinted, time.Minute, 1)
			if err := reading.Pull(t.Context(), r); !errors.Is(err, problem.StorageIoError) || !errors.Is(err, replication.ErrMismatch) {
				t.Fatal(err)
			}
			if state := r.State(); state != NeedsPull || r.Sequence() != before || before == w.Sequence() {
				t.Fatalf("%s with commit %d", state, r.Sequence())
			}
			time.Sleep(30 * time.Second)
		}
		if n := fetched.Load(); n < 5 || n > 25 {
			t.Errorf("it was fetched %d times in an hour", n)
		}
		if n := strings.Count(told.String(), "level=ERROR"); n < int(fetched.Load()) || n > 2*int(fetched.Load()) {
			t.Errorf("%d lines report %d failures", n, fetched.Load())
		}
		// A node without a copy has nothing to answer from, and fetches no more often.
		fetched.Store(0)
		empty := newShared(b, vfs.Memory(), theirs{})
		defer empty.Close(t.Context())
		for range 600 {
			if _, err := empty.AcquireToRead(t.Context(), e); !errors.Is(err, problem.StorageIoError) {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := fetched.Load(); n > 10 {
			t.Errorf("requests fetched it %d times in a minute", n)
		}

		store(t, b, key, whole)
		reading.TryAgain(e.Generation)
		if err := reading.Pull(t.Context(), r); err != nil || r.Sequence() != w.Sequence() || r.State() != Usable {
			t.Errorf("after it was mended: %v, %s", err, r.State())
		}
		time.Sleep(longestBackoff)
		if g, err := empty.AcquireToRead(t.Context(), e); err != nil {
			t.Error(err)
		} else {
			g.Release()
		}

		// Another state is fetched at once.
		store(t, b, key, wrong)
		late := newShared(b, vfs.Memory(), theirs{})
		defer late.Close(t.Context())
		if _, err := late.AcquireToRead(t.Context(), e); !errors.Is(err, replication.ErrMismatch) {
			t.Fatal(err)
		}
		stream := w.WriteStream()
		if err := stream.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context(), engine.Explicit); err != nil {
			t.Fatal(err)
		}
		g, err := late.AcquireToRead(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		g.Release()
	})
}

// An operator who mended the bucket does not wait for the next attempt, even on a
// node that has no copy, and writes continue at once too.
func TestWhatWasMendedIsTriedAgainAtOnce(t *testing.T) {
	for _, claims := range []Claims{mine{}, theirs{}} {
		synctest.Test(t, func(t *testing.T) {
			b := memory.New(nil)
			e := filled(t, b, vfs.Memory())
			key := segmentKey(t, b, e.Generation)
			whole, _, err := bucket.ReadAll(t.Context(), b, key, "", 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			wrong := bytes.Clone(whole)
			wrong[len(wrong)/2] ^= 1
			store(t, b, key, wrong)
			s := newShared(b, vfs.Memory(), claims)
			defer s.Close(t.Context())
			for range 60 {
				if _, err := s.AcquireToRead(t.Context(), e); !errors.Is(err, problem.StorageIoError) {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
			}
			_, _ = s.AcquireToRead(t.Context(), e) // the next try is far away
			store(t, b, key, whole)
			s.TryAgain(e.Generation)
			acquireToRead(t, s, e).Release()
			if claims == (mine{}) {
				acquire(t, s, e).Release()
			}
		})
	}
}

// I18: a writer does not wait long for a bucket that hangs, and a reader not at all
// once that is known: a local copy answers.
func TestABucketThatStandsStillIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := faultbucket.New(memory.New(nil), nil), vfs.Memory()
		e := filled(t, b, disk)
		still := func(faultbucket.Call) faultbucket.Fault { return faultbucket.Stall }
		b.SetPlan(still)
		s := newShared(b, disk, mine{})
		defer s.Close(t.Context())
		began := time.Now()
		if _, err := s.Acquire(t.Context(), e); !errors.Is(err, problem.StorageIoError) {
			t.Errorf("to write: %v", err)
		}
		if took := time.Since(began); took > logWait {
			t.Errorf("a write waits for %s", took)
		}
		read := func() string {
			t.Helper()
			began := time.Now()
			g, err := s.AcquireToRead(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Release()
			if _, err := record(g); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("a read waits for %s", took)
			}
			return g.State()
		}
		if state := read(); state != NeedsPull {
			t.Errorf("the copy is %s", state)
		}
		b.SetPlan(nil)
		s.Renew(t.Context(), func(registry.ID) (uint64, bool) { return 0, false }, time.Minute, 1)
		if state := read(); state != Usable {
			t.Errorf("with the bucket back the copy is %s", state)
		}

		// A writer whose log hung is opened again. Meanwhile reads continue.
		w := acquire(t, s, e)
		b.SetPlan(still)
		stream := w.WriteStream()
		if err := stream.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Wait(t.Context()); !errors.Is(err, problem.StorageUnknown) {
			t.Errorf("a write: %v", err)
		}
		for w.Err() == nil {
			read()
			time.Sleep(time.Second)
		}
		w.Release()
		for range 20 {
			done := make(chan struct{})
			go func() {
				defer close(done)
				if _, err := s.Acquire(t.Context(), e); err == nil {
					t.Error("it was opened without a bucket")
				}
			}()
			synctest.Wait()
			read()
			<-done
			read()
			time.Sleep(time.Second)
		}
		b.SetPlan(nil)
		time.Sleep(awayBackoff)
		acquire(t, s, e).Release()
		if state := read(); state == NeedsPull {
			t.Errorf("the writer is %s", state)
		}
	})
}

// I18: the first read of a copy that is not open waits only a moment for a bucket
// that hangs.
func TestTheFirstReadOfACopyDoesNotWaitForTheBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := faultbucket.New(memory.New(nil), nil), vfs.Memory()
		e := filled(t, b, disk)
		b.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Stall })
		s := newShared(b, disk, theirs{})
		defer s.Close(t.Context())
		began := time.Now()
		acquireToRead(t, s, e).Release()
		if took := time.Since(began); took > openLimit {
			t.Errorf("it waits for %s", took)
		}
	})
}

// I18: a failed writer answers reads until nothing of it is under way that closing
// would wait for, however many writes come meanwhile.
func TestReadsGoOnUntilAFailedWriterCanBeClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := faultbucket.New(memory.New(nil), nil), vfs.Memory()
		e := filled(t, b, disk)
		s := newShared(b, disk, mine{})
		defer s.Close(t.Context())
		w := acquire(t, s, e)
		add(t, w, `{"id":"z"}`)
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if strings.HasSuffix(c.Key, "/manifest") || strings.Contains(c.Key, "/wal/") {
				return faultbucket.Stall
			}
			return faultbucket.None
		})
		committed := make(chan error, 1)
		go func() {
			_, err := w.Commit(t.Context(), engine.Explicit)
			committed <- err
		}()
		synctest.Wait() // its manifest is on its way
		if err := w.WriteStream().Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		for w.Err() == nil {
			time.Sleep(time.Second)
		}
		w.Release()
		for range 120 {
			go func() {
				if g, err := s.Acquire(t.Context(), e); err == nil {
					g.Release()
				}
			}()
			synctest.Wait()
			began := time.Now()
			acquireToRead(t, s, e).Release()
			if took := time.Since(began); took != 0 {
				t.Fatalf("a read waits for %s", took)
			}
			time.Sleep(time.Second)
		}
		if err := <-committed; err == nil {
			t.Error("it was committed without a bucket")
		}
		b.SetPlan(nil)
		time.Sleep(2 * awayBackoff)
		acquire(t, s, e).Release()
	})
}

// I18: even if a generation was not read before, reads do not wait for the opening
// of its writer once it is known that the bucket does not answer; and a node
// without a copy answers a write no later for it.
func TestReadsDoNotWaitForWritersThatCannotOpen(t *testing.T) {
	for _, hasCopy := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b, disk := faultbucket.New(memory.New(nil), nil), vfs.Memory()
			e := filled(t, b, disk)
			if !hasCopy {
				disk = vfs.Memory()
			}
			b.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Stall })
			s := newShared(b, disk, mine{})
			defer s.Close(t.Context())
			for range 5 {
				done := make(chan struct{})
				began := time.Now()
				go func() {
					defer close(done)
					if _, err := s.Acquire(t.Context(), e); !errors.Is(err, problem.StorageIoError) {
						t.Errorf("to write: %v", err)
					}
					if took := time.Since(began); took > logWait {
						t.Errorf("a write waits for %s", took)
					}
				}()
				synctest.Wait()
				if s.isAway(e.Generation) && hasCopy {
					acquireToRead(t, s, e).Release()
					if took := time.Since(began); took != 0 {
						t.Errorf("a read waits for %s", took)
					}
				}
				<-done
				time.Sleep(awayBackoff)
			}
		})
	}
}
