package generations

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

// unfinished leaves a log with a write that is in no commit.
func unfinished(t *testing.T, b bucket.Bucket) registry.Entry {
	t.Helper()
	s := newShared(b, vfs.Memory(), mine{})
	e := create(t, s, "books")
	g := acquire(t, s, e)
	add(t, g, `{"id":"1"}`)
	g.Release()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_ = s.Close(ended) // without its last commit
	return e
}

// Opening a generation replaces its manifest and adds to its log, so one that
// cannot be opened is tried less and less often.
func TestALogThatCannotBeFinishedIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := unfinished(t, b)
		s := newShared(b, vfs.Memory(), mine{})
		isOff := true
		s.remote.Taken = func(context.Context, registry.Entry) error {
			if isOff {
				return errors.New("the registry cannot be read")
			}
			return nil
		}
		for range 300 {
			s.FinishLogs(t.Context(), []registry.Entry{e}, 10*time.Minute, 1)
			time.Sleep(2 * time.Second)
		}
		log, err := b.List(t.Context(), "g/"+e.Generation.String()+"/wal/", "")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(log.Entries); n < 3 || n > 15 {
			t.Errorf("the log has %d records after ten minutes", n)
		}
		isOff = false
		for range 200 {
			s.FinishLogs(t.Context(), []registry.Entry{e}, 10*time.Minute, 1)
			time.Sleep(2 * time.Second)
		}
		if is, err := s.remote.of(e.Generation).IsFinished(t.Context()); !is || err != nil {
			t.Errorf("the log is finished: %t, %v", is, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// stalled is a bucket that does not answer reads.
type stalled struct{ bucket.Bucket }

func (s stalled) Get(ctx context.Context, _ string, _ bucket.Tag) (bucket.Object, error) {
	select {
	case <-ctx.Done():
		return bucket.Object{}, ctx.Err()
	case <-time.After(time.Hour):
		return bucket.Object{}, bucket.ErrUnknown
	}
}

// Checks of logs do not keep a node from stopping, whatever started them.
func TestClosingEndsLooksAtLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShared(stalled{memory.New(nil)}, vfs.Memory(), mine{})
		var entries []registry.Entry
		for range 20 {
			entries = append(entries, registry.Entry{Name: registry.Name{Index: "books", Generation: "1"}, Index: registry.NewID(), Generation: registry.NewID()})
		}
		s.FinishLogs(context.Background(), entries, time.Minute, 1)
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = s.Close(ctx)
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("closing took %v", took)
		}
	})
}

// unsynced is a disk that loses the names of segments.
type unsynced struct {
	vfs.FS
	isOff atomic.Bool
	isNew atomic.Bool
}

func (u *unsynced) Create(name string) (vfs.File, error) {
	if strings.HasSuffix(name, ".seg") {
		u.isNew.Store(true)
	}
	return u.FS.Create(name)
}

func (u *unsynced) SyncDir(directory string) error {
	if u.isNew.Swap(false) && !u.isOff.Load() {
		return errors.New("the disk is failing")
	}
	return u.FS.SyncDir(directory)
}

// A writer that opens and fails at once is opened less and less often, but soon
// enough once it would work.
func TestAWriterThatKeepsFailingIsOpenedLessAndLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := unfinished(t, b)
		disk := &unsynced{FS: vfs.Memory()}
		s := newShared(b, disk, mine{})
		defer s.Close(t.Context())
		run := func(span time.Duration) {
			for range span / (2 * time.Second) {
				s.FinishLogs(t.Context(), []registry.Entry{e}, 10*time.Minute, 1)
				time.Sleep(2 * time.Second)
			}
		}
		run(time.Hour)
		log, err := b.List(t.Context(), "g/"+e.Generation.String()+"/wal/", "")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(log.Entries); n < 5 || n > 25 {
			t.Errorf("the log has %d records after an hour", n)
		}
		disk.isOff.Store(true)
		run(longestBackoff + time.Minute)
		if is, err := s.remote.of(e.Generation).IsFinished(t.Context()); !is || err != nil {
			t.Errorf("finished: %v %v", is, err)
		}
	})
}

// unsure is a node that at times does not know whether it holds its indexes.
type unsure struct {
	mine
	isSure *atomic.Bool
}

func (u unsure) Confirm(context.Context, registry.ID) (bool, error) {
	if !u.isSure.Load() {
		return false, errors.New("the leadership cannot be read")
	}
	return true, nil
}

// Only failures after opening again count: while it is unknown which node holds the
// index, the pause of a writer that failed once does not grow.
func TestAFailureCountsWhenItIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := unfinished(t, b)
		var isSure atomic.Bool
		isSure.Store(true)
		s := newShared(b, &unsynced{FS: vfs.Memory()}, unsure{isSure: &isSure})
		defer s.Close(t.Context())
		run := func(rounds int) {
			for range rounds {
				s.FinishLogs(t.Context(), []registry.Entry{e}, 10*time.Minute, 1)
				time.Sleep(2 * time.Second)
			}
		}
		pause := func() time.Duration {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.at(e.Generation).backoff.pause
		}
		run(1)
		before := pause()
		isSure.Store(false)
		run(30)
		if after := pause(); after != before {
			t.Errorf("the next writer is left for %s, not %s", after, before)
		}
	})
}
