package engine

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/vfs"
)

// inUse returns the memory of the process that is not garbage.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestWritesStayWithinTheBudget writes several times what the budget allows without
// a commit of its own: the counted bytes stay within the budget, and the bytes in
// use within the counted ones, which are twice as many.
func TestWritesStayWithinTheBudget(t *testing.T) {
	const most = 24 << 20
	options := manual
	options.Workers, options.Memory, options.Budget = 2, most, NewBudget(most)
	fs := vfs.OS(t.TempDir())
	create(t, fs, books)
	g := open(t, fs, options)
	before := inUse()
	highest := int64(0)
	const documents, batch = 60_000, 500
	for from := 0; from < documents; from += batch {
		texts := make([]string, batch)
		for i := range texts {
			n := from + i
			texts[i] = fmt.Sprintf(`{"id":"key-%d","title":"book%d of %d in shelf%d by author%d","year":%d}`, n, n, n%700, n%31, n*7919%50_000, n%300)
		}
		mustAdd(t, g, texts...)
		used := options.Budget.used.Load()
		highest = max(highest, used)
		// A builder is not written out below leastFlush.
		if used > most+int64(options.Workers)*collected*leastFlush {
			t.Fatalf("%d of %d bytes are counted after %d documents", used, most, from+batch)
		}
		if from%10_000 == 0 {
			// Operations and segments in flight are not part of the budget.
			if real := inUse() - before; real > max(options.Budget.used.Load(), used)/collected*5/4+24<<20 {
				t.Fatalf("%d bytes are in use, %d are counted twice after %d documents", real, used, from+batch)
			}
		}
	}
	if highest < most/2 {
		t.Errorf("only %d of %d bytes were counted: the test does not fill the budget", highest, most)
	}
	mustCommit(t, g)
	if used := options.Budget.used.Load(); used != 0 {
		t.Errorf("%d bytes are counted after a commit", used)
	}
	if view := g.Snapshot(); view.Documents != documents {
		t.Errorf("%d documents", view.Documents)
	} else {
		view.Release()
	}
}

// TestMemoryDoesNotFollowTheNumberOfDocuments writes documents with commits and
// merges in one run of writes: four times as many documents raise the peak memory
// by only a few bytes each.
func TestMemoryDoesNotFollowTheNumberOfDocuments(t *testing.T) {
	worst := func(documents int) int64 {
		options := Options{MaxChanges: 1000, MaxInterval: -1, MinFree: -1, Workers: 2, Memory: 8 << 20, MergeFloor: 1 << 16}
		fs := vfs.OS(t.TempDir())
		create(t, fs, books)
		before := inUse()
		g := open(t, fs, options)
		s := g.WriteStream()
		highest := int64(0)
		for n := range documents {
			text := fmt.Sprintf(`{"id":"key-%d","title":"book%d of %d in shelf%d by author%d with a title of its own that is rather long: %d","year":%d}`,
				n, n, n%700, n%31, n*7919%50_000, n, n%300)
			if err := add(s, text); err != nil {
				t.Fatal(err)
			}
			if n%500 == 499 {
				highest = max(highest, inUse()-before)
			}
		}
		if _, err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustCommit(t, g)
		view := g.Snapshot()
		defer view.Release()
		if view.Documents != documents || len(view.Segments) > 40 {
			t.Fatalf("%d documents in %d segments", view.Documents, len(view.Segments))
		}
		return highest
	}
	const documents = 20_000
	few := worst(documents)
	told := ""
	for range 3 { // what merges hold at once varies; real growth shows every time
		many := worst(4 * documents)
		perDocument := float64(many-few) / (3 * documents)
		if perDocument <= 200 {
			return
		}
		told += fmt.Sprintf("%d bytes in use with %d documents, %d with %d: %.0f for each\n", few, documents, many, 4*documents, perDocument)
	}
	t.Error(told)
}

// TestAnIdleGenerationTakesLittleMemory keeps generations of 500 documents open
// after they were written.
func TestAnIdleGenerationTakesLittleMemory(t *testing.T) {
	const generations, most = 20, 40 << 10
	options := Options{Budget: NewBudget(0), Analysis: analysis.NewBuilder(analysis.Options{}), Workers: 2}
	fs := vfs.OS(t.TempDir())
	texts := make([]string, 500)
	for i := range texts {
		texts[i] = fmt.Sprintf(`{"id":"key-%d","title":"%s","year":%d}`, i, strings.Repeat(fmt.Sprintf("book%d of shelf%d ", i, i%31), 10), i%300)
	}
	var open []*Generation
	write := func(name string) {
		storage := Storage{FS: fs, Directory: name}
		if err := Create(t.Context(), storage, parse(t, books)); err != nil {
			t.Fatal(err)
		}
		g, err := Open(t.Context(), storage, options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.Close(context.Background()) })
		mustAdd(t, g, texts...)
		mustCommit(t, g)
		open = append(open, g)
	}
	write("first") // plus whatever the process allocates once
	before := inUse()
	for i := range generations {
		write(fmt.Sprint("g", i))
	}
	each := (inUse() - before) / generations
	for range 100 { // background work of the last commits ends
		if each <= most {
			break
		}
		each = min(each, (inUse()-before)/generations)
	}
	if each > most {
		t.Errorf("an idle generation takes %d bytes, at most %d", each, most)
	}
	runtime.KeepAlive(open)
}
