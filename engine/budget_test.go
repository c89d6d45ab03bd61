package engine

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

// TestGenerationsShareABudget fills one generation, then another: together they
// stay near the budget, and the one that holds most frees memory by committing.
func TestGenerationsShareABudget(t *testing.T) {
	const most = 4 << 20
	options := manual
	options.Workers, options.Memory, options.Budget = 1, 64<<20, NewBudget(most)
	var all []*Generation
	for range 2 {
		fs := vfs.Memory()
		create(t, fs, books)
		all = append(all, open(t, fs, options))
	}
	fill := func(g *Generation, from, to int) {
		for i := from; i < to; i += 100 {
			texts := make([]string, 100)
			for j := range texts {
				texts[j] = fmt.Sprintf(`{"id":"%d","title":"book%d of%d many%d words%d","year":%d}`, i+j, i+j, j, i, i*j, j)
			}
			mustAdd(t, g, texts...)
		}
		// Acknowledged documents may still wait for their worker.
		g.mu.Lock()
		indexing := g.active
		g.mu.Unlock()
		indexing.working.Wait()
	}
	// What is left is less than the other generation would write out on its own.
	full := func() bool { return options.Budget.used.Load() > most-leastFlush/2 }
	written := 0
	for ; !full(); written += 100 {
		if written > 1_000_000 {
			t.Fatal("the budget does not fill")
		}
		fill(all[0], written, written+100)
	}
	before := all[0].Sequence()
	next := 0
	for ; all[0].Sequence() == before; next += 100 {
		if next > 1_000_000 {
			t.Fatal("no merge makes room")
		}
		fill(all[1], next, next+100)
		if used := options.Budget.used.Load(); used > 2*most {
			t.Fatalf("%d bytes are used", used)
		}
	}
	for _, g := range all {
		mustCommit(t, g)
	}
	if used := options.Budget.used.Load(); used != 0 {
		t.Errorf("%d bytes are used after commits", used)
	}
	for i, want := range []int{written, next} {
		view := all[i].Snapshot()
		if view.Documents != want {
			t.Errorf("generation %d holds %d documents, not %d", i, view.Documents, want)
		}
		view.Release()
	}
	fill(all[0], 0, 100)
	for _, g := range all {
		if err := g.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if used := options.Budget.used.Load(); used != 0 || len(options.Budget.holders) != 0 {
		t.Errorf("%d bytes of %d generations are used after the end", used, len(options.Budget.holders))
	}
}

// A small memory is not divided among all cores, each of which would write a
// segment for every few documents.
func TestLittleMemoryHasFewWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(32))
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, Options{MaxChanges: -1, MaxInterval: -1, NoMerges: true, Memory: 4 << 20})
	defer abandon(g)
	var texts []string
	for i := range 1000 {
		texts = append(texts, fmt.Sprintf(`{"id":"a%d","title":"title %d","sales":%d}`, i, i, i))
	}
	mustAdd(t, g, texts...)
	mustCommit(t, g)
	view := g.Snapshot()
	defer view.Release()
	if len(view.Segments) > 4 {
		t.Errorf("%d segments of 1000 small documents", len(view.Segments))
	}
}
