package node

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// sharedNode returns a node of object mode over a bucket and a disk.
func sharedNode(t *testing.T, b bucket.Bucket, fs vfs.FS, name string) *fixture {
	t.Helper()
	return sharedNodeBy(t, b, fs, name, true)
}

// sharedNodeBy is sharedNode for a node that may write or only searches.
func sharedNodeBy(t *testing.T, b bucket.Bucket, fs vfs.FS, name string, isCandidate bool) *fixture {
	t.Helper()
	began := time.Now()
	member, err := ownership.Join(t.Context(), b, ownership.Options{Node: name, Address: "http://" + name, Lease: 10 * time.Second,
		Candidate: isCandidate, Reclaim: true, Clock: func() time.Duration { return time.Since(began) }}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	n, err := Open(t.Context(), Storage{Bucket: b, FS: fs, Object: &Object{Member: member, RemovalGrace: time.Hour}},
		Options{NodeID: name, FreshnessWait: 10 * time.Second, Engine: engine.Options{MaxInterval: -1, MaxChanges: -1, MinFree: -1, Workers: 1}},
		nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = n.Run(ctx, nil)
	}()
	f := &fixture{T: t, bucket: b, fs: fs, Node: n, stop: func() { cancel(); <-ended }}
	t.Cleanup(f.shut)
	return f
}

func countBelow(t *testing.T, b bucket.Bucket, prefix string) int {
	t.Helper()
	listing, err := b.List(t.Context(), prefix, "")
	if err != nil {
		t.Fatal(err)
	}
	return len(listing.Entries)
}

// I15: deleted data can be restored within the grace and is gone after it.
func TestDeletedDataIsRestoredWithinTheGraceAndSweptAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"), book(2, "two"))
		if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		remove := func() {
			if err := f.Delete(t.Context(), parse(t, "books")); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Describe(t.Context(), parse(t, "books")); err == nil {
				t.Error("a deleted index answers")
			}
		}
		restore := func() registry.Repair {
			done, err := f.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true, Restore: []registry.Name{parse(t, "books")}})
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		remove()
		time.Sleep(50 * time.Minute)
		if done := restore(); len(done.Restored) != 1 {
			t.Fatalf("restored %v", done)
		}
		if got := f.documents("books", ""); len(got) != 2 {
			t.Errorf("after the restore: %v", got)
		}
		time.Sleep(3 * time.Hour) // the mark is gone: nothing is swept
		if got := f.documents("books", ""); len(got) != 2 {
			t.Errorf("hours after the restore: %v", got)
		}
		remove()
		// F26: another index of the same name shows no old documents.
		f.mustPut("books", books)
		if got := f.documents("books", ""); len(got) != 0 {
			t.Errorf("the new index shows %v", got)
		}
		before := countBelow(t, b, "g/")
		time.Sleep(2 * time.Hour)
		if after := countBelow(t, b, "g/"); after >= before {
			t.Errorf("%d objects before the grace, %d after", before, after)
		}
		if done := restore(); len(done.Restored)+len(done.AddedGenerations) != 0 {
			t.Errorf("what was swept came back: %v", done)
		}
		if f.registry.Removed() != nil && len(f.registry.Removed()) != 0 {
			t.Errorf("still removed: %v", f.registry.Removed())
		}
	})
}

// F22, F28: a lost registry deletes nothing, neither here nor in the bucket, and is
// rebuilt from the storage.
func TestALostRegistryDeletesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, garbage := range []string{"", "{}", "not json at all"} {
			b, disk := memory.New(nil), vfs.Memory()
			f := sharedNode(t, b, disk, "a")
			f.mustPut("books", books)
			f.mustWrite("books", book(1, "one"))
			if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
				t.Fatal(err)
			}
			f.shut()
			objects := countBelow(t, b, "g/")
			var err error
			if garbage == "" {
				_, err = b.Delete(t.Context(), "registry", bucket.Always)
			} else {
				_, err = b.PutIf(t.Context(), "registry", bucket.Bytes([]byte(garbage)), bucket.Always)
			}
			if err != nil {
				t.Fatal(err)
			}
			f = sharedNode(t, b, disk, "a")
			if _, _, err := f.put("other", books); err == nil {
				t.Error("a lost registry was changed")
			}
			time.Sleep(4 * time.Hour)
			if now := countBelow(t, b, "g/"); now < objects {
				t.Errorf("%d objects, there were %d", now, objects)
			}
			local, err := disk.List("generations")
			if err != nil || len(local) == 0 {
				t.Errorf("the local copies are gone: %v", err)
			}
			audit, err := f.AuditRegistry(t.Context())
			if err != nil || audit.Registry == "present" || len(audit.Indexes) != 1 || audit.Indexes[0].ProposedLive != "1" {
				t.Errorf("audit %+v, %v", audit, err)
			}
			if _, err := f.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true}); err != nil {
				t.Fatal(err)
			}
			if got := f.documents("books", ""); len(got) != 1 {
				t.Errorf("after the repair: %v", got)
			}
			f.shut()
		}
	})
}

// F22: a manifest that is missing, damaged or of another generation is a fault,
// never an empty generation; copies continue to answer.
func TestALostManifestIsAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		token := f.mustWrite("books", book(1, "one"))
		if len(f.documents("books", token)) != 1 {
			t.Fatal("not there")
		}
		reader := sharedNode(t, b, vfs.Memory(), "b")
		if len(reader.documents("books", "")) != 1 {
			t.Fatal("the copy does not show it")
		}
		listing, err := b.List(t.Context(), "g/", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range listing.Entries {
			if strings.HasSuffix(entry.Key, "/manifest") {
				if _, err := b.Delete(t.Context(), entry.Key, bucket.Always); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := reader.Pull(t.Context(), parse(t, "books")); err == nil {
			t.Error("a pull without manifest succeeded")
		}
		if got := reader.documents("books", ""); len(got) != 1 {
			t.Errorf("the copy shows %v", got)
		}
		described, err := reader.Describe(t.Context(), parse(t, "books"))
		if err != nil || described.Status.State != "needs_pull" || !described.Status.ReadOnly {
			t.Errorf("%+v, %v", described, err)
		}
		fresh := sharedNode(t, b, vfs.Memory(), "c")
		if got, err := fresh.tryDocuments("books", ""); err == nil {
			t.Errorf("an empty node shows %v", got)
		}
	})
}

// F16, F29: the creator dies; another node writes the index, and a token given
// before is reached.
func TestAnotherNodeGoesOnAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		cut := &cutBucket{Bucket: under}
		f := sharedNode(t, cut, vfs.Memory(), "a")
		f.mustPut("books", books)
		token := f.mustWrite("books", book(1, "one"))
		cut.off.Store(true) // nothing it sends arrives any more
		other := sharedNode(t, under, vfs.Memory(), "b")
		if address, err := other.WriterAddress(t.Context(), "books", false); err == nil && address == "" {
			t.Error("a claim was taken from a session that is not over")
		}
		time.Sleep(time.Minute)
		if address, err := other.WriterAddress(t.Context(), "books", false); err != nil || address != "" {
			t.Fatalf("not taken over: %q, %v", address, err)
		}
		if got := other.documents("books", token); len(got) != 1 {
			t.Errorf("the new writer shows %v", got)
		}
		other.mustWrite("books", book(2, "two"))
		cut.off.Store(false)
		if _, err := f.write("books", book(3, "three")); err == nil {
			t.Error("the old writer acknowledged a write")
		}
		time.Sleep(time.Minute)
		_, err := f.write("books", book(4, "four"))
		refused(t, "a write at the old writer", err, problem.IndexerUnavailable)
	})
}

// cutBucket is a connection that can be cut, for all objects or for some keys. Cut
// keys are still listed.
type cutBucket struct {
	bucket.Bucket
	keys string // substring of the keys that are cut; empty: all
	off  atomic.Bool
}

func (c *cutBucket) isCut(key string) bool { return c.off.Load() && strings.Contains(key, c.keys) }

func (c *cutBucket) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if c.isCut(key) {
		return bucket.Object{}, bucket.ErrUnknown
	}
	return c.Bucket.Get(ctx, key, unless)
}

func (c *cutBucket) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if c.isCut(key) {
		return bucket.Written{}, bucket.ErrUnknown
	}
	return c.Bucket.PutIf(ctx, key, body, condition)
}

func (c *cutBucket) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	if c.off.Load() && c.keys == "" {
		return bucket.Listing{}, bucket.ErrUnknown
	}
	return c.Bucket.List(ctx, prefix, delimiter)
}

// interposed runs a function once before an object is stored.
type interposed struct {
	bucket.Bucket
	key    string
	before atomic.Pointer[func()]
}

func (i *interposed) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if do := i.before.Load(); do != nil && key == i.key && i.before.CompareAndSwap(do, nil) {
		(*do)()
	}
	return i.Bucket.PutIf(ctx, key, body, condition)
}

// F27: a repair that runs while an index is created finds a generation that has no
// documents and is not registered yet; the creation ends with one index.
func TestRepairDuringACreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		b := &interposed{Bucket: under, key: "registry"}
		f, other := sharedNode(t, b, vfs.Memory(), "a"), sharedNode(t, under, vfs.Memory(), "b")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		repair := func() {
			if _, err := other.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true}); err != nil {
				t.Errorf("repair: %v", err)
			}
		}
		b.before.Store(&repair)
		f.mustPut("shop", books)
		f.mustWrite("shop", book(2, "two"))
		listed := f.indexes()
		if len(listed) != 2 || len(listed[1].Generations) != 1 || listed[1].Live != "1" {
			t.Errorf("listed %+v", listed)
		}
		// A delete that lands during a repair stays.
		remove := func() {
			if err := f.Delete(t.Context(), parse(t, "shop")); err != nil {
				t.Errorf("delete: %v", err)
			}
		}
		slow := &interposed{Bucket: under, key: "registry"}
		third := sharedNode(t, slow, vfs.Memory(), "c")
		slow.before.Store(&remove)
		if _, err := third.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true}); err != nil {
			t.Errorf("repair: %v", err)
		}
		if do := slow.before.Load(); do != nil {
			(*do)() // there was nothing to repair, so nothing was stored
		}
		if err := third.registry.Refresh(t.Context()); err != nil || third.Has("shop") {
			t.Errorf("the index that was deleted is back, %v", err)
		}
	})
}

// The last commit of a stopping node is announced like any other: readers need not
// wait for their next comparison of copies.
func TestTheCommitOfAStoppingNodeIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		writer, reader := sharedNode(t, b, vfs.Memory(), "a"), sharedNode(t, b, vfs.Memory(), "b")
		writer.mustPut("books", books)
		writer.mustWrite("books", book(1, "one"))
		if _, err := writer.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		if got := reader.documents("books", ""); len(got) != 1 {
			t.Fatalf("the reader has %v", got)
		}
		time.Sleep(2 * time.Minute)
		writer.mustWrite("books", book(2, "two"))
		writer.shut()
		time.Sleep(2 * defaultRefreshInterval)
		if got := reader.documents("books", ""); len(got) != 2 {
			t.Errorf("the reader has %v", got)
		}
	})
}
