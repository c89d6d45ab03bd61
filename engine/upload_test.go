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
)

// ahead is a Publisher that uploads files ahead of the manifest and blocks until
// proceed is closed.
type ahead struct {
	publishing
	proceed   chan struct{}
	failure   error
	uploaded  []manifest.File
	discarded []string
}

func (a *ahead) Upload(_ context.Context, file manifest.File) error {
	<-a.proceed
	a.uploaded = append(a.uploaded, file)
	return a.failure
}

func (a *ahead) Discard(name string) { a.discarded = append(a.discarded, name) }

// threeSegments opens a generation with three committed segments over a publisher.
func threeSegments(t *testing.T, a *ahead) *Generation {
	t.Helper()
	a.publishing, a.proceed = func(context.Context) error { return nil }, make(chan struct{})
	g := published(t, manual, a.publishing)
	g.storage.Publisher = a
	for i := range 3 {
		mustAdd(t, g, fmt.Sprintf(`{"id":"%d"}`, i))
		if _, err := g.Commit(t.Context(), Explicit); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// A merge with a slow upload does not keep a commit waiting, and does not bring
// back what the commit deletes.
func TestCommitsDoNotWaitForTheUploadOfAMerge(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		a := &ahead{}
		g := threeSegments(t, a)
		view := g.Snapshot()
		defer view.Release()
		merged := make(chan error, 1)
		go func() { merged <- g.merge(t.Context(), view.Segments) }()
		synctest.Wait()
		s := g.WriteStream()
		if err := s.Delete(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustAdd(t, g, `{"id":"late"}`)
		if _, err := g.Commit(t.Context(), Explicit); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-merged:
			t.Fatalf("the merge did not wait for its upload: %v", err)
		default:
		}
		close(a.proceed)
		if err := <-merged; err != nil {
			t.Fatal(err)
		}
		now := g.Snapshot()
		defer now.Release()
		if len(now.Segments) != 2 || now.Documents != 4 { // a, 0, 2 and late
			t.Errorf("%d segments with %d documents", len(now.Segments), now.Documents)
		}
		if len(a.uploaded) != 1 || g.Manifest().File(a.uploaded[0].Name) == nil || len(a.discarded) != 0 {
			t.Errorf("uploaded %v, discarded %v", a.uploaded, a.discarded)
		}
	})
}

// A merge whose upload or exchange fails leaves no file, and discards what it
// uploaded.
func TestAMergeThatIsNotPublishedIsGivenUp(t *testing.T) {
	for _, isStored := range []bool{false, true} {
		a := &ahead{}
		g := threeSegments(t, a)
		close(a.proceed)
		away := errors.New("the bucket is away")
		want := 0
		if isStored {
			a.publishing, want = func(context.Context) error { return away }, 1
		} else {
			a.failure = away
		}
		view := g.Snapshot()
		err := g.merge(t.Context(), view.Segments)
		if !errors.Is(err, away) {
			t.Errorf("the merge: %v", err)
		}
		if len(a.discarded) != want {
			t.Errorf("discarded %v", a.discarded)
		}
		if _, err := g.fs.Size(g.path(a.uploaded[0].Name)); err == nil {
			t.Error("the file of the merge is still there")
		}
		view.Release()
	}
}

// A generation in a bucket settles too, but only by merges that its own writes paid
// for: a writer that only opened it re-uploads nothing.
func TestAGenerationInABucketSettles(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		a := &ahead{proceed: make(chan struct{}), publishing: func(context.Context) error { return nil }}
		close(a.proceed)
		options := manual
		options.NoMerges, options.MergeFloor = false, 1
		g := publishedBy(t, options, a)
		for i := range 200 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d"}`, i))
		}
		mustCommit(t, g)
		mustAdd(t, g, `{"id":"last"}`)
		mustCommit(t, g)
		<-time.After(2 * restBefore)
		synctest.Wait()
		if n := segmentsOf(g); n != 1 || len(a.uploaded) != 1 {
			t.Errorf("%d segments at rest, uploaded %v", n, a.uploaded)
		}
		g.merged.Add(1 << 30) // more than the flushed bytes pay for
		mustAdd(t, g, `{"id":"later"}`)
		mustCommit(t, g)
		<-time.After(time.Hour)
		synctest.Wait()
		if n := segmentsOf(g); n != 2 || len(a.uploaded) != 1 {
			t.Errorf("%d segments an hour later, uploaded %v", n, a.uploaded)
		}
		if err := g.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// A write that ends the rest during the upload of the merge leaves the segments
// unchanged; one that comes while the manifest is replaced does not end the merge.
func TestAWriteEndsTheUploadAtRest(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		var isReplacing atomic.Bool
		var replaced atomic.Int32
		proceed := make(chan struct{})
		a := &ahead{proceed: make(chan struct{}), publishing: func(ctx context.Context) error {
			if isReplacing.Load() {
				<-proceed
				replaced.Add(1)
			}
			return ctx.Err()
		}}
		options := manual
		options.NoMerges = false
		g := publishedBy(t, options, a)
		mustAdd(t, g, `{"id":"0"}`)
		mustCommit(t, g)
		before := segmentsOf(g)
		<-time.After(2 * restBefore)
		mustAdd(t, g, `{"id":"1"}`) // during the upload
		close(a.proceed)
		synctest.Wait()
		if n := segmentsOf(g); n != before {
			t.Errorf("%d segments of %d after a write during the upload", n, before)
		}
		mustCommit(t, g)
		isReplacing.Store(true)
		<-time.After(time.Minute)
		mustAdd(t, g, `{"id":"2"}`) // while the manifest is replaced
		close(proceed)
		synctest.Wait()
		if n := segmentsOf(g); n != 1 || replaced.Load() != 1 || g.Err() != nil {
			t.Errorf("%d segments after a write during the exchange, replaced %d times: %v", n, replaced.Load(), g.Err())
		}
		if err := g.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
