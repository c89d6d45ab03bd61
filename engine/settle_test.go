package engine

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/vfs"
)

func segmentsOf(g *Generation) int {
	view := g.Snapshot()
	defer view.Release()
	return len(view.Segments)
}

// A generation that nobody writes to any more becomes one segment, without a
// document lost; while it is written to it is left to the ordinary merges.
func TestAGenerationAtRestSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.Memory()
		create(t, fs, books)
		options := manual
		options.NoMerges = false
		g := open(t, fs, options)
		defer g.Close(t.Context())
		for i := range 5 {
			<-time.After(restBefore / 2)
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"volume"}`, i))
			mustCommit(t, g)
			synctest.Wait()
			if n := segmentsOf(g); n != i+1 {
				t.Fatalf("after %d commits in a row there are %d segments", i+1, n)
			}
		}
		if flushed, merged := g.Written(); flushed == 0 || merged != 0 || g.IsSettled() {
			t.Errorf("%d bytes written and %d merged before the rest, settled: %v", flushed, merged, g.IsSettled())
		}
		<-time.After(2 * restBefore)
		synctest.Wait()
		if n := segmentsOf(g); n != 1 || !g.IsSettled() {
			t.Errorf("%d segments at rest, settled: %v", n, g.IsSettled())
		}
		if _, merged := g.Written(); merged == 0 {
			t.Error("the merge at rest is not counted")
		}
		if n := len(mustDocuments(t, g)); n != 5 {
			t.Errorf("%d documents at rest", n)
		}
	})
}

// A write ends a merge at rest, also one that waits for its turn.
func TestAWriteEndsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.Memory()
		create(t, fs, books)
		options := manual
		options.NoMerges, options.Budget = false, NewBudget(0)
		g := open(t, fs, options)
		defer g.Close(t.Context())
		options.Budget.settling.Lock()
		for i := range 3 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"volume"}`, i))
			mustCommit(t, g)
		}
		<-time.After(2 * restBefore)
		mustAdd(t, g, `{"id":"3","title":"volume"}`)
		synctest.Wait()
		options.Budget.settling.Unlock()
		synctest.Wait()
		if n := segmentsOf(g); n != 3 {
			t.Errorf("%d segments after a write during the rest", n)
		}
		mustCommit(t, g)
		<-time.After(2 * restBefore)
		synctest.Wait()
		if n := segmentsOf(g); n != 1 {
			t.Errorf("%d segments at rest", n)
		}
	})
}
