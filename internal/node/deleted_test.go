package node

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
)

// I8, I15: an index was taken over, never opened there, and deleted; another one
// may have its name. Its previous writer acknowledges nothing there any more,
// also where the bucket fails now and then.
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

// I8: the writer of an index that was deleted while its manifest could not be replaced
// is fenced once it can be.
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
