package generations

import (
	"context"
	"errors"
	"testing"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// A generation that is gone from the registry leaves no entry behind, but its entry
// stays while requests may still name it, and while it is in use.
func TestWhatIsGoneIsForgotten(t *testing.T) {
	s := newSet(t, 0)
	gone, kept, used := create(t, s, "gone"), create(t, s, "kept"), create(t, s, "used")
	for _, entry := range []registry.Entry{gone, kept, used} {
		acquire(t, s, entry).Release()
		s.Moves(entry.Index)
	}
	if err := s.Remove(t.Context(), gone.Generation); err != nil {
		t.Fatal(err)
	}
	s.Unsettle(gone.Index, func(context.Context) error { return nil })
	inUse := acquire(t, s, used)
	s.Moves(used.Index).RLock()
	pass := func(times int, known ...registry.ID) {
		listed := make(map[registry.ID]bool)
		for _, id := range append(known, kept.Index, kept.Generation) {
			listed[id] = true
		}
		for range times {
			s.Forget(listed)
		}
	}
	check := func(what string, entries int) {
		t.Helper()
		if len(s.holdings) != entries || len(s.moves) != entries {
			t.Errorf("%s: %d generations and %d indexes, want %d", what, len(s.holdings), len(s.moves), entries)
		}
	}
	pass(forgetAfter - 1)
	pass(1, gone.Index, gone.Generation) // like a restored one
	pass(forgetAfter - 1)
	check("before", 3)
	if _, err := s.Acquire(t.Context(), gone); !errors.Is(err, problem.IndexClosed) {
		t.Errorf("what was removed: %v", err)
	}
	pass(1)
	check("after", 2)
	pass(1)
	check("in use", 2)
	if s.Peek(used.Generation) == nil {
		t.Error("what is in use is closed")
	}
	inUse.Release()
	s.Moves(used.Index).RUnlock()
	if err := s.Remove(t.Context(), used.Generation); err != nil {
		t.Fatal(err)
	}
	pass(1)
	check("used before", 1)
	acquire(t, s, kept).Release()
}
