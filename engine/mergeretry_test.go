package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

// fickle is a Publisher that fails uploads of merged files while it is away.
type fickle struct {
	publishing
	isAway  atomic.Bool
	uploads atomic.Int32
}

func (f *fickle) Upload(context.Context, manifest.File) error {
	f.uploads.Add(1)
	if f.isAway.Load() {
		return errors.New("the bucket is away")
	}
	return nil
}

func (f *fickle) Discard(string) {}

// A failed merge is retried without another commit, at growing intervals.
func TestAFailedMergeIsTriedAgain(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		f := &fickle{publishing: func(context.Context) error { return nil }}
		f.isAway.Store(true)
		options := manual
		options.NoMerges = false
		g := publishedBy(t, options, f)
		for i := range 20 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"volume"}`, i))
			mustCommit(t, g)
		}
		synctest.Wait()
		before, segments := f.uploads.Load(), segmentsOf(g)
		if before == 0 {
			t.Fatal("no merge was due")
		}
		<-time.After(time.Hour)
		synctest.Wait()
		if tries := f.uploads.Load() - before; tries < 10 || tries > 15 || segmentsOf(g) != segments {
			t.Errorf("%d tries in an hour, %d segments of %d", tries, segmentsOf(g), segments)
		}
		f.isAway.Store(false)
		<-time.After(2 * mostRetryWait)
		synctest.Wait()
		if segmentsOf(g) >= segments || !g.IsSettled() {
			t.Errorf("%d segments of %d, settled: %v", segmentsOf(g), segments, g.IsSettled())
		}
	})
}

// Merges that a full disk prevented are planned again when there is space.
func TestMergesGoOnWhenThereIsSpace(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		fs := faultfs.New(nil)
		fs.SetFree(5<<30, 100<<30)
		g := merging(t, fs, 5)
		fs.SetFree(1<<20, 100<<30)
		<-time.After(time.Hour)
		synctest.Wait()
		if n := segmentsOf(g); n != 5 {
			t.Fatalf("%d segments on a full disk", n)
		}
		fs.SetFree(5<<30, 100<<30)
		<-time.After(2 * mostRetryWait)
		synctest.Wait()
		if n := segmentsOf(g); n != 1 {
			t.Errorf("%d segments", n)
		}
	})
}
