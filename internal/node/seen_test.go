package node

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
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

// Copies of what another node removed go, also on a node that was away longer
// than the data could be restored.
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

// F42: a node whose directory belongs to a deployment does not begin another one in
// a bucket that was emptied, nor join one that was begun anew there, and keeps its
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
