package node

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/vfs"
)

// I7 (seed 21759): a node wrote a generation and lost it, without knowing, to
// another node, which promotes that generation. The former writer does not answer a
// token of the previous generation from its own stale state.
func TestATokenOfTheGenerationBeforeIsNotAnsweredByAWriterThatWasFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		cut := &cutBucket{Bucket: under, keys: "leadership"}
		former := sharedNode(t, cut, vfs.Memory(), "a")
		former.mustPut("books", books)
		former.mustWrite("books", book(1, "one"))
		former.mustPut("books@2", books)
		former.mustWrite("books@2", book(1, "one"))
		other := sharedNode(t, under, vfs.Memory(), "b")
		cut.off.Store(true)
		time.Sleep(25 * time.Second)
		token := other.mustWrite("books", book(1, "changed"))
		other.mustWrite("books@2", book(1, "changed"))
		if _, err := other.Commit(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Promote(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		if err := former.registry.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := former.tryDocuments("books", token)
		if err == nil && got["1"] != book(1, "changed") {
			t.Errorf("%v, %v", got, err)
		}
		if err != nil {
			unreached(t, "a fenced writer", err, "another node has taken over the index")
		}
		cut.off.Store(false)
		if got := former.documents("books", token); got["1"] != book(1, "changed") {
			t.Errorf("%v", got)
		}
	})
}
