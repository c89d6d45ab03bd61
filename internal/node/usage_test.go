package node

import (
	"log/slog"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

func TestUsageOrdersAcrossStarts(t *testing.T) {
	fs, now := vfs.Memory(), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	u := readUsage(fs)
	u.now = func() time.Time { return now }
	entries := make([]registry.Entry, 4)
	for i := range entries {
		entries[i] = registry.Entry{Generation: registry.NewID()}
	}
	for range 10 {
		u.note(entries[1].Generation)
	}
	now = now.Add(3 * usageHalfLife) // ten uses now count little more than one
	for range 3 {
		u.note(entries[3].Generation)
	}
	if err := u.save(); err != nil {
		t.Fatal(err)
	}
	again := readUsage(fs)
	again.now = u.now
	got := again.most(entries)
	for i, want := range []int{3, 1, 0, 2} {
		if got[i].Generation != entries[want].Generation {
			t.Errorf("place %d is not entry %d", i, want)
		}
	}
}

func TestDamagedUsageCountsAsNone(t *testing.T) {
	for _, content := range []string{`{"zz":`, `{"format":1}`, `{"format":99,"counts":{"` + registry.NewID().String() + `":{"count":1}}}`} {
		fs := vfs.Memory()
		if err := vfs.ReplaceFile(fs, usageName, []byte(content)); err != nil {
			t.Fatal(err)
		}
		u := readUsage(fs)
		u.note(registry.NewID())
		if err := u.save(); err != nil || len(readUsage(fs).counts) != 1 {
			t.Errorf("%s: %v", content, err)
		}
	}
}

func FuzzNotes(f *testing.F) {
	id := registry.NewID().String()
	for _, seed := range []string{``, `{`, `{"format":1,"counts":{"` + id + `":{"count":1,"at":"2024-01-01T00:00:00Z"}}}`,
		`{"format":1,"deployment":"` + id + `","version":3,"listed":["` + id + `"]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		fs := vfs.Memory()
		for _, name := range []string{usageName, seenName} {
			if err := vfs.ReplaceFile(fs, name, content); err != nil {
				t.Fatal(err)
			}
		}
		u := readUsage(fs)
		u.note(registry.NewID())
		if err := u.save(); err != nil {
			t.Error(err)
		}
		s := &shared{node: &Node{log: slog.New(slog.DiscardHandler)}, fs: fs}
		if before, _ := s.seenBefore(); before.Format == 0 && before.Listed != nil {
			t.Error("a note that was refused is used")
		}
	})
}

func TestUsageIsBounded(t *testing.T) {
	u := readUsage(vfs.Memory())
	kept := registry.NewID()
	u.note(kept)
	u.note(kept)
	for range maxUsage + 10 {
		u.note(registry.NewID())
	}
	if err := u.save(); err != nil {
		t.Fatal(err)
	}
	if len(u.counts) != maxUsage || u.counts[kept].Count < 1.9 {
		t.Errorf("%d are kept", len(u.counts))
	}
}
