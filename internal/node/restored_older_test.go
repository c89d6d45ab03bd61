package node

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// withEarlierCopy returns the writer of an index of one document, on the newer
// disk; the older disk holds a copy of that state.
func withEarlierCopy(t *testing.T, b bucket.Bucket, newer, older vfs.FS) *fixture {
	t.Helper()
	one := sharedNode(t, b, newer, "a")
	one.mustPut("books", books)
	token := one.commitAll("books", book(1, "one"))
	two := sharedNode(t, b, older, "b")
	two.documents("books", token)
	two.shut()
	return one
}

func losesManifests(t *testing.T, b bucket.Bucket) {
	t.Helper()
	loses(t, b, func(key string) bool { return strings.HasSuffix(key, "/manifest") })
}

// I6, I9, F23: the bucket lost a manifest, and the only running node holds an
// earlier copy. It restores that copy when no node holds a newer one and loses
// nothing that the log holds. The node with the newer copy continues from there, as
// a reader and as the next writer.
func TestAnEarlierCopyIsGivenBack(t *testing.T) {
	for _, isWritten := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b, newer, older := memory.New(nil), vfs.Memory(), vfs.Memory()
			one := withEarlierCopy(t, b, newer, older)
			for i := 2; i <= 5; i++ { // every writer raises the version by one more than its commits
				one.commitAll("books", book(i, "more"))
				time.Sleep(time.Minute) // the new version is hinted
				one.shut()
				one = sharedNode(t, b, newer, "a")
			}
			one.shut()
			losesManifests(t, b)

			two := sharedNode(t, b, older, "b")
			time.Sleep(time.Minute)
			if done, err := two.Restore(t.Context(), NewestCopies, nil); err != nil || len(done.Uploaded) != 0 {
				t.Fatalf("an earlier copy was given back before others were asked: %+v, %v", done, err)
			}
			if done, err := two.Restore(t.Context(), AllCopies, nil); err != nil || len(done.Uploaded) != 1 {
				t.Fatalf("%+v, %v", done, err)
			}
			want := 5
			if isWritten {
				want++
				token := two.commitAll("books", book(6, "six"))
				if got := two.documents("books", token); len(got) != want {
					t.Errorf("the node that gave it back shows %v", got)
				}
				one = sharedNode(t, b, newer, "a")
				if got := one.documents("books", token); len(got) != want {
					t.Errorf("the node with a newer copy shows %v", got)
				}
				two.shut()
			} else {
				two.shut()
				one = sharedNode(t, b, newer, "a")
			}
			time.Sleep(time.Minute)
			token := one.mustWrite("books", book(7, "seven"))
			if got := one.documents("books", token); len(got) != want+1 {
				t.Errorf("written %t: the next writer shows %v", isWritten, got)
			}
		})
	}
}

// I22: no repair restores an earlier copy whose log the bucket no longer holds,
// unless it is named: the node with the newest copy may come back.
func TestAnEarlierCopyWithoutItsLogIsGivenBackByName(t *testing.T) {
	for _, isNamed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b, newer, older := memory.New(nil), vfs.Memory(), vfs.Memory()
			one := withEarlierCopy(t, b, newer, older)
			one.commitAll("books", book(2, "two"))
			time.Sleep(3 * time.Hour) // the log is swept
			one.shut()
			losesManifests(t, b)

			two := sharedNode(t, b, older, "b")
			time.Sleep(time.Minute)
			if done, err := two.Restore(t.Context(), AllCopies, nil); err != nil || len(done.Lost) != 1 {
				t.Fatalf("%+v, %v", done, err)
			}
			giver, named, want := two, []registry.Name{parse(t, "books")}, 2
			if !isNamed {
				two.shut()
				giver, named, want = sharedNode(t, b, newer, "a"), nil, 3
			}
			time.Sleep(time.Minute)
			if done, err := giver.Restore(t.Context(), AllCopies, named); err != nil || len(done.Uploaded) != 1 {
				t.Fatalf("named %t: %+v, %v", isNamed, done, err)
			}
			token := giver.mustWrite("books", book(3, "three"))
			if got := giver.documents("books", token); len(got) != want {
				t.Errorf("named %t: %v", isNamed, got)
			}
		})
	}
}

// manifestOf returns the stored manifest of the only generation of a bucket, with its key.
func manifestOf(t *testing.T, b bucket.Bucket) (key string, content []byte) {
	t.Helper()
	listing, err := b.List(t.Context(), "g/", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range listing.Entries {
		if strings.HasSuffix(entry.Key, "/manifest") {
			key = entry.Key
		}
	}
	content, _, err = bucket.ReadAll(t.Context(), b, key, "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return key, content
}

var booksWithExtra = strings.Replace(books, `"name"`, `"extra":{"type":"string"},"name"`, 1)

// I6, I14: a write that the store applies late, or an operator, replaces a lost
// manifest by the first one. The log that follows it holds no definitions. The node
// that wrote the index stores its own state again and continues.
func TestAnEarlierManifestIsReplacedByTheWriter(t *testing.T) {
	for _, isRunning := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b, disk := memory.New(nil), vfs.Memory()
			one := sharedNode(t, b, disk, "a")
			one.mustPut("books", books)
			key, first := manifestOf(t, b)
			one.mustPut("books", booksWithExtra)
			one.commitAll("books", `{"id":"1","extra":"one"}`)
			time.Sleep(time.Minute)
			if !isRunning {
				one.shut()
			}
			if _, err := b.PutIf(t.Context(), key, bucket.Bytes(first), bucket.Always); err != nil {
				t.Fatal(err)
			}
			if !isRunning {
				one = sharedNode(t, b, disk, "a")
			}
			var (
				token string
				err   error
			)
			for range 10 { // a running writer learns at a commit that it was fenced
				time.Sleep(time.Minute)
				if token, err = one.write("books", `{"id":"2","extra":"two"}`); err == nil {
					_, err = one.Commit(t.Context(), parse(t, "books"))
				}
				if err == nil {
					break
				}
			}
			if err != nil {
				t.Fatalf("running %t: %v", isRunning, err)
			}
			if got := one.documents("books", token); len(got) != 2 {
				t.Errorf("running %t: %v", isRunning, got)
			}
		})
	}
}

// I6, I22: of several copies that are built on an earlier manifest, the newest
// replaces it. Until then a node with another copy writes nothing and leaves the
// manifest alone.
func TestAnEarlierManifestIsReplacedByTheNewestCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, newer, older := memory.New(nil), vfs.Memory(), vfs.Memory()
		one := sharedNode(t, b, newer, "a")
		one.mustPut("books", books)
		key, first := manifestOf(t, b)
		one.mustPut("books", booksWithExtra)
		token := one.commitAll("books", `{"id":"1","extra":"one"}`)
		two := sharedNode(t, b, older, "b")
		two.documents("books", token)
		two.shut()
		one.commitAll("books", `{"id":"2","extra":"two"}`)
		time.Sleep(time.Minute) // the new version is hinted
		one.shut()
		if _, err := b.PutIf(t.Context(), key, bucket.Bytes(first), bucket.Always); err != nil {
			t.Fatal(err)
		}

		two = sharedNode(t, b, older, "b")
		time.Sleep(time.Minute)
		_, err := two.write("books", `{"id":"3","extra":"three"}`)
		refused(t, "write", err, problem.StorageIoError)
		if _, now := manifestOf(t, b); string(now) != string(first) {
			t.Errorf("a node with an earlier copy replaced the manifest by %s", now)
		}
		one = sharedNode(t, b, newer, "a")
		for _, asked := range []struct {
			node           *fixture
			uploaded, lost int
		}{{two, 0, 1}, {one, 1, 0}, {two, 0, 0}} {
			done, err := asked.node.Restore(t.Context(), NewestCopies, nil)
			if err != nil || len(done.Uploaded) != asked.uploaded || len(done.Lost) != asked.lost {
				t.Fatalf("%+v, %v", done, err)
			}
		}
		token = two.commitAll("books", `{"id":"3","extra":"three"}`)
		for _, f := range []*fixture{two, one} {
			if got := f.documents("books", token); len(got) != 3 {
				t.Errorf("%v", got)
			}
		}
	})
}

// I20, I22: the log holds no definitions. A node whose copy has another definition
// than the restored earlier one keeps its copy and shows it. It stores the copy
// again unless another node continued from the earlier one.
func TestACopyWithAnotherDefinitionIsKept(t *testing.T) {
	for _, isTaken := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b, newer, older := memory.New(nil), vfs.Memory(), vfs.Memory()
			one := withEarlierCopy(t, b, newer, older)
			one.mustPut("books", booksWithExtra)
			one.commitAll("books", `{"id":"2","extra":"two"}`)
			time.Sleep(time.Minute)
			one.shut()
			losesManifests(t, b)
			two := sharedNode(t, b, older, "b")
			time.Sleep(time.Minute)
			if done, err := two.Restore(t.Context(), AllCopies, nil); err != nil || len(done.Uploaded) != 1 {
				t.Fatalf("%+v, %v", done, err)
			}
			if isTaken {
				_, err := two.write("books", book(3, "three"))
				refused(t, "write over an earlier definition", err, problem.StorageIoError)
			}
			two.shut()
			one = sharedNode(t, b, newer, "a")
			if !isTaken {
				if got := one.documents("books", one.commitAll("books", `{"id":"3","extra":"three"}`)); len(got) != 3 {
					t.Errorf("%v", got)
				}
				return
			}
			for range 10 {
				time.Sleep(time.Minute)
				_, err := one.write("books", book(4, "four"))
				refused(t, "write", err, problem.StorageIoError)
			}
			if got := one.documents("books", ""); len(got) != 2 {
				t.Errorf("%v", got)
			}
		})
	}
}

// I22: a change of the definition alone makes no commit. A node that holds it does
// not mistake the restored earlier manifest for a later one.
func TestADefinitionIsKeptWithoutACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, newer, older := memory.New(nil), vfs.Memory(), vfs.Memory()
		one := withEarlierCopy(t, b, newer, older)
		one.mustPut("books", booksWithExtra)
		time.Sleep(time.Minute)
		one.shut()
		losesManifests(t, b)
		two := sharedNode(t, b, older, "b")
		time.Sleep(time.Minute)
		if done, err := two.Restore(t.Context(), AllCopies, nil); err != nil || len(done.Uploaded) != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
		two.shut()
		one = sharedNode(t, b, newer, "a")
		if got := one.documents("books", one.commitAll("books", `{"id":"2","extra":"two"}`)); len(got) != 2 {
			t.Errorf("%v", got)
		}
	})
}

// I9, I20: a node with a copy restores a lost manifest while the writer of the
// index runs, which fences that writer. The writer takes the index again by itself
// and loses nothing.
func TestAWriterGoesOnAfterARepairFencedIt(t *testing.T) {
	for _, isEarlier := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := memory.New(nil)
			writer := sharedNode(t, b, vfs.Memory(), "a")
			writer.mustPut("books", books)
			token := writer.commitAll("books", book(1, "one"))
			other := sharedNode(t, b, vfs.Memory(), "b")
			other.documents("books", token)
			if isEarlier {
				writer.commitAll("books", book(2, "two")) // the other node has not fetched it yet
			} else {
				writer.mustWrite("books", book(2, "two")) // only the log holds it
			}
			losesManifests(t, b)
			if done, err := other.Restore(t.Context(), AllCopies, nil); err != nil || len(done.Uploaded) != 1 {
				t.Fatalf("earlier %t: %+v, %v", isEarlier, done, err)
			}
			began := time.Now()
			for {
				_, err := writer.write("books", book(3, "three"))
				if err == nil {
					_, err = writer.Commit(t.Context(), parse(t, "books"))
				}
				if err == nil {
					break
				}
				if time.Since(began) > time.Minute {
					t.Fatalf("earlier %t: after a minute: %v", isEarlier, err)
				}
				time.Sleep(time.Second)
			}
			if got := writer.documents("books", ""); len(got) != 3 {
				t.Errorf("earlier %t: the writer shows %v", isEarlier, got)
			}
			if got := other.documents("books", writer.commitAll("books", book(4, "four"))); len(got) != 4 {
				t.Errorf("earlier %t: the other node shows %v", isEarlier, got)
			}
		})
	}
}
