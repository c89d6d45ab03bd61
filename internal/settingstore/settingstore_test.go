package settingstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/settings"
)

func put(body string) func(Held) (*settings.Settings, error) {
	return func(Held) (*settings.Settings, error) { return settings.Decode([]byte(body)) }
}

func remove(Held) (*settings.Settings, error) { return nil, nil }

func TestSettingsOfAnIndex(t *testing.T) {
	b := memory.New(nil)
	s, index := New(b), registry.NewID()
	if h, err := s.Current(t.Context(), index); err != nil || h.Settings != nil || h.Revision != 0 {
		t.Fatalf("no settings: %+v, %v", h, err)
	}
	first, existed, err := s.Change(t.Context(), index, put(`{"typoExclusions":{"l":{"words":["a"]}}}`))
	if err != nil || existed || first.Revision != 1 || first.Version() == "" {
		t.Fatalf("first settings: %+v, %v, %v", first, existed, err)
	}
	other := New(b)
	if h, err := other.Current(t.Context(), index); err != nil || h.Version() != first.Version() {
		t.Fatalf("another node: %+v, %v", h, err)
	}
	if _, existed, err := s.Change(t.Context(), index, put(`{}`)); err != nil || !existed {
		t.Fatalf("replaced: %v, %v", existed, err)
	}
	if h, _ := other.Current(t.Context(), index); h.Revision != 1 {
		t.Errorf("the copy of another node is at %d before it reads", h.Revision)
	}
	if h, err := other.Read(t.Context(), index); err != nil || h.Revision != 2 || h.Settings == nil {
		t.Errorf("after reading: %+v, %v", h, err)
	}
	gone, existed, err := s.Change(t.Context(), index, remove)
	if err != nil || !existed || gone.Settings != nil || gone.Revision != 3 {
		t.Fatalf("removed: %+v, %v, %v", gone, existed, err)
	}
	again, existed, err := s.Change(t.Context(), index, remove)
	if err != nil || existed || again.Revision != 4 {
		t.Fatalf("removed again: %+v, %v, %v", again, existed, err)
	}
	refused := errors.New("refused")
	if _, _, err := s.Change(t.Context(), index, func(Held) (*settings.Settings, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("refused change: %v", err)
	}
	if h, err := New(b).Current(t.Context(), registry.NewID()); err != nil || h.Revision != 0 {
		t.Errorf("another index: %+v, %v", h, err)
	}
}

// F8: settings whose first write the store applies after their removal do not come
// back.
func TestALateWriteDoesNotUndoARemoval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, before := range []bool{false, true} { // settings were removed before
			b := faultbucket.New(memory.New(nil), nil)
			s, index := New(b), registry.NewID()
			if before {
				if _, _, err := s.Change(t.Context(), index, remove); err != nil {
					t.Fatal(err)
				}
			}
			b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
				if c.Op == "put" {
					return faultbucket.Late
				}
				return faultbucket.None
			})
			if _, _, err := s.Change(t.Context(), index, put(`{}`)); !errors.Is(err, problem.StorageUnknown) {
				t.Fatal(err)
			}
			b.SetPlan(nil)
			if _, _, err := s.Change(t.Context(), index, remove); err != nil {
				t.Fatal(err)
			}
			b.Settle()
			if h, err := s.Read(t.Context(), index); err != nil || h.Settings != nil {
				t.Errorf("removed before %t: %+v, %v", before, h, err)
			}
		}
	})
}

// A change whose caller leaves does not wait for an earlier one that the store does
// not answer.
func TestACallerLeavesAChangeThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "put" {
				return faultbucket.Hang
			}
			return faultbucket.None
		})
		s, index := New(b), registry.NewID()
		var first sync.WaitGroup
		first.Go(func() { _, _, _ = s.Change(context.Background(), index, put(`{}`)) })
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err := s.Change(ctx, index, put(`{}`))
		if took := time.Since(began); !errors.Is(err, problem.StorageIoError) || took != time.Second {
			t.Errorf("%v after %s", err, took)
		}
		first.Wait()
		b.SetPlan(nil)
		if _, _, err := s.Change(t.Context(), index, put(`{}`)); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// Three nodes change the settings of one index at once: every change that was
// answered as made is there.
func TestChangesOfSeveralNodesAreNotLost(t *testing.T) {
	b, index := memory.New(nil), registry.NewID()
	var (
		nodes sync.WaitGroup
		made  atomic.Int64
	)
	for n := range 3 {
		nodes.Go(func() {
			s := New(b)
			for i := range 20 {
				_, _, err := s.Change(t.Context(), index, func(now Held) (*settings.Settings, error) {
					return now.Settings.Patch(fmt.Appendf(nil, `{"typoExclusions.n%d-%d":{"words":["a"]}}`, n, i))
				})
				switch {
				case err == nil:
					made.Add(1)
				case !errors.Is(err, problem.StorageConflict):
					t.Error(err)
				}
			}
		})
	}
	nodes.Wait()
	held, err := New(b).Current(t.Context(), index)
	if err != nil || int64(len(held.Settings.TypoExclusions)) != made.Load() || made.Load() == 0 {
		t.Errorf("%d lists of %d changes, %v", len(held.Settings.TypoExclusions), made.Load(), err)
	}
}
