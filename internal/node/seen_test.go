package node

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

// localCopies returns how many copies are on a disk.
func localCopies(t *testing.T, fs vfs.FS) int {
	t.Helper()
	names, err := fs.List("generations")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// Copies of what another node removed are removed, even on a node that was away
// longer than the data could be restored.
func TestCopiesOfWhatWasRemovedGo(t *testing.T) {
	for _, away := range []time.Duration{time.Minute, 3 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			b, disk := memory.New(nil), vfs.Memory()
			writer, reader := sharedNode(t, b, vfs.Memory(), "a"), sharedNode(t, b, disk, "b")
			writer.mustPut("books", books)
			writer.mustPut("shop", books)
			writer.mustWrite("books", book(1, "one"))
			time.Sleep(2 * time.Minute)
			reader.documents("books", "")
			reader.documents("shop", "")
			time.Sleep(2 * time.Minute)
			reader.shut()
			if err := writer.Delete(t.Context(), parse(t, "books")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(away)
			if localCopies(t, disk) != 2 {
				t.Fatalf("%d copies", localCopies(t, disk))
			}
			reader = sharedNode(t, b, disk, "b")
			if localCopies(t, disk) != 1 {
				t.Errorf("%d copies after the start", localCopies(t, disk))
			}
			if err := writer.Delete(t.Context(), parse(t, "shop")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Minute)
			if localCopies(t, disk) != 0 {
				t.Errorf("%d copies while it runs", localCopies(t, disk))
			}
			reader.shut()
		})
	}
}

// F42: a node whose directory belongs to a deployment neither begins another one in
// a bucket that was emptied nor joins one that was begun anew there, and keeps its
// copies.
func TestANodeStaysWithItsDeployment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := memory.New(nil), vfs.Memory()
		f := sharedNode(t, b, disk, "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		belongs := f.registry.Deployment()
		f.shut()
		b = memory.New(nil)
		refused := func() {
			t.Helper()
			var other *registry.DeploymentError
			_, err := Open(t.Context(), Storage{Bucket: b, FS: disk, Object: &Object{}}, Options{}, nil, slog.New(slog.DiscardHandler))
			if !errors.As(err, &other) || other.Expected != belongs {
				t.Fatalf("%v", err)
			}
		}
		refused()
		if countBelow(t, b, "") != 0 {
			t.Error("an empty bucket was written to")
		}
		anew := sharedNode(t, b, vfs.Memory(), "c")
		anew.mustPut("fresh", books)
		refused()
		if localCopies(t, disk) != 1 {
			t.Errorf("%d copies", localCopies(t, disk))
		}
	})
}

// I16: a restarted node that could not read yet which deployment the bucket belongs
// to repairs a lost registry from its note: live generations stay live.
func TestARepairGoesByTheNoteBeforeTheDeploymentWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under, disk := memory.New(nil), vfs.Memory()
		b := faultbucket.New(under, nil)
		f := sharedNode(t, b, disk, "a")
		f.mustPut("books", books)
		f.mustPut("books@2", books)
		for _, name := range []string{"books@1", "books@2"} {
			f.mustWrite(name, book(1, name))
			if _, err := f.Commit(t.Context(), parse(t, name)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		live, err := f.registry.Resolve(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // the registry is noted
		f.shut()
		b.SetPlan(func(call faultbucket.Call) faultbucket.Fault {
			if call.Key == "registry" || call.Key == "deployment" {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		f = sharedNode(t, b, disk, "a")
		b.SetPlan(nil)
		loses(t, under, func(key string) bool {
			return key == "registry" || key == registry.Prefix(live.Generation)+"identity"
		})
		if f.registry.IsRead() {
			t.Fatal("the registry was read")
		}
		if done, err := f.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true}); err != nil {
			t.Fatal(err)
		} else if now, err := f.registry.Resolve(parse(t, "books")); err != nil || now.Generation != live.Generation {
			t.Errorf("%s is live: %+v, %v", now.Name, done, err)
		}
	})
}

// A note that the disk did not take is written again, although the registry does
// not change.
func TestANoteIsWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := faultfs.New(nil)
		f := sharedNode(t, memory.New(nil), disk, "a")
		f.mustPut("books", books)
		time.Sleep(2 * time.Minute)
		disk.SetFault(func(c faultfs.Call) error {
			if strings.HasPrefix(c.Name, seenName) {
				return faultfs.ErrNoSpace
			}
			return nil
		})
		f.mustPut("shop", books)
		time.Sleep(10 * time.Minute)
		if noted, err := readSeen(disk); err != nil || noted.Version == f.registry.Version() {
			t.Fatalf("version %d is noted: %v", noted.Version, err)
		}
		disk.SetFault(nil)
		time.Sleep(2 * time.Minute)
		if noted, err := readSeen(disk); err != nil || noted.Version != f.registry.Version() {
			t.Errorf("version %d is noted, not %d: %v", noted.Version, f.registry.Version(), err)
		}
	})
}

// A hint that the registry lost is shared again, even when nothing is written any
// more.
func TestHintsAreSharedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.commitAll("books", book(1, "one"))
		entry, err := f.registry.Resolve(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		before, ok := f.registry.Hinted(entry.Generation)
		if !ok {
			t.Fatal("no hint was shared")
		}
		loses(t, b, func(key string) bool { return key == "registry" })
		other, err := registry.Open(t.Context(), b, slog.New(slog.DiscardHandler)) // does not know the hint
		if err != nil {
			t.Fatal(err)
		}
		all := func(context.Context, registry.ID) (bool, error) { return true, nil }
		if _, err := other.Repair(t.Context(), registry.RepairRequest{PromoteNewest: true}, all); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		if err := other.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after, _ := other.Hinted(entry.Generation); after != before {
			t.Errorf("the hint is %d, not %d", after, before)
		}
	})
}
