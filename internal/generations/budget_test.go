package generations

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

// mine claims every index.
type mine struct{}

func (mine) Holds(registry.ID) bool                             { return true }
func (mine) Claim(context.Context, registry.ID) error           { return nil }
func (mine) Confirm(context.Context, registry.ID) (bool, error) { return true, nil }
func (mine) Doubt() bool                                        { return false }

func TestCopiesBeyondTheBudgetAreRemovedAndComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		builder := analysis.NewBuilder(analysis.Options{})
		d, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`), builder.Capabilities())
		if err != nil {
			t.Fatal(err)
		}
		fs := vfs.Memory()
		s := New(fs, "generations", Options{MaxOpen: 1, Log: slog.New(slog.DiscardHandler), Engine: engine.Options{MinFree: -1, Workers: 1, Analysis: builder},
			Remote: &Remote{Bucket: memory.New(nil), Grace: time.Hour, Claims: mine{}, HalfLife: time.Hour}})
		var entries []registry.Entry
		for range 4 {
			e := registry.Entry{Index: registry.NewID(), Generation: registry.NewID()}
			if err := s.Create(t.Context(), e.Generation, d); err != nil {
				t.Fatal(err)
			}
			g, err := s.Acquire(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			g.Release()
			entries = append(entries, e)
			time.Sleep(time.Minute)
		}
		count := func() int {
			local, err := s.Local()
			if err != nil {
				t.Fatal(err)
			}
			return len(local)
		}
		one := sizeOf(fs, s.storage(entries[0].Generation).Directory)
		budget := Budget{MaxSize: one * 5 / 2, MinIdle: 24 * time.Hour, HalfLife: time.Hour}
		if err := s.shrink(t.Context(), budget); err != nil || count() != 4 {
			t.Errorf("%d copies after a sweep of copies in use: %v", count(), err)
		}
		time.Sleep(25 * time.Hour)
		// I22: copies of what the bucket lost stay.
		manifests := make(map[string][]byte)
		for _, e := range entries {
			key := registry.Prefix(e.Generation) + "manifest"
			content, _, err := bucket.ReadAll(t.Context(), s.remote.Bucket, key, "", 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			manifests[key] = content
			if _, err := s.remote.Bucket.Delete(t.Context(), key, bucket.Always); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.shrink(t.Context(), budget); err != nil || count() != 4 {
			t.Errorf("%d copies are left of what the bucket lost: %v", count(), err)
		}
		for key, content := range manifests {
			if _, err := s.remote.Bucket.PutIf(t.Context(), key, bucket.Bytes(content), bucket.Absent()); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.shrink(t.Context(), budget); err != nil || count() != 2 {
			t.Errorf("%d copies are left: %v", count(), err)
		}
		for _, e := range entries {
			g := acquireToRead(t, s, e)
			g.Release()
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// I22: a bucket that continued from an earlier state holds less than a copy of a
// later commit, whatever its version.
func TestACopyOfALaterCommitStays(t *testing.T) {
	b := memory.New(nil)
	s := newShared(b, vfs.Memory(), mine{})
	defer s.Close(t.Context())
	e := create(t, s, "books")
	g := acquire(t, s, e)
	defer g.Release()
	add(t, g, `{"id":"one"}`)
	commit(t, g)
	local := g.Manifest()
	for _, c := range []struct {
		sequence, version uint64
		isStored          bool
	}{
		{local.Sequence, local.Version, true},
		{local.Sequence - 1, local.Version + 10, false},
		{local.Sequence, local.Version - 1, false},
		{local.Sequence + 1, local.Version - 1, true},
	} {
		stored := local.Next()
		stored.Ancestry = nil // of another history
		stored.Sequence, stored.Version = c.sequence, c.version
		content, err := stored.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.PutIf(t.Context(), registry.Prefix(e.Generation)+"manifest", bucket.Bytes(content), bucket.Always); err != nil {
			t.Fatal(err)
		}
		if got := s.isStored(t.Context(), e.Generation); got != c.isStored {
			t.Errorf("commit %d in version %d holds commit %d in version %d: %t", c.sequence, c.version, local.Sequence, local.Version, got)
		}
	}
}
