package generations

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// theirs claims no index.
type theirs struct{ mine }

func (theirs) Holds(registry.ID) bool { return false }

func newShared(b bucket.Bucket, fs vfs.FS, claims Claims) *Set {
	builder := analysis.NewBuilder(analysis.Options{})
	return New(fs, "generations", Options{Log: slog.New(slog.DiscardHandler),
		Engine: engine.Options{MinFree: -1, Workers: 1, Analysis: builder, Capabilities: builder.Capabilities(), MaxInterval: -1},
		Remote: &Remote{Bucket: b, Grace: time.Hour, Claims: claims}})
}

func add(t *testing.T, g *Generation, raw string) {
	t.Helper()
	var found problem.List
	d := document.NewReader(g.Schema()).Read([]byte(raw), problem.Path{}, &found)
	s := g.WriteStream()
	if err := errors.Join(found.Err(), s.Add(t.Context(), d)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// rewrite changes the stored manifest of a generation.
func rewrite(t *testing.T, b bucket.Bucket, id registry.ID, edit func(string) string) {
	t.Helper()
	key := "g/" + id.String() + "/manifest"
	content, _, err := bucket.ReadAll(t.Context(), b, key, "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Decode(content)
	if err != nil {
		t.Fatal(err)
	}
	next := m.Next()
	next.Definition = []byte(edit(string(next.Definition)))
	if content, err = next.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.PutIf(t.Context(), key, bucket.Bytes(content), bucket.Always); err != nil {
		t.Fatal(err)
	}
}

func TestStatesOfAGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		b := faultbucket.New(under, nil)
		writing, reading := newShared(b, vfs.Memory(), mine{}), newShared(b, vfs.Memory(), theirs{})
		d, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`), writing.options.Engine.Capabilities)
		if err != nil {
			t.Fatal(err)
		}
		entry := registry.Entry{Index: registry.NewID(), Generation: registry.NewID(), Name: registry.Name{Index: "books", Generation: "1"}}
		if err := writing.Create(t.Context(), entry.Generation, d); err != nil {
			t.Fatal(err)
		}
		w, err := writing.Acquire(t.Context(), entry)
		if err != nil {
			t.Fatal(err)
		}
		r := acquireToRead(t, reading, entry)
		is := func(g *Generation, want string) {
			t.Helper()
			if got := g.State(); got != want {
				t.Errorf("the state is %s, want %s", got, want)
			}
		}
		is(w, Usable)
		is(r, Usable)
		add(t, w, `{"id":"a"}`)
		is(w, Modified)

		// While the manifest is on its way the state is pushing.
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "put" && strings.HasSuffix(c.Key, "/manifest") {
				is(w, Pushing)
			}
			return faultbucket.None
		})
		commit(t, w)
		b.SetPlan(nil)
		is(w, Usable)

		// During a pull the state is pulling, and needs_pull when it fails.
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			is(r, Pulling)
			return faultbucket.Unavailable
		})
		if err := reading.Pull(t.Context(), r); err == nil {
			t.Error("a pull without a bucket succeeded")
		}
		is(r, NeedsPull)
		b.SetPlan(nil)
		if err := reading.Pull(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		is(r, Usable)

		// A definition that needs features this build lacks is not read in part.
		var kept string
		rewrite(t, under, entry.Generation, func(text string) string {
			kept = text
			var stored map[string]any
			if err := json.Unmarshal([]byte(text), &stored); err != nil {
				t.Fatal(err)
			}
			stored["requiredFeatures"] = []string{"future"}
			changed, err := json.Marshal(stored)
			if err != nil {
				t.Fatal(err)
			}
			return string(changed)
		})
		if err := reading.Pull(t.Context(), r); !errors.Is(err, problem.IndexUnsupported) {
			t.Errorf("pull of an unsupported definition: %v", err)
		}
		is(r, Unsupported)
		if _, err := reading.AcquireToRead(t.Context(), entry); !errors.Is(err, problem.IndexUnsupported) {
			t.Errorf("read of an unsupported definition: %v", err)
		}
		rewrite(t, under, entry.Generation, func(string) string { return kept })
		if err := reading.Pull(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		is(r, Usable)

		// Files in a format that this build does not read.
		key := "g/" + entry.Generation.String() + "/manifest"
		content, _, err := bucket.ReadAll(t.Context(), under, key, "", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := under.PutIf(t.Context(), key, bucket.Bytes(newerManifest(content)), bucket.Always); err != nil {
			t.Fatal(err)
		}
		if err := reading.Pull(t.Context(), r); err == nil {
			t.Error("a newer format was pulled")
		}
		is(r, Incompatible)

		if _, err := under.PutIf(t.Context(), key, bucket.Bytes(content), bucket.Always); err != nil {
			t.Fatal(err)
		}
		r.Release()
		w.Release()
		if err := errors.Join(reading.Close(t.Context()), writing.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		is(r, Closed)
	})
}

// sized is a file system on a disk with a given amount of free space.
type sized struct {
	vfs.FS
	free uint64
}

func (s *sized) Free() (free, total uint64, err error) { return s.free, 1 << 30, nil }

// A disk that runs full drops closed copies at once.
func TestAFullDiskGivesCopiesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := &sized{FS: vfs.Memory()}
		s := newShared(memory.New(nil), fs, mine{})
		s.options.MaxOpen = 1
		d, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`), s.options.Engine.Capabilities)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			entry := registry.Entry{Index: registry.NewID(), Generation: registry.NewID()}
			if err := s.Create(t.Context(), entry.Generation, d); err != nil {
				t.Fatal(err)
			}
			g, err := s.Acquire(t.Context(), entry)
			if err != nil {
				t.Fatal(err)
			}
			g.Release()
			synctest.Wait()
		}
		copies := func() int {
			local, err := s.Local()
			if err != nil {
				t.Fatal(err)
			}
			return len(local)
		}
		budget := Budget{MinIdle: 24 * time.Hour, Reserve: 1000}
		fs.free = 1000
		if err := s.freeSpace(t.Context(), budget); err != nil || copies() != 3 {
			t.Errorf("%d copies with room: %v", copies(), err)
		}
		fs.free = 999
		if err := s.freeSpace(t.Context(), budget); err != nil || copies() != 2 {
			t.Errorf("%d copies without room: %v", copies(), err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// newerManifest returns a manifest marked as a newer format.
func newerManifest(content []byte) []byte {
	mark, rest, _ := strings.Cut(string(content), " ")
	_, rest, _ = strings.Cut(rest, " ")
	return []byte(mark + " 999 " + rest)
}

// F19: a generation that is evicted and whose copy is removed while its changes
// cannot be pushed has lost nothing that was acknowledged.
func TestEvictionKeepsWhatIsNotPushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		s := newShared(b, vfs.Memory(), mine{})
		s.options.MaxOpen = 1
		d, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`), s.options.Engine.Capabilities)
		if err != nil {
			t.Fatal(err)
		}
		var entries []registry.Entry
		for range 2 {
			entry := registry.Entry{Index: registry.NewID(), Generation: registry.NewID()}
			if err := s.Create(t.Context(), entry.Generation, d); err != nil {
				t.Fatal(err)
			}
			entries = append(entries, entry)
		}
		open := func(entry registry.Entry) *Generation {
			t.Helper()
			g, err := s.Acquire(t.Context(), entry)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		g := open(entries[0])
		add(t, g, `{"id":"kept"}`)
		pushed := "g/" + entries[0].Generation.String() + "/seg/"
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "put" && strings.HasPrefix(c.Key, pushed) {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		g.Release()
		open(entries[1]).Release() // evicts the first
		time.Sleep(time.Hour)
		if _, err := s.dropCopy(t.Context(), entries[0].Generation); err != nil {
			t.Fatal(err)
		}
		b.SetPlan(nil)
		g = open(entries[0])
		if count, err := g.Count(); err != nil || count != 1 {
			t.Errorf("%d documents, %v", count, err)
		}
		g.Release()
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// A copy that answers while its writer is opened is closed with the set, even when
// the writer cannot be opened.
func TestClosingClosesTheCopyOfAWriterThatDoesNotOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := filled(t, b, vfs.Memory())
		s := newShared(b, vfs.Memory(), theirs{})
		g := acquireToRead(t, s, e)
		s.remote.Claims = mine{}
		proceed := make(chan struct{})
		s.remote.Taken = func(context.Context, registry.Entry) error {
			<-proceed
			return errors.New("the registry cannot be read")
		}
		var running sync.WaitGroup
		running.Go(func() {
			if _, err := s.Acquire(t.Context(), e); err == nil {
				t.Error("a writer was opened")
			}
		})
		synctest.Wait()
		running.Go(func() {
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		close(proceed)
		running.Wait()
		if view := g.Snapshot(); view != nil {
			view.Release()
			t.Error("the copy is still open")
		}
		g.Release()
	})
}

// A pull that comes too late does not wait for a copy that is gone.
func TestAPullDoesNotWaitForACopyThatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := filled(t, b, vfs.Memory())
		s := newShared(b, vfs.Memory(), theirs{})
		defer s.Close(t.Context())
		g := acquireToRead(t, s, e)
		defer g.Release()
		if err := s.Remove(t.Context(), e.Generation); err != nil {
			t.Fatal(err)
		}
		if err := s.Pull(t.Context(), g); !errors.Is(err, problem.IndexClosed) {
			t.Errorf("a pull of a copy that left: %v", err)
		}
	})
}

// GN5: a pull that waits while a writer is opened in place of its copy does not run
// after it.
func TestNoPullRunsBesideAWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := filled(t, b, vfs.Memory())
		s := newShared(b, vfs.Memory(), theirs{})
		defer s.Close(t.Context())
		g := acquireToRead(t, s, e)
		defer g.Release()
		s.remote.Claims = mine{}
		proceed := make(chan struct{})
		s.remote.Taken = func(context.Context, registry.Entry) error {
			<-proceed
			return nil
		}
		var running sync.WaitGroup
		running.Go(func() {
			writer, err := s.Acquire(t.Context(), e)
			if err != nil {
				t.Error(err)
				return
			}
			writer.Release()
		})
		synctest.Wait()
		running.Go(func() {
			if err := s.Pull(t.Context(), g); !errors.Is(err, problem.IndexClosed) {
				t.Errorf("a pull beside a writer: %v", err)
			}
		})
		synctest.Wait()
		close(proceed)
		running.Wait()
	})
}
