package node

import (
	"errors"
	"path"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
	"github.com/quiresearch/quire/problem"
)

// I8, I15: an index was taken over, never opened there, and deleted; another one
// may have its name. Its previous writer acknowledges nothing there any more, even
// when the bucket fails now and then.
func TestAWriterAcknowledgesNothingInWhatWasDeletedElsewhere(t *testing.T) {
	for _, isCreated := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			under := memory.New(nil)
			cut, flaky := &cutBucket{Bucket: under}, faultbucket.New(under, nil)
			old, other := sharedNode(t, cut, vfs.Memory(), "a"), sharedNode(t, flaky, vfs.Memory(), "b")
			old.mustPut("books", books)
			old.mustWrite("books", book(1, "one"))
			if _, err := old.Commit(t.Context(), parse(t, "books")); err != nil {
				t.Fatal(err)
			}
			cut.off.Store(true)
			time.Sleep(25 * time.Second)
			failures := 4
			flaky.SetPlan(func(call faultbucket.Call) faultbucket.Fault {
				if failures > 0 && strings.HasSuffix(call.Key, "/manifest") {
					failures--
					return faultbucket.Unavailable
				}
				return faultbucket.None
			})
			if err := other.Delete(t.Context(), parse(t, "books")); err != nil {
				t.Fatal(err)
			}
			if isCreated {
				other.mustPut("books", books)
			}
			cut.off.Store(false)
			if _, err := old.write("books", book(2, "two")); err == nil {
				t.Errorf("the old writer acknowledged a write, created: %t", isCreated)
			}
		})
	}
}

// I8: the writer of an index that was deleted while its manifest could not be
// replaced is fenced as soon as it can be.
func TestADeletedIndexIsFencedWhenTheBucketIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		cut := &cutBucket{Bucket: under, keys: "/manifest"}
		f := sharedNode(t, cut, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		entry, err := f.registry.Resolve(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		epoch := func() uint64 {
			held, err := replication.New(under, entry.Generation.String(), time.Hour).Read(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			return held.Manifest.Epoch
		}
		before := epoch()
		cut.off.Store(true)
		if err := f.Delete(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		cut.off.Store(false)
		time.Sleep(time.Minute)
		if after := epoch(); after <= before {
			t.Errorf("epoch %d after %d", after, before)
		}
	})
}

// F41: what a client deleted is removed in the end, even when the bucket first lost
// the identity of a generation and then the registry, and no node knows any more
// what was deleted.
func TestADeletedIndexGoesWhateverTheBucketLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		if _, _, err := f.PutSettings(t.Context(), parse(t, "books"), nil, []byte(`{"typoExclusions":{"all":{"words":["one"]}}}`)); err != nil {
			t.Fatal(err)
		}
		loses(t, b, func(key string) bool { return strings.HasSuffix(key, "/identity") })
		if err := f.Delete(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		f.shut()
		loses(t, b, func(key string) bool { return key == "registry" })
		f = sharedNode(t, b, vfs.Memory(), "b")
		if _, err := f.RepairRegistry(t.Context(), registry.RepairRequest{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Minute)
		if countBelow(t, b, "g/") == 0 {
			t.Error("the files are gone within the grace")
		}
		time.Sleep(time.Hour)
		for _, prefix := range []string{"g/", "settings/"} {
			if left := countBelow(t, b, prefix); left > 0 {
				t.Errorf("%d objects are left below %s", left, prefix)
			}
		}
	})
}

// I17: a delete whose removal mark could not be written stands even if the registry
// was then lost and the node that repairs it was restarted. An old note does not
// decide: the index may have been restored since.
func TestADeleteWithoutAMarkStandsAfterARepair(t *testing.T) {
	for away, isKept := range map[time.Duration]bool{time.Minute: true, 2 * noteLimit: false} {
		synctest.Test(t, func(t *testing.T) {
			under, disk := memory.New(nil), vfs.Memory()
			b := faultbucket.New(under, func(call faultbucket.Call) faultbucket.Fault {
				if strings.HasSuffix(call.Key, "/removed") && call.Op == "put" {
					return faultbucket.Unavailable
				}
				return faultbucket.None
			})
			f := sharedNode(t, b, disk, "a")
			f.mustPut("books", books)
			f.mustPut("shop", books)
			for _, name := range []string{"books", "shop"} {
				f.mustWrite(name, book(1, "one"))
				if _, err := f.Commit(t.Context(), parse(t, name)); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Delete(t.Context(), parse(t, "books")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute) // the registry is noted
			f.shut()
			loses(t, under, func(key string) bool { return key == "registry" })
			time.Sleep(away)
			f = sharedNode(t, b, disk, "a")
			if _, err := f.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true}); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Describe(t.Context(), parse(t, "books")); errors.Is(err, problem.IndexNotFound) != isKept {
				t.Errorf("away for %s: %v", away, err)
			}
			if _, err := f.Describe(t.Context(), parse(t, "shop")); err != nil {
				t.Error(err)
			}
			b.SetPlan(nil)
			time.Sleep(time.Hour)
			if restored, err := f.RepairRegistry(t.Context(), registry.RepairRequest{}); err != nil || len(restored.AddedGenerations) > 0 {
				t.Errorf("away for %s: a second repair: %+v, %v", away, restored, err)
			}
		})
	}
}

// I17: a delete stands although the disk does not remove the files, and is not
// reported as failed. The next start removes them.
func TestADeleteStandsAlthoughTheDiskFails(t *testing.T) {
	disk := faultfs.New(nil)
	f := &fixture{T: t, bucket: memory.New(nil), fs: disk}
	f.options = Options{NodeID: "n1", Engine: engine.Options{MaxInterval: -1, MaxChanges: -1, MinFree: -1, Workers: 1}}
	f.start()
	defer func() { f.shut() }()
	f.mustPut("books", books)
	f.mustWrite("books", `{"id":"1"}`)
	disk.SetFault(func(c faultfs.Call) error {
		if c.Op == "remove" {
			return syscall.EIO
		}
		return nil
	})
	if err := f.Delete(t.Context(), parse(t, "books")); err != nil {
		t.Errorf("a delete that was made is reported as failed: %v", err)
	}
	if _, err := f.Describe(t.Context(), parse(t, "books")); !errors.Is(err, problem.IndexNotFound) {
		t.Errorf("got %v", err)
	}
	disk.SetFault(nil)
	if filesBelow(t, disk, defaultDirectory) == 0 {
		t.Fatal("nothing is left to remove")
	}
	f.restart()
	if left := filesBelow(t, disk, defaultDirectory); left > 0 {
		t.Errorf("%d files are left", left)
	}
}

func filesBelow(t *testing.T, fs vfs.FS, dir string) int {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			count += filesBelow(t, fs, path.Join(dir, name))
		} else {
			count++
		}
	}
	return count
}
