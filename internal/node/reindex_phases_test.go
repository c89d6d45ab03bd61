package node

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/problem"
)

// gatedBucket lets a test act when a job has recorded a phase: the write of the
// record returns only when the gate is opened.
type gatedBucket struct {
	bucket.Bucket

	mu     sync.Mutex
	phase  reindex.Phase // whose first record is held back; empty: none
	stands chan struct{} // closed when the record is written
	open   chan struct{}
}

// hold closes the gate behind the next record of a phase. The returned function
// opens it.
func (b *gatedBucket) hold(phase reindex.Phase) (stands <-chan struct{}, open func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.phase, b.stands, b.open = phase, make(chan struct{}), make(chan struct{})
	return b.stands, sync.OnceFunc(func() { close(b.open) })
}

func (b *gatedBucket) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	written, err := b.Bucket.PutIf(ctx, key, body, condition)
	if err != nil || !strings.HasPrefix(key, "jobs/") {
		return written, err
	}
	content, _, readErr := bucket.ReadAll(ctx, b.Bucket, key, "", 1<<20)
	if readErr != nil {
		return written, readErr
	}
	b.mu.Lock()
	open := b.open
	held := b.phase != "" && bytes.Contains(content, fmt.Appendf(nil, `"phase":"%s"`, b.phase))
	if held {
		b.phase = ""
		close(b.stands)
	}
	b.mu.Unlock()
	if held {
		<-open
	}
	return written, nil
}

func newGatedFixture(t *testing.T) (*fixture, *gatedBucket) {
	f := newFixture(t)
	f.shut()
	gate := &gatedBucket{Bucket: f.bucket}
	f.bucket = gate
	f.options.Reindex.CatchupInterval, f.options.Reindex.MaxConcurrent = time.Hour, 1
	f.start()
	f.mustPut("books", books)
	f.mustWrite("books", manyBooks(2500)...)
	f.mustPut("books@2", facets)
	return f, gate
}

var unfinished = []reindex.Phase{reindex.Pending, reindex.Copying, reindex.Replaying, reindex.Ready, reindex.Promoting}

// at starts a job and waits until it is in a phase.
func (f *fixture) at(gate *gatedBucket, phase reindex.Phase) (open func()) {
	promote := reindex.Auto
	if phase == reindex.Ready {
		promote = reindex.Manual
	}
	if phase != reindex.Pending {
		stands, open := gate.hold(phase)
		f.startJob("books@2", promote)
		<-stands
		return open
	}
	// Another job holds the only slot.
	f.mustPut("other", books)
	f.mustPut("other@2", books)
	stands, open := gate.hold(reindex.Copying)
	f.startJob("other@2", promote)
	<-stands
	f.startJob("books@2", promote)
	return open
}

// F31: a job cancelled in any phase before the promotion ends as cancelled; one
// cancelled while it promotes ends one way or the other and says which. It leaves
// nothing behind: writes continue, and the next job works.
func TestJobIsCancelledInEveryPhase(t *testing.T) {
	for _, phase := range unfinished {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, gate := newGatedFixture(t)
				open := f.at(gate, phase)
				f.mustWrite("books", book(1, "during"))
				cancelled := make(chan reindex.Record)
				go func() {
					record, err := f.CancelReindex(t.Context(), parse(t, "books"))
					if err != nil {
						t.Error(err)
					}
					cancelled <- record
				}()
				synctest.Wait() // until the request is on its way
				open()
				record := <-cancelled
				live := "1"
				switch {
				case record.Phase == reindex.Done && phase == reindex.Promoting:
					live = "2"
				case record.Phase != reindex.Cancelled || record.FinishedAt == nil || record.Freshness != nil || record.Error != nil:
					t.Fatalf("cancelled in %s: %+v", phase, record)
				}
				token := f.mustWrite("books", book(2, "after"))
				if d, err := f.Describe(t.Context(), parse(t, "books")); err != nil || d.Name.Generation != live {
					t.Errorf("live is %v, %v", d, err)
				}
				if got := f.documents("books", token); len(got) != 2500 || got["1"] != book(1, "during") || got["2"] != book(2, "after") {
					t.Errorf("%d documents, %s %s", len(got), got["1"], got["2"])
				}
				f.mustPut("books@3", books)
				f.startJob("books@3", reindex.Auto)
				f.reach("books", reindex.Done)
				if got := f.documents("books", *f.job("books").Freshness); len(got) != 2500 || got["2"] != book(2, "after") {
					t.Errorf("the next job brought %d documents", len(got))
				}
			})
		})
	}
}

// F31: a node that stops in any phase continues in it when it starts again.
func TestJobResumesInEveryPhase(t *testing.T) {
	for _, phase := range unfinished {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, gate := newGatedFixture(t)
				open := f.at(gate, phase)
				f.mustWrite("books", book(1, "during"))
				f.remove("books", "7")
				stopped := make(chan struct{})
				go func() {
					defer close(stopped)
					f.stop()
				}()
				synctest.Wait()
				open()
				<-stopped
				f.stop = func() {}
				f.shut()
				f.start()
				if phase == reindex.Ready {
					f.reach("books", reindex.Ready)
					f.mustWrite("books", book(2, "after"))
					if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
						t.Fatal(err)
					}
				} else {
					f.mustWrite("books", book(2, "after"))
				}
				f.reach("books", reindex.Done)
				if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
					t.Fatal(err)
				}
				got := f.documents("books", "")
				if len(got) != 2499 || got["1"] != book(1, "during") || got["2"] != book(2, "after") || got["7"] != "" {
					t.Errorf("%d documents, %s %s %s", len(got), got["1"], got["2"], got["7"])
				}
				if d, err := f.Describe(t.Context(), parse(t, "books")); err != nil || d.Name.Generation != "2" {
					t.Errorf("live is %v, %v", d, err)
				}
			})
		})
	}
}

// F32: a job whose source or target is deleted has failed by the time the deletion
// answers, whatever its phase, and keeps nothing busy.
func TestDeletedGenerationFailsTheJobAtOnce(t *testing.T) {
	for _, phase := range unfinished[1:4] {
		for _, gone := range []string{"books@2", "books@1"} {
			t.Run(string(phase)+" "+gone, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f, gate := newGatedFixture(t)
					f.mustPut("books@4", books)
					open := f.at(gate, phase)
					if gone == "books@1" {
						if _, err := f.Promote(t.Context(), parse(t, "books@4")); err != nil {
							t.Fatal(err)
						}
					}
					deleted := make(chan error)
					go func() { deleted <- f.Delete(t.Context(), parse(t, gone)) }()
					synctest.Wait()
					open()
					if err := <-deleted; err != nil {
						t.Fatal(err)
					}
					record := f.job("books")
					if record.Phase != reindex.Failed || record.Error == nil || !strings.Contains(*record.Error, gone) {
						t.Fatalf("%+v", record)
					}
					f.mustPut("books@3", books)
					f.startJob("books@3", reindex.Auto)
					f.reach("books", reindex.Done)
				})
			})
		}
	}
}

// F32: of two promotions one wins; the job that lost says so.
func TestPromotionOfAnotherGenerationFailsTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, gate := newGatedFixture(t)
		f.mustPut("books@3", books)
		f.at(gate, reindex.Ready)()
		synctest.Wait()
		if _, err := f.Promote(t.Context(), parse(t, "books@3")); err != nil {
			t.Fatal(err)
		}
		_, err := f.Promote(t.Context(), parse(t, "books@2"))
		refused(t, "promotion after another", err, problem.IndexGenerationLiveMoved)
		if p := problem.All(err)[0]; p.Arguments["expected"] != "1" || p.Arguments["live"] != "3" {
			t.Errorf("arguments %v", p.Arguments)
		}
		if record := f.job("books"); record.Phase != reindex.Failed || record.Error == nil {
			t.Errorf("%+v", record)
		}
		if d, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil || !d.Live {
			t.Errorf("promotion of what a failed job left: %v", err)
		}
	})
}

// A caller that reads that a job is ready may promote at once, however long the job
// itself takes to return from writing its record.
func TestPromotionAtTheMomentTheJobIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, gate := newGatedFixture(t)
		open := f.at(gate, reindex.Ready)
		promoted := make(chan error)
		go func() {
			_, err := f.Promote(t.Context(), parse(t, "books@2"))
			promoted <- err
		}()
		synctest.Wait()
		open()
		if err := <-promoted; err != nil {
			t.Fatal(err)
		}
		if phase := f.job("books").Phase; phase != reindex.Done {
			t.Errorf("the job is %s", phase)
		}
	})
}
