package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
	"github.com/quiresearch/quire/problem"
)

// history is what a client knows about its keys: the last acknowledged state of
// each, and the states that later unanswered writes may have given it.
type history struct {
	acknowledged map[string]any // nil: not there
	possible     map[string][]any
	promised     uint64
}

func newHistory() *history {
	return &history{acknowledged: make(map[string]any), possible: make(map[string][]any)}
}

// settle records that a group of writes was answered with err.
func (h *history) settle(writes map[string][]any, err error) {
	for key, states := range writes {
		if err != nil {
			h.possible[key] = append(h.possible[key], states...)
			continue
		}
		h.acknowledged[key], h.possible[key] = states[len(states)-1], nil
	}
}

// check compares the state after a crash with what was acknowledged.
func (h *history) check(g *Generation, view *snapshot.Snapshot) error {
	found, err := documents(g, view)
	if err != nil {
		return err
	}
	keys := make(map[string]bool)
	for key := range found {
		keys[key] = true
	}
	for key := range h.acknowledged {
		keys[key] = true
	}
	for key := range keys {
		var got any
		if content, ok := found[key]; ok {
			got = content["title"]
		}
		allowed := append([]any{h.acknowledged[key]}, h.possible[key]...)
		ok := false
		for _, state := range allowed {
			ok = ok || reflect.DeepEqual(state, got)
		}
		if !ok {
			return fmt.Errorf("key %s is %v, acknowledged or possible are %v", key, got, allowed)
		}
	}
	if view.Sequence < h.promised {
		return fmt.Errorf("commit %d after %d was promised", view.Sequence, h.promised)
	}
	return nil
}

// scenario writes, commits and merges until something fails or the work is
// done. It returns without closing: the crash did that.
func scenario(fs *faultfs.FS, seed uint64, h *history) {
	random := rand.New(rand.NewPCG(seed, 3))
	g, err := Open(context.Background(), Storage{FS: fs, Directory: "g"}, manual)
	if err != nil {
		return
	}
	defer func() {
		fs.PowerOff()
		abandon(g)
	}()
	for range 25 {
		switch action := random.IntN(10); {
		case action < 7:
			s := g.WriteStream()
			writes := make(map[string][]any)
			for range 1 + random.IntN(4) {
				key := fmt.Sprintf("k%d", random.IntN(12))
				if random.IntN(4) == 0 {
					if s.Delete(context.Background(), document.Key(key)) == nil {
						writes[key] = append(writes[key], nil)
					}
					continue
				}
				title := fmt.Sprintf("title %d", random.IntN(1_000_000))
				if add(s, fmt.Sprintf(`{"id":%q,"title":%q}`, key, title)) == nil {
					writes[key] = append(writes[key], title)
				}
			}
			receipt, err := s.Wait(context.Background())
			h.settle(writes, err)
			if err == nil {
				h.promised = max(h.promised, receipt.Sequence)
			}
		case action < 9:
			if sequence, err := g.Commit(context.Background(), Explicit); err == nil {
				h.promised = max(h.promised, sequence)
			}
		default:
			mergeAll(g)
		}
	}
}

// F1, F3: the power fails at each call; whatever part of the un-synced data
// survives, everything acknowledged is there, and beyond it only unanswered writes.
func TestPowerLossAtEveryCall(t *testing.T) {
	seeds := uint64(1)
	if !testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		quiet := faultfs.New(nil)
		create(t, quiet, books)
		before := quiet.Calls()
		scenario(quiet, seed, newHistory())
		total := quiet.Calls()
		for stop := before + 1; stop <= total; stop++ {
			fs := faultfs.New(func(call faultfs.Call) error {
				if call.Number == stop {
					return faultfs.ErrPower
				}
				return nil
			})
			create(t, fs, books)
			h := newHistory()
			scenario(fs, seed, h)
			for chance := range uint64(5) {
				after := fs.Restart(rand.New(rand.NewPCG(uint64(stop), seed*100+chance)), chance == 0)
				if err := recovered(after, h); err != nil {
					t.Fatalf("seed %d, power lost at call %d, chance %d: %v", seed, stop, chance, err)
				}
			}
		}
	}
}

// recovered opens what a crash left, checks it, closes it, and checks the files.
func recovered(fs *faultfs.FS, h *history) error {
	g, err := Open(context.Background(), Storage{FS: fs, Directory: "g"}, manual)
	if err != nil {
		return err
	}
	view := g.Snapshot()
	err = h.check(g, view)
	view.Release()
	if err != nil {
		g.Close(context.Background())
		return err
	}
	// The generation continues to work.
	s := g.WriteStream()
	if err := add(s, `{"id":"after","title":"x"}`); err != nil {
		return err
	}
	if _, err := s.Wait(context.Background()); err != nil {
		return err
	}
	if err := g.Close(context.Background()); err != nil {
		return err
	}
	_, err = Check(fs, "g")
	return err
}

// F5: one fsync fails, later ones succeed; nothing acknowledged before or after is
// lost.
func TestFailedSyncAnywhere(t *testing.T) {
	for fails := range 60 {
		syncs := 0
		armed := false
		fs := faultfs.New(func(call faultfs.Call) error {
			if armed && (call.Op == "sync" || call.Op == "syncdir") {
				if syncs++; syncs == fails+1 {
					return errors.New("input/output error")
				}
			}
			return nil
		})
		create(t, fs, books)
		armed = true
		h := newHistory()
		scenario(fs, 1, h)
		for seed := range uint64(2) {
			after := fs.Restart(rand.New(rand.NewPCG(uint64(fails), seed)), false)
			if err := recovered(after, h); err != nil {
				t.Fatalf("sync %d failed: %v", fails, err)
			}
		}
	}
}

// F6: the disk is full at some write and freed later; searches continue, writes are
// rejected, and everything continues without reopening.
func TestFullDiskResumes(t *testing.T) {
	for from := range 40 {
		var full atomic.Bool
		writes := 0
		fs := faultfs.New(func(call faultfs.Call) error {
			if full.Load() && (call.Op == "write" || call.Op == "create" || call.Op == "reserve") {
				if writes++; writes > from {
					return faultfs.ErrNoSpace
				}
			}
			return nil
		})
		create(t, fs, books)
		g := open(t, fs, manual)
		mustAdd(t, g, `{"id":"a","title":"one"}`)
		mustCommit(t, g)
		full.Store(true)
		var taken []string
		for i := range 8 {
			key := fmt.Sprintf("k%d", i)
			s := g.WriteStream()
			if err := add(s, fmt.Sprintf(`{"id":%q,"title":"x"}`, key)); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Wait(t.Context()); err == nil {
				taken = append(taken, key)
			} else if !errors.Is(err, problem.StorageIoError) {
				t.Fatalf("full from write %d: %v", from, err)
			}
			if i%3 == 2 {
				g.Commit(t.Context(), Explicit)
			}
			if found := mustDocuments(t, g); found["a"] == nil {
				t.Fatal("a committed document is gone")
			}
		}
		full.Store(false)
		mustAdd(t, g, `{"id":"z","title":"last"}`)
		mustCommit(t, g)
		found := mustDocuments(t, g)
		if len(found) != len(taken)+2 {
			t.Fatalf("full from write %d: %d documents, taken %v", from, len(found), taken)
		}
		for _, key := range taken {
			if found[key] == nil {
				t.Fatalf("full from write %d: %s is gone", from, key)
			}
		}
		if err := g.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := Check(fs, "g"); err != nil {
			t.Fatalf("full from write %d: %v", from, err)
		}
	}
}

func TestWritesAreRefusedBelowTheReserve(t *testing.T) {
	fs := faultfs.New(nil)
	create(t, fs, books)
	fs.SetFree(5<<30, 100<<30)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a"}`)
	fs.SetFree(1<<20, 100<<30)
	s := g.WriteStream()
	if err := add(s, `{"id":"b"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(t.Context()); !errors.Is(err, problem.StorageIoError) || problem.All(err)[0].Arguments["resource"] != "index" {
		t.Fatalf("got %v", err)
	}
	fs.SetFree(5<<30, 100<<30)
	mustAdd(t, g, `{"id":"c"}`)
	mustCommit(t, g)
	if found := mustDocuments(t, g); len(found) != 2 {
		t.Fatalf("found %v", found)
	}
}

// F29: a token given while an earlier commit fails is reached after a crash, with
// its write.
func TestPromisesAreKeptOverFailedCommitsAndCrashes(t *testing.T) {
	var failing atomic.Bool
	fs := faultfs.New(func(call faultfs.Call) error {
		if failing.Load() && call.Op == "rename" {
			return faultfs.ErrNoSpace
		}
		if failing.Load() && call.Op == "create" && call.Name != "g/log" {
			return faultfs.ErrNoSpace
		}
		return nil
	})
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a","title":"one"}`)
	failing.Store(true)
	if _, err := g.Commit(t.Context(), Explicit); err == nil {
		t.Fatal("the commit succeeded")
	}
	receipt := mustAdd(t, g, `{"id":"b","title":"two"}`)
	if receipt.Sequence != 2 {
		t.Fatalf("promised %d", receipt.Sequence)
	}
	failing.Store(false)
	fs.PowerOff()
	abandon(g)
	again := fs.Restart(rand.New(rand.NewPCG(1, 1)), false)
	g = open(t, again, manual)
	if err := g.WaitFor(t.Context(), receipt.Sequence); err != nil {
		t.Fatal(err)
	}
	if found := mustDocuments(t, g); len(found) != 2 {
		t.Fatalf("found %v", found)
	}
}

// F1, F3 with everything at once: several clients, commits and merges in the
// background, and the power fails at a random call.
func TestPowerLossUnderLoad(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 11))
		stop := 30 + random.IntN(500)
		fs := faultfs.New(func(call faultfs.Call) error {
			if call.Number == stop {
				return faultfs.ErrPower
			}
			return nil
		})
		create(t, fs, books)
		g, err := Open(context.Background(), Storage{FS: fs, Directory: "g"},
			Options{MaxChanges: 6, MaxInterval: time.Millisecond, MergeFloor: 1 << 20, Memory: 1 << 14, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		histories := make([]*history, 3)
		var group sync.WaitGroup
		for client := range histories {
			h := newHistory()
			histories[client] = h
			random := rand.New(rand.NewPCG(seed, uint64(100+client)))
			group.Go(func() {
				for {
					key := fmt.Sprintf("c%d-%d", client, random.IntN(8))
					title := fmt.Sprintf("title %d", random.IntN(1_000_000))
					s := g.WriteStream()
					var state any = title
					var err error
					if random.IntN(5) == 0 {
						state = nil
						err = s.Delete(t.Context(), document.Key(key))
					} else {
						err = add(s, fmt.Sprintf(`{"id":%q,"title":%q,"editions":[{"isbn":"1"}]}`, key, title))
					}
					receipt, waited := s.Wait(t.Context())
					h.settle(map[string][]any{key: {state}}, errors.Join(err, waited))
					if err != nil || waited != nil {
						return
					}
					h.promised = max(h.promised, receipt.Sequence)
				}
			})
		}
		group.Wait()
		fs.PowerOff()
		abandon(g)
		all := newHistory()
		for _, h := range histories {
			maps.Copy(all.acknowledged, h.acknowledged)
			maps.Copy(all.possible, h.possible)
			all.promised = max(all.promised, h.promised)
		}
		for chance := range uint64(6) {
			after := fs.Restart(rand.New(rand.NewPCG(seed, chance)), chance == 0)
			if err := recovered(after, all); err != nil {
				t.Fatalf("seed %d, power lost at call %d, chance %d: %v", seed, stop, chance, err)
			}
		}
	}
}

// F6, I18: a generation whose log cannot be committed, because the disk is
// full, opens for searches, rejects writes, and recovers once there is space.
func TestOpeningOnAFullDisk(t *testing.T) {
	var full atomic.Bool
	fs := faultfs.New(func(call faultfs.Call) error {
		if full.Load() && (call.Op == "write" || call.Op == "create" || call.Op == "reserve") {
			return faultfs.ErrNoSpace
		}
		return nil
	})
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a"}`)
	mustCommit(t, g)
	receipt := mustAdd(t, g, `{"id":"b"}`)
	abandon(g)
	full.Store(true)
	g = open(t, fs, manual)
	if found := mustDocuments(t, g); len(found) != 1 || found["a"] == nil {
		t.Fatalf("found %v", found)
	}
	s := g.WriteStream()
	if err := add(s, `{"id":"c"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(t.Context()); !errors.Is(err, problem.StorageIoError) {
		t.Fatalf("got %v", err)
	}
	full.Store(false)
	mustCommit(t, g)
	if err := g.WaitFor(t.Context(), receipt.Sequence); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, g, `{"id":"d"}`)
	mustCommit(t, g)
	if found := mustDocuments(t, g); len(found) != 3 || found["b"] == nil || found["d"] == nil {
		t.Fatalf("found %v", found)
	}
}
