package node

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// I15: a generation that another node restores is open again as soon as it is
// listed here.
func TestARestoredGenerationIsOpenedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b, c, _ := three(t)
		b.mustPut("books", books)
		b.mustPut("books@2", books)
		b.commitAll("books@2", book(1, "one"))
		time.Sleep(2*defaultRefreshInterval + time.Second) // between two refreshes
		if err := b.Delete(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		if _, err := b.tryDocuments("books@2", ""); err == nil {
			t.Error("a generation that was deleted answers")
		}
		if done, err := c.RepairRegistry(t.Context(), registry.RepairRequest{Restore: []registry.Name{parse(t, "books@2")}}); err != nil || len(done.Restored) != 1 {
			t.Fatalf("restored %v, %v", done, err)
		}
		if got, err := c.tryDocuments("books@2", ""); err != nil || len(got) != 1 {
			t.Errorf("where it was restored: %v, %v", got, err)
		}
		if err := b.registry.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := b.tryDocuments("books@2", ""); err != nil || len(got) != 1 {
			t.Errorf("where it was deleted: %v, %v", got, err)
		}
		token := b.commitAll("books@2", book(2, "two"))
		if got, err := c.tryDocuments("books@2", token); err != nil || len(got) != 2 {
			t.Errorf("after a write: %v, %v", got, err)
		}
		if err := b.Delete(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		_, err := b.tryDocuments("books@2", "")
		refused(t, "deleted again", err, problem.IndexNotFound)
	})
}
