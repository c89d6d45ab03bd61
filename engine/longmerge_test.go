package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/segment"
)

// mergeNow runs the most useful merge to its end, however long it is.
func mergeNow(g *Generation, damaged map[*segment.Reader]bool) (worth bool, err error) {
	state := &mergeState{damaged: damaged, mayBegin: true}
	worth, err = g.mergeOnce(context.Background(), state)
	if state.long != nil {
		err = <-state.long.done
		worth = g.endLong(context.Background(), state, err)
	}
	return worth, err
}

// firstSlow is a Publisher that uploads files ahead of the manifest. The first
// upload blocks until proceed is closed.
type firstSlow struct {
	publishing
	uploads chan string
	proceed chan struct{}
}

func (f *firstSlow) Upload(ctx context.Context, file manifest.File) error {
	f.uploads <- file.Name
	if len(f.uploads) > 1 {
		return nil
	}
	select {
	case <-f.proceed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *firstSlow) Discard(string) {}

// longDue opens a generation in which a long merge of ten segments is due and the
// first upload is slow.
func longDue(t *testing.T) (*Generation, *firstSlow) {
	t.Helper()
	f := &firstSlow{publishing: func(context.Context) error { return nil }, uploads: make(chan string, 100), proceed: make(chan struct{})}
	options := manual
	options.NoMerges, options.MergeFloor = false, 8<<10
	g := publishedBy(t, options, f)
	for i := range 10 {
		for j := range 500 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d-%d","title":"volume %d"}`, i, j, 7919*j%9973))
		}
		mustCommit(t, g)
	}
	synctest.Wait()
	return g, f
}

// longMerging opens a generation in which a long merge of ten segments waits for
// its upload.
func longMerging(t *testing.T) (*Generation, *firstSlow) {
	t.Helper()
	g, f := longDue(t)
	mustAdd(t, g, `{"id":"next"}`)
	synctest.Wait()
	view := g.Snapshot()
	defer view.Release()
	if len(f.uploads) != 1 || g.mergers.long == nil {
		t.Fatalf("%d uploads, %d segments, the first of %d bytes: no long merge waits", len(f.uploads), len(view.Segments), view.Segments[0].Reader.Size())
	}
	return g, f
}

// A long merge that the last commit made due does not run: the merge at rest would
// rewrite its documents.
func TestALongMergeIsLeftToTheRest(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		g, f := longDue(t)
		close(f.proceed)
		if n := len(f.uploads); n != 0 || g.IsSettled() {
			t.Errorf("%d merges before the rest, settled: %v", n, g.IsSettled())
		}
		<-time.After(2 * restBefore)
		synctest.Wait()
		if n := len(f.uploads); n != 1 || segmentsOf(g) != 1 || !g.IsSettled() {
			t.Errorf("%d merges at rest, %d segments, settled: %v", n, segmentsOf(g), g.IsSettled())
		}
	})
}

// A long merge that was put off runs at rest if no merge at rest replaces it.
func TestALongMergeThatWasPutOffRunsAtRest(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		options := manual
		options.NoMerges, options.MergeFloor, options.Workers = false, 1<<8, 1
		g := publishedBy(t, options, publishing(func(context.Context) error { return nil }))
		for i := range 500 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"volume %d"}`, i, 7919*i%9973))
		}
		mustCommit(t, g)
		s := g.WriteStream()
		for i := range 250 {
			if err := s.Delete(t.Context(), document.Key(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		mustWait(t, s)
		mustCommit(t, g)
		synctest.Wait()
		deleted := func() int {
			view := g.Snapshot()
			defer view.Release()
			n := 0
			for _, segment := range planOf(view, nil) {
				n += segment.Deleted
			}
			return n
		}
		if n := deleted(); n != 250 || g.IsSettled() || segmentsOf(g) != 1 {
			t.Fatalf("%d deleted documents of %d segments before the rest, settled: %v", n, segmentsOf(g), g.IsSettled())
		}
		<-time.After(2 * restBefore)
		synctest.Wait()
		if n := deleted(); n != 0 || !g.IsSettled() {
			t.Errorf("%d deleted documents at rest, settled: %v", n, g.IsSettled())
		}
	})
}

// While a long merge runs, the small segments of commits are still merged.
func TestSmallSegmentsDoNotWaitForALongMerge(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		g, f := longMerging(t)
		before := segmentsOf(g)
		for i := range 40 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"small-%d","title":"volume"}`, i))
			mustCommit(t, g)
			synctest.Wait()
		}
		if n := segmentsOf(g); n >= before+20 {
			t.Errorf("%d segments after 40 commits beside a long merge, %d before", n, before)
		}
		if len(f.uploads) < 2 {
			t.Error("nothing was merged beside the long merge")
		}
		s := g.WriteStream()
		for _, key := range []document.Key{"3-7", "small-5"} {
			if err := s.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		mustWait(t, s)
		mustCommit(t, g)
		close(f.proceed)
		synctest.Wait()
		view := g.Snapshot()
		defer view.Release()
		if view.Documents != 5000+40-2+2 { // publishedBy and longMerging add one each
			t.Errorf("%d documents", view.Documents)
		}
		if n := len(view.Segments); n > 20 {
			t.Errorf("%d segments after the long merge", n)
		}
	})
}

// Closing a generation while a long merge runs ends the merge, which leaves no
// file.
func TestCloseEndsALongMerge(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		g, f := longMerging(t)
		if err := g.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if name := <-f.uploads; g.Manifest().File(name) != nil {
			t.Error("the merge is in the manifest")
		} else if _, err := g.fs.Size(g.path(name)); err == nil {
			t.Error("the file of the merge is still there")
		}
	})
}
