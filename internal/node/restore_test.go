package node

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

// loses deletes the objects of a bucket whose keys isLost selects.
func loses(t *testing.T, b bucket.Bucket, isLost func(key string) bool) {
	t.Helper()
	listing, err := b.List(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range listing.Entries {
		if isLost(entry.Key) {
			if _, err := b.Delete(t.Context(), entry.Key, bucket.Always); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// two returns a node that writes and one that reads and may write, with two indexes
// that both have open.
func two(t *testing.T, b bucket.Bucket, mayWrite bool) (writer, reader *fixture, disk vfs.FS) {
	disk = vfs.Memory()
	writer, reader = sharedNode(t, b, vfs.Memory(), "a"), sharedNodeBy(t, b, disk, "b", mayWrite)
	for _, name := range []string{"books", "shop"} {
		writer.mustPut(name, books)
		token := writer.mustWrite(name, book(1, "one"))
		if _, err := writer.Commit(t.Context(), parse(t, name)); err != nil {
			t.Fatal(err)
		}
		reader.documents(name, token)
	}
	time.Sleep(2 * time.Minute)
	return writer, reader, disk
}

// I22: a repair of a registry that was lost together with a manifest, or with the
// whole bucket, removes nothing and continues to answer from local data.
func TestARepairRemovesNoCopy(t *testing.T) {
	for what, isLost := range map[string]func(key string) bool{
		"registry and manifests": func(key string) bool { return key == "registry" || strings.HasSuffix(key, "/manifest") },
		"everything":             func(string) bool { return true },
	} {
		for _, promote := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				b := memory.New(nil)
				writer, reader, disk := two(t, b, true)
				loses(t, b, isLost)
				done, err := reader.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: promote})
				if err != nil || !slices.Equal(done.Kept, []string{"books@1", "shop@1"}) {
					t.Fatalf("%s: %+v, %v", what, done, err)
				}
				time.Sleep(5 * time.Minute)
				for _, f := range []*fixture{writer, reader} {
					if got := f.documents("books", ""); len(got) != 1 {
						t.Errorf("%s: %v", what, got)
					}
				}
				if localCopies(t, disk) != 2 {
					t.Errorf("%s: %d copies", what, localCopies(t, disk))
				}
			})
		}
	}
}

// A restore brings back what the bucket lost: by the node that writes it, with
// everything that was acknowledged, or by another node that has a copy.
func TestNodesGiveBackWhatTheBucketLost(t *testing.T) {
	for _, byWriter := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := memory.New(nil)
			writer, reader, _ := two(t, b, !byWriter)
			if byWriter {
				writer.mustWrite("books", book(2, "not committed"))
			} else {
				writer.shut()
			}
			loses(t, b, func(string) bool { return true })
			giver := writer
			if !byWriter {
				giver = reader
			}
			if _, err := giver.RepairRegistry(t.Context(), registry.RepairRequest{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute) // claims are renewed
			done, err := giver.Restore(t.Context(), AllCopies, nil)
			if err != nil || !slices.Equal(done.Uploaded, []string{"books@1", "shop@1"}) || len(done.Lost) != 0 {
				t.Fatalf("by the writer %t: %+v, %v", byWriter, done, err)
			}
			audit, err := giver.AuditRegistry(t.Context())
			if err != nil || audit.Indexes[0].Generations[0].Stored != "synced" {
				t.Errorf("by the writer %t: %+v, %v", byWriter, audit, err)
			}
			want := 2
			if byWriter {
				want = 3
			}
			token := giver.mustWrite("books", book(9, "later"))
			if _, err := giver.Commit(t.Context(), parse(t, "books")); err != nil {
				t.Fatal(err)
			}
			third := sharedNode(t, b, vfs.Memory(), "c")
			if got := third.documents("books", token); len(got) != want {
				t.Errorf("by the writer %t: a node that comes later sees %v", byWriter, got)
			}
		})
	}
}

// A copy that the registry ceased to list although no request removed it stays, is
// reported by the audit, and comes back when it is named.
func TestAnUnlistedCopyComesBackByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		writer, reader, disk := two(t, b, true)
		writer.shut()
		reader.shut()
		loses(t, b, func(key string) bool { return key != "deployment" })
		other := sharedNode(t, b, vfs.Memory(), "c") // knows no index
		if _, err := other.RepairRegistry(t.Context(), registry.RepairRequest{}); err != nil {
			t.Fatal(err)
		}
		reader = sharedNode(t, b, disk, "b")
		time.Sleep(2 * time.Minute)
		audit, err := reader.AuditRegistry(t.Context())
		if err != nil || !slices.Equal(audit.KeptCopies, []string{"books@1", "shop@1"}) {
			t.Fatalf("%+v, %v", audit, err)
		}
		if done, err := reader.Restore(t.Context(), AllCopies, nil); err != nil || len(done.Uploaded) != 0 {
			t.Errorf("unnamed: %+v, %v", done, err)
		}
		done, err := reader.Restore(t.Context(), AllCopies, []registry.Name{parse(t, "books")})
		if err != nil || !slices.Equal(done.Uploaded, []string{"books@1"}) {
			t.Fatalf("%+v, %v", done, err)
		}
		if _, err := reader.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true}); err != nil {
			t.Fatal(err)
		}
		if got := reader.documents("books", ""); len(got) != 1 {
			t.Errorf("%v", got)
		}
	})
}

// The node that writes an index stores again what the bucket lost of it.
func TestOwnersHealTheBucket(t *testing.T) {
	for what, isLost := range map[string]func(key string) bool{
		"files":    func(key string) bool { return strings.Contains(key, "/seg/") },
		"manifest": func(key string) bool { return strings.HasSuffix(key, "/manifest") },
		"log":      func(key string) bool { return strings.Contains(key, "/wal/") },
	} {
		synctest.Test(t, func(t *testing.T) {
			b := memory.New(nil)
			f := sharedNode(t, b, vfs.Memory(), "a")
			f.mustPut("books", books)
			f.mustWrite("books", book(1, "one"))
			if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
				t.Fatal(err)
			}
			f.mustWrite("books", book(2, "two"))
			f.mustWrite("books", book(3, "three"))
			loses(t, b, isLost)
			if what != "log" {
				if audit, err := f.AuditRegistry(t.Context()); err != nil || audit.Indexes[0].Generations[0].Stored == "synced" {
					t.Errorf("%s: %+v, %v", what, audit, err)
				}
			}
			time.Sleep(15 * time.Minute)
			if audit, err := f.AuditRegistry(t.Context()); err != nil || audit.Indexes[0].Generations[0].Stored != "synced" {
				t.Errorf("%s: %+v, %v", what, audit, err)
			}
			if f.AtRisk() != 0 {
				t.Errorf("%s: %d at risk", what, f.AtRisk())
			}
			if got := f.documents("books", ""); what == "log" && len(got) != 3 {
				t.Errorf("what the log lost is in no commit: %v", got)
			}
			f.shut()
			other := sharedNode(t, b, vfs.Memory(), "b")
			time.Sleep(time.Minute)
			token := other.mustWrite("books", book(4, "four"))
			if got := other.documents("books", token); len(got) != 4 {
				t.Errorf("%s: %v", what, got)
			}
		})
	}
}

// A commit that finds its manifest missing stores it again.
func TestACommitStoresALostManifestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		loses(t, b, func(key string) bool { return strings.HasSuffix(key, "/manifest") })
		if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Errorf("commit: %v", err)
		}
	})
}
