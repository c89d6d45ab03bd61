package generations

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

func TestEvictedGenerationStaysUsableForTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(vfs.Memory(), "generations", Options{MaxOpen: 1, CloseGrace: time.Minute, Log: slog.New(slog.DiscardHandler),
			Engine: engine.Options{MaxInterval: -1, MinFree: -1, Workers: 1}})
		defer func() {
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		a, b := create(t, s, "a"), create(t, s, "b")
		first := acquire(t, s, a)
		first.Release()
		time.Sleep(time.Second)
		acquire(t, s, b).Release()
		synctest.Wait()

		time.Sleep(time.Second)
		again := acquire(t, s, a) // within the grace of a; now b is evicted
		if again.Generation != first.Generation {
			t.Error("an evicted generation was opened again within its grace")
		}
		again.Release()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if open := s.opened(); len(open) != 1 || open[0] != a.Generation {
			t.Errorf("%d are open after the grace", len(open))
		}
	})
}

func TestLookingIsNotUse(t *testing.T) {
	s := newSet(t, 2)
	a, b, c := create(t, s, "a"), create(t, s, "b"), create(t, s, "c")
	acquire(t, s, a).Release()
	acquire(t, s, b).Release()
	s.Peek(a.Generation).Release()
	if s.Peek(c.Generation) != nil {
		t.Error("a generation that is not open was found")
	}
	acquire(t, s, c).Release()
	if s.Peek(a.Generation) != nil {
		t.Error("what was looked at is taken for used")
	}
}

func (s *Set) opened() []registry.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []registry.ID
	for id, h := range s.holdings {
		if h.current == nil {
			continue
		}
		all = append(all, id)
	}
	return all
}
