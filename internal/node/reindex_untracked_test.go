package node

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/reindex"
)

// jobless is a connection that writes no job record while it is off.
type jobless struct {
	bucket.Bucket
	off atomic.Bool
}

func (b *jobless) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if b.off.Load() && strings.HasPrefix(key, "jobs/") {
		return bucket.Written{}, bucket.ErrUnknown
	}
	return b.Bucket.PutIf(ctx, key, body, condition)
}

// I16, F31: the end of a job cannot be recorded and the node stops, so the job is
// resumed. The source stopped recording its changes when the job ended: the target
// must not be promoted without the writes since (seed 4500).
func TestAJobWhoseEndWasNotRecordedLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.shut()
		records := &jobless{Bucket: f.bucket}
		f.bucket = records
		f.start()
		f.mustPut("books", books)
		f.mustWrite("books", manyBooks(20)...)
		f.mustPut("books@2", books)
		f.startJob("books@2", reindex.Manual)
		f.reach("books", reindex.Ready)
		records.off.Store(true)
		_, _ = f.CancelReindex(t.Context(), parse(t, "books"))
		time.Sleep(time.Minute)
		f.mustWrite("books", book(3, "changed"))
		f.shut()
		records.off.Store(false)
		f.start() // the job is resumed
		f.mustWrite("books", book(100, "new"))
		f.reach("books", reindex.Failed)
		if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err) // a promotion by hand is what the caller asks for
		}
		if _, err := f.Promote(t.Context(), parse(t, "books@1")); err != nil {
			t.Fatal(err)
		}
		f.mustPut("books@3", books)
		f.startJob("books@3", reindex.Auto)
		f.reach("books", reindex.Done)
		if got := f.documents("books", *f.job("books").Freshness); len(got) != 21 || got["3"] != book(3, "changed") || got["100"] == "" {
			t.Errorf("the next job brought %v", got)
		}
	})
}
