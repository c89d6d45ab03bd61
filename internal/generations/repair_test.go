package generations

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/segment/stored"
	"github.com/quiresearch/quire/internal/vfs"
)

// rotting is a disk on which the records of the first segment rot after a number of
// reads. A file that is written again is whole, unless the disk is bad.
type rotting struct {
	vfs.FS
	after int
	isBad bool

	mu    sync.Mutex
	reads map[string]int
	again map[string]bool
}

func newRotting(fs vfs.FS, after int) *rotting {
	return &rotting{FS: fs, after: after, reads: make(map[string]int), again: make(map[string]bool)}
}

func (r *rotting) Map(name string) (*vfs.Mapping, error) {
	m, err := r.FS.Map(name)
	if err != nil || !strings.HasSuffix(name, "/0000000001.seg") {
		return m, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reads[name]++; r.reads[name] <= r.after || r.again[name] && !r.isBad {
		return m, nil
	}
	defer m.Release()
	content := bytes.Clone(m.Bytes())
	file, err := blockfile.Inspect(name, content)
	if err != nil {
		return nil, err
	}
	content[file.Offset(blockfile.ID{Part: stored.PartData})] ^= 1
	return vfs.NewMapping(name, content, nil), nil
}

func (r *rotting) Rename(from, to string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.again[to] = r.reads[to] > 0
	return r.FS.Rename(from, to)
}

// filled makes a generation with one document in one segment.
func filled(t *testing.T, b bucket.Bucket, fs vfs.FS) registry.Entry {
	t.Helper()
	s := newShared(b, fs, mine{})
	e := create(t, s, "books")
	g := acquire(t, s, e)
	add(t, g, `{"id":"a"}`)
	commit(t, g)
	g.Release()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// record reads the first document as a search does.
func record(g *Generation) (string, error) {
	view := g.Snapshot()
	defer view.Release()
	var content []byte
	err := vfs.Protect(func() (err error) {
		content, err = view.Segments[0].Reader.Stored().Get(nil, 0)
		return err
	})
	return string(content), err
}

// countFetched counts the calls for segments from now on.
func countFetched(b *faultbucket.Bucket) *atomic.Int64 {
	fetched := new(atomic.Int64)
	b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
		if strings.Contains(c.Key, "/seg/") {
			fetched.Add(1)
		}
		return faultbucket.None
	})
	return fetched
}

// I12: damaged parts of a local copy are refused, fetched again and shown.
func TestADamagedCopyIsFetchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		e := filled(t, b, vfs.Memory())
		s := newShared(b, newRotting(vfs.Memory(), 0), theirs{})
		defer s.Close(t.Context())
		var fetched atomic.Int64
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if strings.Contains(c.Key, "/seg/") && fetched.Add(1) > 1 {
				return faultbucket.Unavailable // from the first copy on
			}
			return faultbucket.None
		})
		g := acquireToRead(t, s, e)
		defer g.Release()
		for range 3 { // I18: the rest of it answers while the bucket is away
			if _, err := record(g); !errors.Is(err, vfs.ErrFault) {
				t.Fatalf("a damaged record: %v", err)
			}
			synctest.Wait()
			if state := g.State(); state != NeedsPull {
				t.Errorf("the state is %s", state)
			}
			view := g.Snapshot()
			if _, _, ok, err := view.LookupKey("a"); !ok || err != nil {
				t.Errorf("what is not damaged: %v %v", ok, err)
			}
			view.Release()
			time.Sleep(time.Minute)
		}
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if state := g.State(); state != Pulling {
				t.Errorf("the state is %s during %s", state, c.Op)
			}
			return faultbucket.None
		})
		time.Sleep(time.Minute)
		if got, err := record(g); err != nil || !strings.Contains(got, `"a"`) {
			t.Errorf("after the bucket came back: %q %v", got, err)
		}
		if state := g.State(); state != Usable {
			t.Errorf("the state is %s", state)
		}
	})
}

// The background verification finds damage before any reader does.
func TestADamagedFileOfAWriterIsFetchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, fs := memory.New(nil), vfs.Memory()
		e := filled(t, b, fs)
		s := newShared(b, newRotting(fs, 1), mine{}) // whole when the writer opens
		defer s.Close(t.Context())
		g := acquire(t, s, e)
		defer g.Release()
		synctest.Wait()
		if got, err := record(g); err != nil || !strings.Contains(got, `"a"`) {
			t.Errorf("%q %v", got, err)
		}
		add(t, g, `{"id":"b"}`)
		if _, err := g.Commit(t.Context(), engine.Explicit); err != nil {
			t.Error(err)
		}
		if state := g.State(); state != Usable {
			t.Errorf("the state is %s", state)
		}
	})
}

// A disk that damages everything is not written to over and over.
func TestABadDiskIsTriedLessAndLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		e := filled(t, b, vfs.Memory())
		disk := newRotting(vfs.Memory(), 0)
		disk.isBad = true
		s := newShared(b, disk, theirs{})
		defer s.Close(t.Context())
		g := acquireToRead(t, s, e)
		defer g.Release()
		fetched := countFetched(b)
		for range 1800 {
			if _, err := record(g); !errors.Is(err, vfs.ErrFault) {
				t.Fatalf("a damaged record: %v", err)
			}
			time.Sleep(2 * time.Second)
		}
		if n := fetched.Load(); n < 5 || n > 25 {
			t.Errorf("fetched %d times in an hour", n)
		}
	})
}

// F38: a file that is truncated under its readers is fetched again once a reader
// meets the fault.
func TestATruncatedCopyIsFetchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		e := filled(t, b, vfs.Memory())
		directory := t.TempDir()
		s := newShared(b, vfs.OS(directory), theirs{})
		defer s.Close(t.Context())
		g := acquireToRead(t, s, e)
		defer g.Release()
		synctest.Wait() // it is verified
		if err := os.Truncate(filepath.Join(directory, "generations", e.Generation.String(), "0000000001.seg"), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := record(g); !errors.Is(err, vfs.ErrFault) {
			t.Skipf("the system shows no fault: %v", err)
		}
		s.Suspect(g)
		synctest.Wait()
		if got, err := record(g); err != nil || !strings.Contains(got, `"a"`) {
			t.Errorf("%q %v", got, err)
		}
	})
}

// A damaged file that every pull reads again is fetched again, and the copy
// continues.
func TestADamagedSideFileIsFetchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		elsewhere := newShared(b, vfs.Memory(), mine{})
		defer elsewhere.Close(t.Context())
		e := create(t, elsewhere, "books")
		w := acquire(t, elsewhere, e)
		defer w.Release()
		for i := range 10 {
			add(t, w, fmt.Sprintf(`{"id":"%d"}`, i))
		}
		commit(t, w)
		stream := w.WriteStream()
		if err := stream.Delete(t.Context(), "0"); err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		commit(t, w)
		fs := vfs.Memory()
		s := newShared(b, fs, theirs{})
		defer s.Close(t.Context())
		g := acquireToRead(t, s, e)
		defer g.Release()
		for _, f := range g.Manifest().Files {
			if !strings.HasSuffix(f.Name, ".seg") {
				spoil(t, fs, g.directory+"/"+f.Name)
			}
		}
		add(t, w, `{"id":"later"}`)
		commit(t, w)
		if err := s.Pull(t.Context(), g); !errors.Is(err, blockfile.ErrCorrupt) {
			t.Fatalf("a pull beside a damaged file: %v", err)
		}
		if state := g.State(); state != NeedsPull && state != Pulling {
			t.Errorf("the state is %s", state)
		}
		time.Sleep(time.Minute)
		if err := s.Pull(t.Context(), g); err != nil || g.Sequence() != w.Sequence() {
			t.Errorf("commit %d of %d: %v", g.Sequence(), w.Sequence(), err)
		}
		if state := g.State(); state != Usable {
			t.Errorf("the state is %s", state)
		}
	})
}

// spoil replaces a file by another one.
func spoil(t *testing.T, fs vfs.FS, name string) {
	t.Helper()
	if err := fs.Remove(name); err != nil {
		t.Fatal(err)
	}
	file, err := fs.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write([]byte("spoiled"))
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// A damaged object is not fetched over and over.
func TestADamagedObjectIsFetchedLessAndLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		e := filled(t, b, vfs.Memory())
		s := newShared(b, newRotting(vfs.Memory(), 1), theirs{})
		defer s.Close(t.Context())
		g := acquireToRead(t, s, e)
		defer g.Release()
		synctest.Wait() // it is verified
		stored, err := b.List(t.Context(), "g/"+e.Generation.String()+"/seg/", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range stored.Entries {
			if _, err := b.PutIf(t.Context(), entry.Key, bucket.Bytes([]byte("spoiled")), bucket.Always); err != nil {
				t.Fatal(err)
			}
		}
		fetched := countFetched(b)
		s.Suspect(g)
		time.Sleep(time.Hour)
		if n := fetched.Load(); n < 5 || n > 25 {
			t.Errorf("fetched %d times in an hour", n)
		}
		names, err := s.fs.List(g.directory)
		if err != nil || slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, ".part") }) {
			t.Errorf("left behind: %q %v", names, err)
		}
	})
}

// A repair that the bucket does not answer does not keep the copy from being
// closed.
func TestARepairEndsWithItsCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		e := filled(t, b, vfs.Memory())
		s := newShared(b, newRotting(vfs.Memory(), 1), theirs{})
		defer s.Close(t.Context())
		g := acquireToRead(t, s, e)
		g.Release()
		synctest.Wait() // it is verified
		b.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Stall })
		s.Suspect(g)
		synctest.Wait()
		if state := g.State(); state != Pulling {
			t.Errorf("the state is %s", state)
		}
		if err := s.Remove(t.Context(), e.Generation); err != nil {
			t.Error(err)
		}
	})
}

// A file that could not be read for a while is reopened once it can be read.
func TestAFileThatCanBeReadAgainIsOpenedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		d, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true},"n":{"type":"int32","filter":{}}}}`), definition.Capabilities{})
		if err != nil {
			t.Fatal(err)
		}
		e := registry.Entry{Name: registry.Name{Index: "books", Generation: "1"}, Index: registry.NewID(), Generation: registry.NewID()}
		elsewhere := newShared(b, vfs.Memory(), mine{})
		defer elsewhere.Close(t.Context())
		if err := elsewhere.Create(t.Context(), e.Generation, d); err != nil {
			t.Fatal(err)
		}
		w := acquire(t, elsewhere, e)
		defer w.Release()
		add(t, w, `{"id":"a","n":1}`)
		commit(t, w)
		directory := t.TempDir()
		s := newShared(b, vfs.OS(directory), theirs{})
		defer s.Close(t.Context())
		g := acquireToRead(t, s, e)
		defer g.Release()
		synctest.Wait() // it is verified
		name := filepath.Join(directory, "generations", e.Generation.String(), "0000000001.seg")
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, 0); err != nil {
			t.Fatal(err)
		}
		find := func() error {
			view := g.Snapshot()
			defer view.Release()
			return vfs.Protect(func() error {
				if view.Segments[0].Reader.Numbers(layout.Filter("n", "")) == nil {
					return errors.New("there is no such column")
				}
				return nil
			})
		}
		if err := find(); !errors.Is(err, vfs.ErrFault) {
			t.Skipf("the system shows no fault: %v", err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s.Suspect(g)
		synctest.Wait()
		if err := find(); err != nil {
			t.Error(err)
		}
	})
}
