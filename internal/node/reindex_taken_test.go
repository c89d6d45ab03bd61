package node

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// I16: a node took an index over but could not take its job over yet. The target of
// the job is neither promoted by hand, without the last writes, nor written to.
func TestTheTargetOfAJobThatIsNotTakenOverYetIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		dying, cut := &cutBucket{Bucket: under}, &cutBucket{Bucket: under, keys: "jobs/"}
		first, second := sharedNode(t, dying, vfs.Memory(), "a"), sharedNode(t, cut, vfs.Memory(), "b")
		first.mustPut("books", books)
		first.mustWrite("books", book(1, "one"))
		first.mustPut("books@2", books)
		first.startJob("books@2", reindex.Manual)
		first.reach("books", reindex.Ready)
		first.mustWrite("books", book(1, "changed"))
		cut.off.Store(true)
		dying.off.Store(true)
		defer dying.off.Store(false)
		time.Sleep(25 * time.Second)
		index, err := second.registry.Find(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		if !second.member().Holds(index.ID) {
			t.Fatal("the index was not taken over")
		}
		if _, err := second.write("books@2", book(1, "direct")); err == nil {
			t.Error("a write to the target was taken")
		}
		if _, err := second.Promote(t.Context(), parse(t, "books@2")); err == nil {
			t.Error("the target was promoted")
		}
		second.mustWrite("books", book(2, "two"))
		cut.off.Store(false)
		time.Sleep(2 * time.Minute)
		second.reach("books", reindex.Ready)
		if _, err := second.Promote(t.Context(), parse(t, "books@2")); err != nil {
			t.Error(err)
		}
		if got := second.documents("books", ""); got["1"] != book(1, "changed") || got["2"] != book(2, "two") {
			t.Errorf("%v", got)
		}
	})
}

// I16: a job began to fill a generation while its promotion by hand waited. The
// generation is not promoted half filled, and the job adds nothing to a live
// generation.
func TestAPromotionByHandThatWaitedFindsTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		f.mustPut("books@2", books)
		index, err := f.registry.Find(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		moves := f.generations.Moves(index.ID)
		moves.Lock()
		go func() {
			if _, err := f.StartReindex(t.Context(), reindex.Request{Target: parse(t, "books@2"), Promote: reindex.Manual}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		go func() {
			_, err := f.Promote(t.Context(), parse(t, "books@2"))
			refused(t, "the promotion", err, problem.ReindexTargetBusy)
		}()
		synctest.Wait()
		moves.Unlock()
		synctest.Wait()
		f.reach("books", reindex.Ready)
		if entry, err := f.registry.Resolve(parse(t, "books")); err != nil || entry.Name.Generation != "1" {
			t.Errorf("%s is live, %v", entry.Name, err)
		}
	})
}

// I16: a node believes that a generation is live, or that none is, and another node
// has promoted one since. It does not move the index without that node learning of
// it.
func TestAPromotionByHandWithAnOldRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		f.mustPut("books@2", books)
		other, err := registry.Open(t.Context(), b, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		next, err := other.Resolve(parse(t, "books@2"))
		if err != nil {
			t.Fatal(err)
		}
		live, err := other.Resolve(parse(t, "books"))
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Promote(t.Context(), live, next); err != nil {
			t.Fatal(err)
		}
		_, err = f.Promote(t.Context(), parse(t, "books@1"))
		refused(t, "the promotion", err, problem.IndexGenerationLiveMoved)
		if _, err := f.Promote(t.Context(), parse(t, "books@1")); err != nil {
			t.Error(err)
		}
	})
}

// I16: a generation that a job fills gets no definition that its documents would
// not fit, although it holds none yet: documents deleted in the source stay
// deleted.
func TestTheTargetOfAJobKeepsItsKey(t *testing.T) {
	for body, want := range map[string]*problem.Code{
		`{"fields":{"id":{"type":"string"},"name":{"type":"string","primaryKey":true}}}`: problem.ReindexTargetBusy, books: nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			f, gate := newGatedFixture(t)
			open := f.at(gate, reindex.Copying)
			_, _, err := f.put("books@2", body)
			if want != nil {
				refused(t, "the definition", err, want)
			} else if err != nil {
				t.Error(err)
			}
			f.remove("books", "7")
			open()
			f.reach("books", reindex.Done)
			if got := f.documents("books", ""); len(got) != 2499 || got["7"] != "" {
				t.Errorf("%d documents, among them %q", len(got), got["7"])
			}
		})
	}
}
