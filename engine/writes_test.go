package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

func TestTrackedChangesSurviveReopening(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a"}`, `{"id":"b"}`)
	mustCommit(t, g)
	if err := g.StartTracking(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := mustCommit(t, g)
	mustAdd(t, g, `{"id":"c"}`, `{"id":"a","title":"again"}`)
	second := mustCommit(t, g)
	s := g.WriteStream()
	if err := s.Delete(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Refresh(t.Context(), "c", signals(t, g, "sales", 1)); !found || err != nil {
		t.Fatal(found, err)
	}
	mustWait(t, s)
	abandon(g)

	g = open(t, fs, manual)
	if got := g.Changes(first); len(got) != 0 {
		t.Fatalf("changes before the start %v", got)
	}
	if difference := cmp.Diff([]string{"a", "c"}, g.Changes(second)); difference != "" {
		t.Fatal(difference)
	}
	if difference := cmp.Diff([]string{"a", "b", "c"}, g.Changes(g.Sequence())); difference != "" {
		t.Fatal(difference)
	}
	g.Forget(second)
	mustAdd(t, g, `{"id":"d"}`)
	mustCommit(t, g)
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	g = open(t, fs, manual)
	if difference := cmp.Diff([]string{"b", "c", "d"}, g.Changes(g.Sequence())); difference != "" {
		t.Fatal(difference)
	}
	if _, _, err := g.DeleteAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, g)
	if g.Backlog() != 4 {
		t.Fatalf("backlog %v", g.Changes(g.Sequence()))
	}
	if err := g.StopTracking(t.Context()); err != nil {
		t.Fatal(err)
	}
	if g.IsTracking() || g.Backlog() != 0 {
		t.Fatal("still tracking")
	}
}

func TestANewDefinitionHoldsForWhatIsWrittenAfterwards(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a","title":"one"}`)
	stale, err := read(g, `{"id":"b","title":"two"}`)
	if err != nil {
		t.Fatal(err)
	}
	changed := parse(t, `{"fields":{"id":{"type":"string","primaryKey":true},"title":{"type":"string","matching":{},"filter":{}},
		"year":{"type":"int32","filter":{}},"color":{"type":"string","filter":{}},
		"editions":{"type":"object","multiple":true,"mode":"nested","fields":{"isbn":{"type":"string","filter":{}}}},
		"sales":{"type":"int64","signal":{}},"rating":{"type":"double","signal":{}}}}`)
	if err := g.SetDefinition(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	if found := mustDocuments(t, g); len(found) != 1 {
		t.Fatalf("what was pending is not committed: %v", found)
	}
	s := g.WriteStream()
	if err := s.Add(t.Context(), stale); err != nil {
		t.Fatal(err)
	}
	mustWait(t, s)
	mustAdd(t, g, `{"id":"c","color":"red"}`)
	abandon(g)
	g = open(t, fs, manual)
	if g.Definition().Version() != changed.Version() {
		t.Fatal("the definition is not kept")
	}
	if found := mustDocuments(t, g); len(found) != 3 || found["c"]["color"] != "red" {
		t.Fatalf("found %v", found)
	}
}

func TestHeldWritesWait(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	release, err := g.HoldWrites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := addWithin(ctx, g.WriteStream(), `{"id":"a"}`); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if _, err := g.HoldWrites(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	written := make(chan error)
	go func() { written <- add(g.WriteStream(), `{"id":"a"}`) }()
	release()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	// A hold waits for the writers inside.
	if err := g.gate.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.HoldWrites(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	g.gate.leave()
	release, err = g.HoldWrites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// Commits are triggered by the number of changes, by age, and by readers that wait,
// the last at most once a second.
func TestCommitTriggers(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.Memory()
		create(t, fs, books)
		g, err := Open(t.Context(), Storage{FS: fs, Directory: "g"}, Options{MaxChanges: 10, NoMerges: true, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close(context.Background())
		reached := func(want uint64) {
			t.Helper()
			synctest.Wait()
			if g.Sequence() != want {
				t.Fatalf("commit %d, want %d", g.Sequence(), want)
			}
		}
		mustAdd(t, g, `{"id":"a"}`)
		time.Sleep(4900 * time.Millisecond)
		reached(0)
		time.Sleep(100 * time.Millisecond)
		reached(1) // by age
		for i := range 10 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d"}`, i))
		}
		reached(2) // by number
		began := time.Now()
		for i := range uint64(3) {
			receipt := mustAdd(t, g, `{"id":"b"}`)
			if receipt.Sequence != 3+i {
				t.Fatalf("receipt %+v", receipt)
			}
			if err := g.WaitFor(t.Context(), receipt.Sequence); err != nil {
				t.Fatal(err)
			}
			reached(3 + i)
		}
		if took := time.Since(began); took < 2*time.Second || took > 3*time.Second {
			t.Fatalf("three commits for readers took %v", took)
		}
	})
}

// Several writers, readers, commits and merges at once: every view is consistent
// and never goes back, and everything is there at the end.
func TestWritersReadersAndMergesAtOnce(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, Options{MaxChanges: 50, MaxInterval: 5 * time.Millisecond, MergeFloor: 1 << 20, Memory: 1 << 16, Workers: 2})
	const writers, keys, rounds = 4, 20, 150
	var group sync.WaitGroup
	stop := make(chan struct{})
	for client := range writers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(client), 0))
			for round := range rounds {
				s := g.WriteStream()
				key := fmt.Sprintf("c%d-%d", client, random.IntN(keys))
				if err := add(s, fmt.Sprintf(`{"id":%q,"title":"%d","editions":[{"isbn":"x"}]}`, key, round)); err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Refresh(t.Context(), document.Key(key), signals(t, g, "sales", round)); err != nil {
					t.Error(err)
					return
				}
				receipt, err := s.Wait(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if round%30 == 0 {
					if err := g.WaitFor(context.Background(), receipt.Sequence); err != nil {
						t.Error(err)
						return
					}
					view := g.Snapshot()
					segment, doc, ok, err := view.LookupKey(key)
					if err != nil || !ok {
						t.Errorf("own write to %s is not there: %v", key, err)
					} else if content, err := contentOf(g, segment, doc); err != nil || content["@sales"] != int64(round) {
						t.Errorf("own write %d to %s reads %v, %v", round, key, content, err)
					}
					view.Release()
				}
			}
		})
	}
	var readers sync.WaitGroup
	readers.Go(func() {
		last := uint64(0)
		for {
			select {
			case <-stop:
				return
			default:
			}
			view := g.Snapshot()
			_, err := documents(g, view)
			if err != nil || view.Sequence < last {
				t.Errorf("view %d after %d: %v", view.Sequence, last, err)
			}
			last = view.Sequence
			view.Release()
		}
	})
	group.Wait()
	close(stop)
	readers.Wait()
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Check(fs, "g"); err != nil {
		t.Fatal(err)
	}
}

func TestWholeNumberKeysAreInNumericOrder(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, `{"fields":{"id":{"type":"int64","primaryKey":true}}}`)
	g := open(t, fs, manual)
	for _, keys := range [][]int{{10, 9, -5}, {100, -40, 2}, {9, 7}} {
		for _, key := range keys {
			mustAdd(t, g, fmt.Sprintf(`{"id":%d}`, key))
		}
		mustCommit(t, g)
	}
	view := g.Snapshot()
	defer view.Release()
	walk := func(after string, hasAfter bool) string {
		it, err := view.Keys(after, hasAfter, true)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for {
			key, _, _, ok := it.Next()
			if !ok {
				return text
			}
			text += key + " "
		}
	}
	if got := walk("", false); got != "-40 -5 2 7 9 10 100 " {
		t.Fatalf("order %s", got)
	}
	if got := walk("7", true); got != "9 10 100 " {
		t.Fatalf("after 7: %s", got)
	}
	if got := walk("8", true); got != "9 10 100 " {
		t.Fatalf("after 8: %s", got)
	}
}

func FuzzCutSignals(f *testing.F) {
	f.Add(append(appendSignals(nil, []signalValue{{Field: "sales", Value: 3, Has: true}, {Field: "x"}}), "{}"...))
	f.Fuzz(func(t *testing.T, body []byte) {
		values, rest, err := cutSignals(body)
		if err != nil {
			return
		}
		again, restAgain, err := cutSignals(append(appendSignals(nil, values), rest...))
		if err != nil || cmp.Diff(values, again) != "" || string(rest) != string(restAgain) {
			t.Fatalf("not stable: %v", err)
		}
	})
}

// A generation that another process writes follows its commits, takes no writes and
// never goes back.
func TestReaderFollowsTheWriter(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a","title":"one"}`, `{"id":"b"}`)
	mustCommit(t, g)
	g.Close(t.Context())
	first := contents(t, fs)
	copied := restore(t, first)
	options := manual
	options.ReadOnly = true
	reader := open(t, copied, options)
	if found := mustDocuments(t, reader); len(found) != 2 {
		t.Fatalf("found %v", found)
	}
	if err := add(reader.WriteStream(), `{"id":"x"}`); !errors.Is(err, problem.IndexReadonly) {
		t.Fatalf("a write to a reader: %v", err)
	}
	held := reader.Snapshot()

	g = open(t, fs, manual)
	receipt := mustAdd(t, g, `{"id":"a","title":"two"}`, `{"id":"c"}`)
	mustCommit(t, g)
	if err := mergeAll(g); err != nil {
		t.Fatal(err)
	}
	g.Close(t.Context())
	waited := make(chan error, 1)
	go func() { waited <- reader.WaitFor(context.Background(), receipt.Sequence) }()
	second := contents(t, fs)
	put := func(files map[string][]byte) {
		for name, content := range files {
			if _, err := copied.Size(name); err == nil {
				copied.Remove(name)
			}
			file, err := copied.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			file.Write(content)
			file.Close()
		}
	}
	put(second)
	if err := reader.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	if found := mustDocuments(t, reader); len(found) != 3 || found["a"]["title"] != "two" {
		t.Fatalf("found %v", found)
	}
	if found, err := documents(reader, held); err != nil || len(found) != 2 {
		t.Fatalf("the earlier view changed: %v, %v", found, err)
	}
	held.Release()
	put(first)
	if err := reader.Reload(t.Context()); err == nil {
		t.Fatal("the view went back")
	}
	if found := mustDocuments(t, reader); len(found) != 3 {
		t.Fatalf("found %v", found)
	}
}
