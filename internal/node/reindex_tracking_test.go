package node

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

// tracking lists the open generations that track changes.
func (f *fixture) tracking() (names []string) {
	for _, g := range f.generations.Open() {
		if g.IsTracking() {
			names = append(names, g.Entry.Name.String())
		}
		g.Release()
	}
	return names
}

// F31: a job is cancelled while the disk takes no manifest, so its source goes on
// tracking, and then the power fails. The next start stops the tracking once the
// source is open, and leaves that of the next job alone.
func TestTrackingThatAJobLeftOnStopsAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		disk := faultfs.New(func(call faultfs.Call) error {
			if full.Load() && call.Op == "create" && strings.HasSuffix(call.Name, "/manifest.new") {
				return faultfs.ErrNoSpace
			}
			return nil
		})
		f := &fixture{T: t, bucket: memory.New(nil), fs: disk, options: Options{NodeID: "n1", FreshnessWait: 10 * time.Second,
			Engine:  engine.Options{MaxInterval: -1, MaxChanges: -1, MinFree: -1, Workers: 1},
			Reindex: reindex.Options{CatchupInterval: time.Hour}}}
		f.start()
		f.mustPut("books", books)
		f.mustWrite("books", manyBooks(20)...)
		f.mustPut("books@2", books)
		f.startJob("books@2", reindex.Manual)
		f.reach("books", reindex.Ready)
		full.Store(true)
		if record, err := f.CancelReindex(t.Context(), parse(t, "books")); err != nil || record.Phase != reindex.Cancelled {
			t.Fatalf("the job is %s, %v", record.Phase, err)
		}
		full.Store(false)
		if got := f.tracking(); len(got) != 1 {
			t.Fatalf("%v track changes", got)
		}
		disk.PowerOff()
		f.stop()
		_ = f.Node.Close(context.Background())

		f.fs = disk.Restart(rand.New(rand.NewPCG(1, 1)), false)
		f.start()
		defer f.shut()
		f.mustWrite("books", book(3, "changed"))
		if got := f.tracking(); len(got) != 1 {
			t.Fatalf("%v track changes", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := f.tracking(); len(got) != 0 {
			t.Errorf("%v track changes that no job needs", got)
		}
		f.mustPut("books@3", books)
		f.startJob("books@3", reindex.Manual)
		f.reach("books", reindex.Ready)
		f.mustWrite("books", book(4, "changed"))
		time.Sleep(5 * time.Minute)
		if got := f.tracking(); len(got) != 1 {
			t.Errorf("%v track changes during a job", got)
		}
		if _, err := f.Promote(t.Context(), parse(t, "books@3")); err != nil {
			t.Fatal(err)
		}
		record := f.reach("books", reindex.Done)
		if got := f.documents("books", *record.Freshness); len(got) != 20 || got["3"] != book(3, "changed") || got["4"] != book(4, "changed") {
			t.Errorf("the next job brought %v", got)
		}
	})
}
