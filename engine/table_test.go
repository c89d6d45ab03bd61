package engine

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

// Consecutive tables together use all workers, half of them each, and a table that
// grows uses all of them on its own.
func TestTablesShareTheWorkers(t *testing.T) {
	for workers := 1; workers <= 9; workers++ {
		g := &Generation{backlog: make([]atomic.Int64, workers)}
		for sequence := range uint64(2 * workers) {
			var met []int
			for i := range uint64(2) {
				first, count := g.workersOf(&table{sequence: sequence + i})
				if first >= workers || count != (workers+1)/2 {
					t.Errorf("%d workers, table %d: %d from %d", workers, sequence+i, count, first)
				}
				for worker := range count {
					met = append(met, (first+worker)%workers)
				}
			}
			slices.Sort(met)
			if met = slices.Compact(met); len(met) < workers {
				t.Errorf("%d workers, table %d and the next: %v", workers, sequence, met)
			}
		}
		if _, count := g.workersOf(&table{dispatched: workers * shardEntries}); count != workers {
			t.Errorf("%d workers, a large table: %d", workers, count)
		}
	}
}

func TestACommitOfSomeThousandsIsOneSegment(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	texts := make([]string, 4000)
	for round := range 3 {
		for i := range texts {
			texts[i] = fmt.Sprintf(`{"id":"%d-%d","title":"book %d","year":%d}`, round, i, i, i)
		}
		mustAdd(t, g, texts...)
		mustCommit(t, g)
		view := g.Snapshot()
		if got := len(view.Segments); got != round+1 {
			t.Errorf("%d segments after commit %d", got, round)
		}
		view.Release()
	}
}
