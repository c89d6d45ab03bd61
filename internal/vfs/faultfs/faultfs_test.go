package faultfs

import (
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

// A removed directory comes back after a power loss, whole or in part, only if its
// parent was not synced.
func TestARemovedDirectoryStaysRemovedOnceSynced(t *testing.T) {
	names := []string{"above/dir/a", "above/dir/b", "above/dir/inner/c"}
	removed := func(isSynced bool) *FS {
		t.Helper()
		f := New(nil)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(f.MakeDir("above/dir/inner"))
		for _, name := range names {
			file, err := f.Create(name)
			must(err)
			must(file.Close())
		}
		must(f.SyncDir("above/dir"))
		must(f.SyncDir("above/dir/inner"))
		if err := f.Remove("above/dir"); !errors.Is(err, syscall.ENOTEMPTY) {
			t.Errorf("a directory with files was removed: %v", err)
		}
		for _, name := range names {
			must(f.Remove(name))
		}
		must(f.Remove("above/dir/inner"))
		must(f.Remove("above/dir"))
		if _, err := f.List("above/dir"); !errors.Is(err, vfs.ErrNotExist) {
			t.Errorf("it is listed: %v", err)
		}
		if isSynced {
			must(f.SyncDir("above"))
		}
		return f
	}
	for _, isSynced := range []bool{true, false} {
		found := 0
		for seed := range uint64(50) {
			after := removed(isSynced).Restart(rand.New(rand.NewPCG(seed, 0)), false)
			for _, dir := range []string{"above/dir", "above/dir/inner"} {
				entries, _ := after.List(dir)
				found += len(entries)
			}
		}
		if isSynced == (found > 0) {
			t.Errorf("synced %t: %d names came back", isSynced, found)
		}
	}
}
