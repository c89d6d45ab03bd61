package engine

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

// tracked opens a generation that tracks changes.
func tracked(t *testing.T, fs vfs.FS) *Generation {
	t.Helper()
	create(t, fs, books)
	g := open(t, fs, manual)
	if err := g.StartTracking(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

// mostFiles bounds the tracked files that hold a number of keys.
func mostFiles(keys int) int { return leastMerged + bits.Len(uint(keys)) }

// A reindex that takes long under many commits leaves few files and each key about
// once, and nothing it tracked is lost, also when the generation is opened again.
func TestTrackedKeysOfManyCommitsAreMerged(t *testing.T) {
	fs := vfs.Memory()
	g := tracked(t, fs)
	want := make(map[string]bool)
	for i := range 150 {
		for _, key := range []string{"hot", fmt.Sprintf("k%d", i%40)} {
			mustAdd(t, g, fmt.Sprintf(`{"id":%q,"title":"%d"}`, key, i))
			want[key] = true
		}
		mustCommit(t, g)
	}
	check := func() {
		t.Helper()
		if difference := cmp.Diff(slices.Sorted(maps.Keys(want)), g.Changes(g.Sequence())); difference != "" {
			t.Error(difference)
		}
		held := 0
		files := g.Manifest().Tracking.Files
		for _, file := range files {
			held += file.Keys
		}
		if most := mostFiles(len(want)); len(files) > most || held > 2*len(want)+2*leastMerged {
			t.Errorf("%d files hold %d keys, of which %d are distinct", len(files), held, len(want))
		}
		names, err := fs.List("g")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, sideSuffix) && g.Manifest().File(name) == nil {
				t.Errorf("%s is left over", name)
			}
		}
	}
	check()
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Check(fs, "g"); err != nil {
		t.Fatal(err)
	}
	g = open(t, fs, manual)
	check()
	g.Forget(g.Sequence())
	if g.Backlog() != 0 {
		t.Errorf("%d keys are left", g.Backlog())
	}
}

// What a reindex asked for can be forgotten when it holds it, however many commits
// came meanwhile: they are not merged with it.
func TestTrackedKeysThatWereReportedAreNotMergedWithLaterOnes(t *testing.T) {
	g := tracked(t, vfs.Memory())
	commit := func(from, to int) (sequence uint64) {
		for i := from; i < to; i++ {
			mustAdd(t, g, fmt.Sprintf(`{"id":"k%03d"}`, i))
			sequence = mustCommit(t, g)
		}
		return sequence
	}
	first := commit(0, 5)
	if got := g.Changes(first); len(got) != 5 {
		t.Fatalf("reported %v", got)
	}
	commit(5, 60)
	if files := g.Manifest().Tracking.Files; len(files) > mostFiles(60)+5 {
		t.Errorf("%d files", len(files))
	}
	if got := g.Changes(first); len(got) != 5 {
		t.Errorf("reported %v", got)
	}
	g.Forget(first)
	left := g.Changes(g.Sequence())
	if len(left) != 55 || left[0] != "k005" {
		t.Errorf("left are %v", left)
	}
	last := g.Sequence()
	commit(60, 200)
	g.Forget(last)
	if got := g.Backlog(); got != 140 {
		t.Errorf("%d keys are left", got)
	}
	if files := g.Manifest().Tracking.Files; len(files) > mostFiles(200)+leastMerged {
		t.Errorf("%d files", len(files))
	}
}

// Rounds of a reindex under commits bring every key, and leave none.
func TestRoundsUnderCommitsReportEveryKey(t *testing.T) {
	g := tracked(t, vfs.Memory())
	const keys = 300
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range keys {
			s := g.WriteStream()
			if err := add(s, fmt.Sprintf(`{"id":"k%03d"}`, i)); err != nil {
				t.Error(err)
			}
			if _, err := s.Wait(context.Background()); err != nil {
				t.Error(err)
			}
			if _, err := g.Commit(context.Background(), Explicit); err != nil {
				t.Error(err)
			}
		}
	}()
	brought := make(map[string]bool)
	for isLast := false; !isLast; {
		select {
		case <-written:
			isLast = true
		default:
		}
		sequence := mustCommit(t, g)
		for _, key := range g.Changes(sequence) {
			brought[key] = true
		}
		g.Backlog()
		g.Forget(sequence)
	}
	if len(brought) != keys || g.Backlog() != 0 {
		t.Errorf("%d keys were brought, %d are left", len(brought), g.Backlog())
	}
}

// Tracked keys against a naive list, merged whenever they may be: every key of a
// commit is reported until it is forgotten, and no key is reported that no commit
// changed.
func TestMergedTrackedKeysAgreeWithAList(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		var (
			merging  = new(tracking)
			recorded = make(map[uint64][]string)
			sequence uint64
			next     uint64
			written  int
			total    int
		)
		width := 1 + random.IntN(60)
		for range 150 {
			switch random.IntN(20) {
			case 0:
				upTo := uint64(random.IntN(int(sequence) + 2))
				if random.IntN(2) == 0 {
					merging.report(upTo)
				}
				if random.IntN(2) == 0 {
					merging.forget(upTo)
					maps.DeleteFunc(recorded, func(at uint64, _ []string) bool { return at <= upTo })
				}
			case 1: // opened again
				again := new(tracking)
				for i, file := range merging.manifest().Files {
					again.add(file, merging.files[i].keys)
				}
				merging = again
			default:
				keys := make(map[string]bool)
				for range random.IntN(width) {
					keys[fmt.Sprint(random.IntN(2*width))] = true
				}
				sequence += 1 + uint64(random.IntN(2))
				changed := slices.Sorted(maps.Keys(keys))
				if due := merging.due(); len(due) > 0 {
					next++
					merged := mergeKeys(due)
					merged.File = fmt.Sprint("merged ", next)
					written += len(merged.keys)
					merging.replace(merged)
				}
				merging.add(manifest.TrackedFile{File: fmt.Sprint(sequence), Sequence: sequence, Keys: len(changed)}, changed)
				recorded[sequence] = changed
				total += len(changed)
			}
			upTo := uint64(random.IntN(int(sequence) + 2))
			got, all := make(map[string]bool), make(map[string]bool)
			for _, key := range distinct(merging.upTo(upTo)) {
				got[key] = true
			}
			for at, keys := range recorded {
				for _, key := range keys {
					all[key] = true
					if at <= upTo && !got[key] {
						t.Fatalf("seed %d: key %s of commit %d is lost", seed, key, at)
					}
				}
			}
			for _, key := range distinct(merging.upTo(sequence)) {
				delete(all, key)
			}
			if len(all) > 0 {
				t.Fatalf("seed %d: keys %v are lost", seed, all)
			}
		}
		if most := total * (bits.Len(uint(total)) + 1); written > most {
			t.Errorf("seed %d: %d keys were written for %d", seed, written, total)
		}
	}
}

// The keys of equal commits are written a logarithmic number of times, and the
// number of files grows as the logarithm.
func TestMergingTrackedKeysWritesLittle(t *testing.T) {
	const commits, keys = 4096, 10
	merging := new(tracking)
	written, most := 0, 0
	for i := range commits {
		if due := merging.due(); len(due) > 0 {
			merged := mergeKeys(due)
			written += len(merged.keys)
			merging.replace(merged)
		}
		changed := make([]string, keys)
		for k := range changed {
			changed[k] = fmt.Sprintf("%05d", i*keys+k)
		}
		merging.add(manifest.TrackedFile{Sequence: uint64(i + 1), Keys: keys}, changed)
		most = max(most, len(merging.files))
	}
	if factor := float64(written) / (commits * keys); factor > 11 || most > mostFiles(commits) {
		t.Errorf("each key was written %.1f times, into at most %d files", factor, most)
	}
}

// F3, I16: the power fails at each call while tracked keys are merged and
// forgotten; what was committed since the reindex began is still reported, unless
// it was forgotten before.
func TestPowerLossWhileTrackedKeysAreMerged(t *testing.T) {
	t.Parallel()
	const asks, forgets = leastMerged + leastMerged/2, 2 * leastMerged // when a round of a reindex begins and ends
	scenario := func(fs *faultfs.FS) (held map[string]bool, isTracking bool) {
		held = make(map[string]bool)
		g, err := Open(context.Background(), Storage{FS: fs, Directory: "g"}, manual)
		if err != nil {
			return held, false
		}
		defer g.Close(context.Background())
		if g.StartTracking(context.Background()) != nil {
			return held, false
		}
		var asked uint64
		for i := range 3 * leastMerged {
			key := fmt.Sprintf("k%d", i%(leastMerged+3))
			s := g.WriteStream()
			if add(s, fmt.Sprintf(`{"id":%q,"title":"%d"}`, key, i)) != nil {
				return held, true
			}
			if i%5 == 4 {
				_ = s.Delete(context.Background(), document.Key("k0"))
			}
			if _, err := s.Wait(context.Background()); err != nil {
				return held, true
			}
			sequence, err := g.Commit(context.Background(), Explicit)
			if err != nil {
				return held, true
			}
			held[key] = true
			switch i {
			case asks:
				g.Changes(sequence)
				asked = sequence
				clear(held)
			case forgets:
				g.Forget(asked)
			}
		}
		return held, true
	}
	quiet := faultfs.New(nil)
	create(t, quiet, books)
	before := quiet.Calls()
	if held, _ := scenario(quiet); len(held) == 0 {
		t.Fatal("the scenario fails without a fault")
	}
	for stop := before + 1; stop <= quiet.Calls(); stop++ {
		fs := faultfs.New(func(call faultfs.Call) error {
			if call.Number == stop {
				return faultfs.ErrPower
			}
			return nil
		})
		create(t, fs, books)
		held, isTracking := scenario(fs)
		for chance := range uint64(2) {
			after := fs.Restart(rand.New(rand.NewPCG(uint64(stop), chance)), chance == 0)
			g, err := Open(context.Background(), Storage{FS: after, Directory: "g"}, manual)
			if err != nil {
				t.Fatalf("power lost at call %d, chance %d: %v", stop, chance, err)
			}
			if isTracking && !g.IsTracking() {
				t.Errorf("power lost at call %d, chance %d: tracking is off", stop, chance)
			}
			reported := g.Changes(g.Sequence())
			for key := range held {
				if !slices.Contains(reported, key) {
					t.Errorf("power lost at call %d, chance %d: %s is lost, reported are %v", stop, chance, key, reported)
				}
			}
			if err := g.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			if _, err := Check(after, "g"); err != nil {
				t.Fatalf("power lost at call %d, chance %d: %v", stop, chance, err)
			}
		}
	}
}

// A merge of tracked keys that finds no space does not fail the commit.
func TestACommitDoesNotNeedTheMergeOfTrackedKeys(t *testing.T) {
	armed, refused := false, 0
	fs := faultfs.New(func(call faultfs.Call) error {
		// The first side file of a commit that only adds is the merged one.
		if armed && call.Op == "create" && strings.HasSuffix(call.Name, sideSuffix) {
			armed = false
			refused++
			return faultfs.ErrNoSpace
		}
		return nil
	})
	g := tracked(t, fs)
	for i := range leastMerged + 2 {
		mustAdd(t, g, fmt.Sprintf(`{"id":"k%d"}`, i))
		armed = i == leastMerged
		mustCommit(t, g)
	}
	if got := g.Backlog(); got != leastMerged+2 || refused != 1 {
		t.Errorf("%d keys are recorded, %d files were refused", got, refused)
	}
	if files := g.Manifest().Tracking.Files; len(files) != 2 {
		t.Errorf("%d files after the next commit", len(files))
	}
}
