package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/vfs"
)

// merging opens a new generation with background merges. Each of its initial
// documents has its own commit and so its own segment.
func merging(t *testing.T, fs vfs.FS, documents int) *Generation {
	t.Helper()
	create(t, fs, books)
	options := manual
	options.NoMerges, options.Budget = false, NewBudget(0)
	g := open(t, fs, options)
	t.Cleanup(func() { _ = g.Close(context.Background()) })
	for i := range documents {
		mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"volume"}`, i))
		mustCommit(t, g)
	}
	return g
}

func segmentsOf(g *Generation) int {
	view := g.Snapshot()
	defer view.Release()
	return len(view.Segments)
}

// A generation that is no longer written becomes one segment without losing a
// document; while it is written, only the ordinary merges run.
func TestAGenerationAtRestSettles(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		g := merging(t, vfs.Memory(), 0)
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

// A write ends a merge at rest, even one that waits for its turn.
func TestAWriteEndsTheRest(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		g := merging(t, vfs.Memory(), 3)
		budget := g.options.Budget
		budget.settling.Lock()
		<-time.After(2 * restBefore)
		mustAdd(t, g, `{"id":"3","title":"volume"}`)
		synctest.Wait()
		budget.settling.Unlock()
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

// pausingFS blocks before the creation of a segment, once it is armed.
type pausingFS struct {
	vfs.FS
	armed  atomic.Bool
	begun  chan struct{}
	resume chan struct{}
}

func (f *pausingFS) Create(name string) (vfs.File, error) {
	if strings.HasSuffix(name, segmentSuffix) && f.armed.CompareAndSwap(true, false) {
		close(f.begun)
		<-f.resume
	}
	return f.FS.Create(name)
}

// A write ends a running merge at rest: no file of it remains, and the next one
// waits twice as long.
func TestAWriteEndsARunningMergeAtRest(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		fs := &pausingFS{FS: vfs.Memory(), begun: make(chan struct{}), resume: make(chan struct{})}
		g := merging(t, fs, 3)
		fs.armed.Store(true)
		<-fs.begun
		mustAdd(t, g, `{"id":"3","title":"volume"}`)
		synctest.Wait()
		close(fs.resume)
		synctest.Wait()
		if _, merged := g.Written(); merged != 0 || segmentsOf(g) != 3 {
			t.Errorf("%d segments and %d bytes merged after a write during the merge", segmentsOf(g), merged)
		}
		names, err := fs.List(g.storage.Directory)
		if err != nil {
			t.Fatal(err)
		}
		names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, segmentSuffix) })
		if len(names) != 3 {
			t.Errorf("files %v are left", names)
		}
		mustCommit(t, g)
		<-time.After(restBefore + restBefore/2)
		synctest.Wait()
		if n := segmentsOf(g); n != 4 {
			t.Errorf("%d segments before twice the rest", n)
		}
		<-time.After(restBefore)
		synctest.Wait()
		if n := segmentsOf(g); n != 1 {
			t.Errorf("%d segments after twice the rest", n)
		}
	})
}

// A write that comes before the rest is over leaves the merge for later, without
// starting it.
func TestATrickleIsNotARest(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		g := merging(t, vfs.Memory(), 3)
		for i := range 20 {
			<-time.After(restBefore / 3)
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"volume"}`, 3+i))
			synctest.Wait()
			if n := segmentsOf(g); n != 3 {
				t.Fatalf("%d segments after write %d", n, i)
			}
		}
	})
}

// A reopened generation has paid for nothing: segments of rapidly falling sizes are
// joined after a wait that depends on their size.
func TestAnUnpaidMergeWaits(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.Memory()
		create(t, fs, books)
		options := manual
		options.MergeFloor = 1 // nothing is small enough to be free
		g := open(t, fs, options)
		for i := range 400 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"volume %d %s"}`, i, i, strings.Repeat("x", i)))
		}
		mustCommit(t, g)
		mustAdd(t, g, `{"id":"last","title":"volume"}`)
		mustCommit(t, g)
		if err := g.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		options.NoMerges = false
		g = open(t, fs, options)
		defer g.Close(t.Context())
		before := segmentsOf(g)
		if before < 2 || !g.IsSettled() {
			t.Fatalf("%d segments, settled: %v", before, g.IsSettled())
		}
		<-time.After(restBefore)
		synctest.Wait()
		if n := segmentsOf(g); n != before {
			t.Errorf("%d segments before the wait, of %d", n, before)
		}
		<-time.After(time.Minute)
		synctest.Wait()
		if n := segmentsOf(g); n != 1 {
			t.Errorf("%d segments after the wait, of %d", n, before)
		}
	})
}
