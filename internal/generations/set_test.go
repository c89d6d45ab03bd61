package generations

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
	"github.com/quiresearch/quire/problem"
)

func newSet(t *testing.T, maxOpen int) *Set {
	s := New(vfs.Memory(), "generations", Options{MaxOpen: maxOpen, Log: slog.New(slog.DiscardHandler),
		Engine: engine.Options{MaxInterval: -1, MinFree: -1, Workers: 1}})
	t.Cleanup(func() {
		if err := s.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return s
}

func create(t *testing.T, s *Set, name string) registry.Entry {
	t.Helper()
	d, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`), definition.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	e := registry.Entry{Name: registry.Name{Index: name, Generation: "1"}, Index: registry.NewID(), Generation: registry.NewID()}
	if err := s.Create(t.Context(), e.Generation, d); err != nil {
		t.Fatal(err)
	}
	return e
}

func acquire(t *testing.T, s *Set, e registry.Entry) *Generation {
	t.Helper()
	g, err := s.Acquire(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func acquireToRead(t *testing.T, s *Set, e registry.Entry) *Generation {
	t.Helper()
	g, err := s.AcquireToRead(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func commit(t *testing.T, g *Generation) {
	t.Helper()
	if _, err := g.Commit(t.Context(), engine.Explicit); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, g *Generation, key string) {
	t.Helper()
	var found problem.List
	d := document.NewReader(g.Schema()).Read(fmt.Appendf(nil, `{"id":%q}`, key), problem.Path{}, &found)
	stream := g.WriteStream()
	if err := errors.Join(found.Err(), stream.Add(t.Context(), d)); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestGenerationIsOpenedOnce(t *testing.T) {
	s := newSet(t, 0)
	e := create(t, s, "books")
	var users sync.WaitGroup
	opened := make([]*Generation, 16)
	for i := range opened {
		users.Go(func() { opened[i] = acquire(t, s, e) })
	}
	users.Wait()
	for _, g := range opened {
		if g.Generation != opened[0].Generation {
			t.Fatal("opened twice")
		}
		g.Release()
		g.Release()
	}
	if all := s.Open(); len(all) != 1 {
		t.Errorf("%d are open", len(all))
	}
}

func TestLeastRecentlyUsedIsClosedAndOpensAgain(t *testing.T) {
	s := newSet(t, 2)
	entries := []registry.Entry{create(t, s, "a"), create(t, s, "b"), create(t, s, "c")}
	used := acquire(t, s, entries[0])
	write(t, used, "1")
	for range 3 {
		for _, e := range entries[1:] {
			g := acquire(t, s, e)
			write(t, g, "x")
			g.Release()
		}
	}
	if used.State() != Modified {
		t.Errorf("a generation in use is %s", used.State())
	}
	used.Release()
	for _, e := range entries {
		g := acquire(t, s, e)
		if n, err := g.Count(); n != 1 || err != nil {
			t.Errorf("%s holds %d documents, %v", e.Name, n, err)
		}
		g.Release()
	}
	s.mu.Lock()
	open := s.open
	s.mu.Unlock()
	if open > 2 {
		t.Errorf("%d are open", open)
	}
}

func TestRemovedGenerationIsGone(t *testing.T) {
	s := newSet(t, 0)
	e := create(t, s, "books")
	g := acquire(t, s, e)
	write(t, g, "1")
	commit(t, g)
	view := g.Snapshot()
	if err := s.Remove(t.Context(), e.Generation); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := view.LookupKey("1"); !ok || err != nil {
		t.Errorf("a snapshot that is held lost its document: %v", err)
	}
	view.Release()
	g.Release()
	if _, err := s.Acquire(t.Context(), e); !errors.Is(err, problem.IndexClosed) {
		t.Errorf("acquired after the removal: %v", err)
	}
	if left, _ := s.fs.List("generations"); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	if err := s.Remove(t.Context(), e.Generation); err != nil {
		t.Errorf("removed again: %v", err)
	}
}

// F3: a removal that a power loss interrupts leaves the whole generation, or none.
func TestPowerLossDuringARemoval(t *testing.T) {
	for at := 1; ; at++ {
		disk := faultfs.New(nil)
		s := New(disk, "generations", Options{Log: slog.New(slog.DiscardHandler),
			Engine: engine.Options{MaxInterval: -1, MinFree: -1, Workers: 1}})
		e := create(t, s, "books")
		g := acquire(t, s, e)
		write(t, g, "1")
		commit(t, g)
		g.Release()
		begun, isOff := disk.Calls(), false
		disk.SetFault(func(c faultfs.Call) error {
			if isOff = isOff || c.Number == begun+at; isOff {
				return faultfs.ErrPower
			}
			return nil
		})
		err := s.Remove(t.Context(), e.Generation)
		disk.SetFault(nil)
		if !isOff {
			if err != nil || at < 5 {
				t.Errorf("removed in %d calls: %v", at-1, err)
			}
			return
		}
		for seed := range uint64(16) {
			after := disk.Restart(rand.New(rand.NewPCG(seed, 1)), false)
			if err := engine.CheckAll(after, "generations", io.Discard); err != nil {
				t.Fatalf("call %d, seed %d: %v", at, seed, err)
			}
		}
	}
}

func TestGenerationWithoutFilesIsAnErrorAndTriedAgain(t *testing.T) {
	s := newSet(t, 0)
	e := registry.Entry{Name: registry.Name{Index: "lost", Generation: "1"}, Generation: registry.NewID()}
	for range 2 {
		if _, err := s.Acquire(t.Context(), e); !errors.Is(err, problem.StorageIoError) {
			t.Errorf("%v", err)
		}
	}
}

// A generation whose disk failed takes no more writes; for the next caller it is
// opened again with everything that was acknowledged.
func TestFailedGenerationIsOpenedAgain(t *testing.T) {
	disk := faultfs.New(nil)
	s := New(disk, "generations", Options{Log: slog.New(slog.DiscardHandler),
		Engine: engine.Options{MaxInterval: -1, MinFree: -1, Workers: 1}})
	e := create(t, s, "books")
	g := acquire(t, s, e)
	write(t, g, "1")
	disk.SetFault(func(c faultfs.Call) error {
		if c.Op == "sync" {
			return errors.New("disk error")
		}
		return nil
	})
	var found problem.List
	d := document.NewReader(g.Schema()).Read([]byte(`{"id":"2"}`), problem.Path{}, &found)
	stream := g.WriteStream()
	if err := stream.Add(t.Context(), d); err == nil {
		if _, err := stream.Wait(t.Context()); err == nil {
			t.Fatal("a write is acknowledged although it is not durable")
		}
	}
	if g.Err() == nil {
		t.Fatal("the generation goes on after a failed sync")
	}
	disk.SetFault(nil)
	g.Release()
	again := acquire(t, s, e)
	defer again.Release()
	write(t, again, "3")
	if n, err := again.Count(); err != nil || n < 2 {
		t.Errorf("%d documents, %v", n, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
