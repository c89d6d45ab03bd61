package node

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// takeHalf replaces the manifest of a generation as a new writer does that ends
// before it seals the log.
func takeHalf(t *testing.T, b bucket.Bucket, generation registry.ID) {
	t.Helper()
	cut := &cutBucket{Bucket: b, keys: "/wal/"}
	cut.off.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	fs := vfs.Memory()
	if err := fs.MakeDir("d"); err != nil {
		t.Fatal(err)
	}
	if _, err := replication.New(cut, generation.String(), time.Hour).Take(ctx, fs, "d", registry.NewID().String()); err == nil {
		t.Fatal("the log was sealed")
	}
}

// halfTaken returns two nodes, of which the first writes books with one document in
// its log, after another writer took over half of that generation.
func halfTaken(t *testing.T) (owner, other *fixture, b bucket.Bucket, entry registry.Entry) {
	t.Helper()
	b = memory.New(nil)
	owner, other = sharedNode(t, b, vfs.Memory(), "a"), sharedNode(t, b, vfs.Memory(), "b")
	owner.mustPut("books", books)
	owner.mustWrite("books", book(1, "one"))
	entry, err := owner.registry.Resolve(parse(t, "books"))
	if err != nil {
		t.Fatal(err)
	}
	takeHalf(t, b, entry.Generation)
	return owner, other, b, entry
}

// I7, I9 (seed 10164): the owner acknowledges a write and cannot commit it, because
// another writer began to take over and ended. The owner opens the generation
// again, so that the token is reached on the owner and elsewhere.
func TestATokenIsReachedAfterAHalfTakeover(t *testing.T) {
	for _, where := range []string{"owner", "other"} {
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				owner, other, _, _ := halfTaken(t)
				token := owner.mustWrite("books", book(2, "two"))
				reader := owner
				if where == "other" {
					if _, err := owner.Commit(t.Context(), parse(t, "books")); err == nil {
						t.Fatal("a commit succeeded after another writer replaced the manifest")
					}
					time.Sleep(time.Minute) // no write comes, and nothing is read at the owner
					reader = other
				}
				if got := reader.documents("books", token); len(got) != 2 {
					t.Errorf("%v", got)
				}
			})
		})
	}
}

// I7, F29: the node that takes an index over cannot read its log at first. It tries
// again, so that a token is reached on a node that does not write. It opens the
// index that was being written however many it holds, and nothing else: the limit
// of these nodes is 0.
func TestATakeoverThatFailedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		dying, cut := &cutBucket{Bucket: under}, &cutBucket{Bucket: under, keys: "/wal/"}
		f := sharedNode(t, dying, vfs.Memory(), "a")
		f.mustPut("idle", books)
		f.mustWrite("idle", book(1, "one"))
		if _, err := f.Commit(t.Context(), parse(t, "idle")); err != nil {
			t.Fatal(err)
		}
		f.mustPut("books", books)
		token := f.mustWrite("books", book(1, "one"))
		cut.off.Store(true)
		dying.off.Store(true)
		defer dying.off.Store(false)
		heir := sharedNode(t, cut, vfs.Memory(), "b")
		time.Sleep(3 * time.Minute)
		if held := heir.member().Held(); len(held) != 2 {
			t.Fatalf("took over %v", held)
		}
		cut.off.Store(false)
		time.Sleep(time.Minute)
		entry, err := heir.registry.Resolve(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := replication.New(under, entry.Generation.String(), time.Hour).IsFinished(t.Context()); !is || err != nil {
			t.Errorf("the log is finished: %t, %v", is, err)
		}
		reader := sharedNode(t, under, vfs.Memory(), "c")
		if got := reader.documents("books", token); len(got) != 1 {
			t.Errorf("%v", got)
		}
		for _, g := range heir.generations.Open() {
			if g.Entry.Name.Index == "idle" {
				t.Error("an index that was not being written is open")
			}
			g.Release()
		}
	})
}

// F27 (seed 605099): a node that took an index over while the registry was lost
// writes it as soon as it has read the repaired one, however long it could not.
func TestAnIndexIsWrittenOnceTheRegistryIsRepaired(t *testing.T) {
	for _, where := range []string{"heir", "other"} {
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := memory.New(nil)
				f := sharedNode(t, b, vfs.Memory(), "a")
				heir, other := sharedNode(t, b, vfs.Memory(), "b"), sharedNodeBy(t, b, vfs.Memory(), "c", false)
				f.mustPut("books", books)
				f.mustWrite("books", book(1, "one"))
				time.Sleep(time.Minute) // all nodes know the index
				if _, err := b.Delete(t.Context(), "registry", bucket.Always); err != nil {
					t.Fatal(err)
				}
				f.shut()
				heir.isRefusedForAnHour()
				repairing := heir
				if where == "other" {
					repairing = other
				}
				if _, err := repairing.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true}); err != nil {
					t.Fatal(err)
				}
				if where == "other" {
					time.Sleep(defaultRefreshInterval)
				}
				token := heir.mustWrite("books", book(2, "two"))
				if got := heir.documents("books", token); len(got) != 2 {
					t.Errorf("%v", got)
				}
			})
		})
	}
}

// isRefusedForAnHour fails the test if books can be written within an hour.
func (f *fixture) isRefusedForAnHour() {
	f.Helper()
	for range 60 {
		time.Sleep(time.Minute)
		if _, err := f.write("books", book(2, "two")); !errors.Is(err, problem.StorageIoError) {
			f.Fatalf("written: %v", err)
		}
	}
}

// F23 (seed 805155): a lost manifest is restored, however long the index could not
// be written without it. The index is written moments later.
func TestAnIndexIsWrittenOnceItsManifestIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f, heir := sharedNode(t, b, vfs.Memory(), "a"), sharedNode(t, b, vfs.Memory(), "b")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		entry, err := f.registry.Resolve(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // both nodes know the index
		f.shut()
		key := path.Join("g", entry.Generation.String(), "manifest")
		content, _, err := bucket.ReadAll(t.Context(), b, key, "", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Delete(t.Context(), key, bucket.Always); err != nil {
			t.Fatal(err)
		}
		heir.isRefusedForAnHour()
		if _, err := b.PutIf(t.Context(), key, bucket.Bytes(content), bucket.Always); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		token := heir.mustWrite("books", book(2, "two"))
		if got := heir.documents("books", token); len(got) != 2 {
			t.Errorf("%v", got)
		}
	})
}

// F23: another node restores lost files, however long the index could not be
// written without them. The node that writes it, which is asked too, writes at
// once.
func TestAnIndexIsWrittenOnceItsFilesAreBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f, reader := sharedNode(t, b, vfs.Memory(), "a"), sharedNodeBy(t, b, vfs.Memory(), "b", false)
		f.mustPut("books", books)
		reader.documents("books", f.commitAll("books", book(1, "one")))
		f.shut()
		loses(t, b, func(key string) bool { return strings.Contains(key, "/seg/") })
		heir := sharedNode(t, b, vfs.Memory(), "c")
		heir.isRefusedForAnHour()
		for _, node := range []*fixture{reader, heir} {
			if _, err := node.Restore(t.Context(), AllCopies, nil); err != nil {
				t.Fatal(err)
			}
		}
		token := heir.mustWrite("books", book(2, "two"))
		if got := heir.documents("books", token); len(got) != 2 {
			t.Errorf("%v", got)
		}
	})
}

// A node that lost an index does not disturb the node that has it: only the node
// that holds an index opens its failed writer again.
func TestAFailedWriterOfALostIndexStaysShut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		cut := &cutBucket{Bucket: under}
		f := sharedNode(t, cut, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		cut.off.Store(true)
		other := sharedNode(t, under, vfs.Memory(), "b")
		time.Sleep(time.Minute)
		other.mustWrite("books", book(2, "two"))
		entry, err := other.registry.Resolve(parse(t, "books"))
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
		cut.off.Store(false)
		_, _ = f.Commit(t.Context(), parse(t, "books"))
		time.Sleep(5 * time.Minute)
		if now := epoch(); now != before {
			t.Errorf("epoch %d became %d", before, now)
		}
		token := other.mustWrite("books", book(3, "three"))
		if _, err := other.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		if got := f.documents("books", token); len(got) != 3 {
			t.Errorf("%v", got)
		}
	})
}

// slowBucket is a connection that does not answer about some objects for a minute.
type slowBucket struct {
	bucket.Bucket
	slow atomic.Pointer[string] // substring of their keys
}

func (s *slowBucket) wait(ctx context.Context, key string) error {
	if slow := s.slow.Load(); slow == nil || !strings.Contains(key, *slow) {
		return nil
	}
	select {
	case <-time.After(time.Minute):
		return nil
	case <-ctx.Done():
		return bucket.ErrUnknown
	}
}

func (s *slowBucket) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if err := s.wait(ctx, key); err != nil {
		return bucket.Object{}, err
	}
	return s.Bucket.Get(ctx, key, unless)
}

func (s *slowBucket) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if err := s.wait(ctx, key); err != nil {
		return bucket.Written{}, err
	}
	return s.Bucket.PutIf(ctx, key, body, condition)
}

// F20, I19: every request about one index takes a minute. The others are taken
// over, finished and written as usual, and the node beats.
func TestASlowIndexDelaysNoOtherTakeover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		dying, slow := &cutBucket{Bucket: under}, &slowBucket{Bucket: under}
		f := sharedNode(t, dying, vfs.Memory(), "a")
		names := []string{"books", "films", "songs"}
		tokens := make(map[string]string)
		for _, name := range names {
			f.mustPut(name, books)
			tokens[name] = f.mustWrite(name, book(1, name))
		}
		entry, err := f.registry.Resolve(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		id := entry.Generation.String()
		slow.slow.Store(&id)
		heir := sharedNode(t, slow, vfs.Memory(), "b")
		dying.off.Store(true)
		defer dying.off.Store(false)
		time.Sleep(25 * time.Second) // two and a half leases
		if held := heir.member().Held(); len(held) != len(names) {
			t.Fatalf("took over %v", held)
		}
		for _, name := range names[1:] {
			began := time.Now()
			if got := heir.documents(name, tokens[name]); len(got) != 1 {
				t.Errorf("%s shows %v", name, got)
			}
			heir.mustWrite(name, book(2, name))
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s was delayed for %v", name, took)
			}
		}
		time.Sleep(10 * time.Minute)
		if heir.member().Doubt() {
			t.Error("the node does not beat")
		}
		slow.slow.Store(nil)
		time.Sleep(2 * time.Minute)
		if got := heir.documents("books", tokens["books"]); len(got) != 1 {
			t.Errorf("the slow index shows %v", got)
		}
	})
}

// I7: a stopping node that could not finish a log leaves its index to another node,
// which finishes it: a token is reached although no write comes any more.
func TestAnIndexIsNotGivenUpWithALogThatIsNotFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		owner, other, b, entry := halfTaken(t)
		owner.mustWrite("books", book(2, "two"))
		owner.shut()
		time.Sleep(time.Minute)
		if is, err := replication.New(b, entry.Generation.String(), time.Hour).IsFinished(t.Context()); !is || err != nil {
			t.Errorf("the log is finished: %t, %v", is, err)
		}
		if !other.member().Holds(entry.Index) {
			t.Error("no node writes the index")
		}
		if got := other.documents("books", ""); len(got) != 2 {
			t.Errorf("%v", got)
		}
	})
}

// A promotion finds out that the source was fenced, here by a writer that took
// nothing over in the end. The source is opened again for the next promotion; no
// client needs to write for that (seed 9900163).
func TestAPromotionAfterTheSourceWasFenced(t *testing.T) {
	for _, byJob := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := memory.New(nil)
			f := sharedNode(t, b, vfs.Memory(), "a")
			f.mustPut("books", books)
			f.mustWrite("books", book(1, "one"))
			f.mustPut("books@2", books)
			if byJob {
				f.startJob("books@2", reindex.Manual)
				f.reach("books", reindex.Ready)
			}
			source, err := f.registry.Resolve(parse(t, "books"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := replication.New(b, source.Generation.String(), time.Hour).Take(t.Context(), vfs.Memory(), "g", registry.NewID().String()); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Promote(t.Context(), parse(t, "books@2")); !errors.Is(err, problem.IndexReadonly) {
				t.Errorf("the first promotion: %v", err)
			}
			time.Sleep(time.Minute)
			if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
				t.Errorf("the second promotion: %v", err)
			}
		})
	}
}
