package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/problem"
)

func (f *fixture) job(index string) reindex.Record {
	f.Helper()
	record, err := f.Reindex(f.Context(), parse(f, index))
	if err != nil {
		f.Fatal(err)
	}
	return record
}

// reach waits until the job of an index is in one of the phases.
func (f *fixture) reach(index string, phases ...reindex.Phase) reindex.Record {
	f.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		record := f.job(index)
		for _, phase := range phases {
			if record.Phase == phase {
				return record
			}
		}
		if record.Phase.IsFinished() || time.Now().After(deadline) {
			why := ""
			if record.Error != nil {
				why = *record.Error
			}
			f.Fatalf("job is %s (%s), want %v", record.Phase, why, phases)
		}
		time.Sleep(time.Millisecond)
	}
}

func (f *fixture) startJob(target, promote string) reindex.Record {
	f.Helper()
	record, err := f.StartReindex(f.Context(), reindex.Request{Target: parse(f, target), Promote: promote, StartedBy: "root"})
	if err != nil {
		f.Fatal(err)
	}
	return record
}

func manyBooks(count int) []string {
	documents := make([]string, count)
	for i := range documents {
		documents[i] = book(i, fmt.Sprint("name ", i))
	}
	return documents
}

func TestReindexCopiesAndPromotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		token := f.mustWrite("books", manyBooks(2500)...)
		f.mustPut("books@2", facets)
		accepted := f.startJob("books@2", reindex.Auto)
		if accepted.Phase != reindex.Pending || accepted.SourceDocuments != 2500 || *accepted.StartedBy != "root" || *accepted.Node != "n1" {
			t.Errorf("accepted %+v", accepted)
		}
		record := f.reach("books", reindex.Done)
		if record.DocumentsCopied != 2500 || record.Freshness == nil || record.FinishedAt == nil || *record.ID != *accepted.ID {
			t.Errorf("done %+v", record)
		}
		before, after := f.documents("books@1", token), f.documents("books", *record.Freshness)
		if !maps.Equal(before, after) || len(after) != 2500 {
			t.Errorf("%d documents became %d", len(before), len(after))
		}
		if d, _ := f.Describe(t.Context(), parse(t, "books")); d.Name.Generation != "2" {
			t.Errorf("live is %s", d.Name)
		}
		again, err := f.CancelReindex(t.Context(), parse(t, "books"))
		if err != nil || again.Phase != reindex.Done {
			t.Errorf("cancel of a finished job: %+v, %v", again, err)
		}
	})
}

func TestReindexStartConditions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		f.mustPut("books@2", facets)
		f.mustPut("books@full", books)
		f.mustWrite("books@full", book(1, "a"))
		f.mustPut("books@number", `{"fields":{"id":{"type":"int64","primaryKey":true}}}`)
		f.mustPut("books@keyless", `{"fields":{"name":{"type":"string"}}}`)
		f.mustPut("books@bare", `{"source":"none","fields":{"id":{"type":"string","primaryKey":true}}}`)
		f.mustPut("shop", books)
		for _, c := range []struct {
			target, from, promote string
			code                  *problem.Code
		}{
			{"books", "", "", problem.ReindexTargetGenerationRequired},
			{"books@2", "", "often", problem.ReindexPromoteInvalid},
			{"books@9", "", "", problem.IndexNotFound},
			{"books@1", "", "", problem.ReindexTargetIsLive},
			{"books@2", "shop", "", problem.ReindexSourceOtherIndex},
			{"books@2", "books@2", "", problem.ReindexSourceIsTarget},
			{"books@2", "books@9", "", problem.IndexNotFound},
			{"books@2", "Books", "", problem.IndexNameInvalid},
			{"books@2", "books@keyless", "", problem.IndexNoPrimaryKey},
			{"books@2", "books@bare", "", problem.DocumentSourceNotKept},
			{"books@number", "", "", problem.ReindexPrimaryKeyMismatch},
			{"books@keyless", "", "", problem.ReindexPrimaryKeyMismatch},
			{"books@full", "", "", problem.ReindexTargetNotEmpty},
		} {
			_, err := f.StartReindex(t.Context(), reindex.Request{Target: parse(t, c.target), From: c.from, Promote: c.promote})
			refused(t, fmt.Sprintf("%s from %q %q", c.target, c.from, c.promote), err, c.code)
		}
		_, err := f.Reindex(t.Context(), parse(t, "books"))
		refused(t, "after refused starts", err, problem.ReindexNotFound)
		f.startJob("books@2", reindex.Manual)
		_, err = f.StartReindex(t.Context(), reindex.Request{Target: parse(t, "books@2"), Promote: reindex.Auto})
		refused(t, "second job", err, problem.ReindexInProgress)
		_, err = f.write("books@2", book(1, "x"))
		refused(t, "write to the target", err, problem.ReindexTargetBusy)
		f.mustWrite("books", book(1, "x"))
		f.reach("books", reindex.Ready)
		_, err = f.Reindex(t.Context(), parse(t, "books@1"))
		refused(t, "job of another generation", err, problem.ReindexNotFound)
		if jobs, err := f.Reindexes(t.Context()); err != nil || len(jobs) != 1 {
			t.Errorf("jobs %v, %v", jobs, err)
		}
		cancelled, err := f.CancelReindex(t.Context(), parse(t, "books"))
		if err != nil || cancelled.Phase != reindex.Cancelled || cancelled.FinishedAt == nil {
			t.Errorf("cancelled %+v, %v", cancelled, err)
		}
		f.mustWrite("books@2", book(9, "x"))
		if err := f.Delete(t.Context(), parse(t, "books@2")); err != nil {
			t.Error(err)
		}
	})
}

func TestManualJobCatchesUpAndIsPromoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		f.mustWrite("books", manyBooks(20)...)
		f.mustPut("books@2", facets, func(p *Put) { p.Reindex, p.HasReindex = reindex.Manual, true })
		f.reach("books", reindex.Ready)
		if d, _ := f.Describe(t.Context(), parse(t, "books")); d.Name.Generation != "1" {
			t.Errorf("live is %s", d.Name)
		}
		f.mustWrite("books", book(3, "changed"), book(100, "new"))
		f.remove("books", "4")
		d, err := f.Promote(t.Context(), parse(t, "books@2"))
		if err != nil || !d.Live {
			t.Fatalf("%+v, %v", d, err)
		}
		if phase := f.job("books").Phase; phase != reindex.Done {
			t.Errorf("the job is %s when the promotion answered", phase)
		}
		got := f.documents("books", d.Freshness)
		if len(got) != 20 || got["3"] != book(3, "changed") || got["100"] == "" || got["4"] != "" {
			t.Errorf("promoted with %v", got)
		}
	})
}

func TestRefusedDocumentFailsTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "a"))
		f.mustPut("books@2", `{"fields":{"id":{"type":"string","primaryKey":true}}}`)
		f.startJob("books@2", reindex.Auto)
		record := f.reach("books", reindex.Failed)
		if record.Error == nil || record.FinishedAt == nil {
			t.Errorf("failed %+v", record)
		}
		f.mustWrite("books@2", `{"id":"1"}`)
		f.mustPut("books@3", books)
		f.startJob("books@3", reindex.Manual)
		f.reach("books", reindex.Ready)
		if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		_, err := f.Promote(t.Context(), parse(t, "books@3"))
		refused(t, "promotion after another one", err, problem.IndexGenerationLiveMoved)
		if record := f.job("books"); record.Phase != reindex.Failed {
			t.Errorf("answered in phase %s", record.Phase)
		}
	})
}

func TestDeletedTargetFailsTheJobAndDeletedIndexEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		f.mustPut("books@2", books)
		f.startJob("books@2", reindex.Manual)
		f.reach("books", reindex.Ready)
		if err := f.Delete(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		f.reach("books", reindex.Failed)
		f.mustPut("books@2", books)
		f.startJob("books@2", reindex.Manual)
		f.reach("books", reindex.Ready)
		if err := f.Delete(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		f.mustPut("books", books)
		_, err := f.Reindex(t.Context(), parse(t, "books"))
		refused(t, "job of a removed index", err, problem.ReindexNotFound)
	})
}

// writers change, add and delete documents until stopped. Each owns its keys and
// knows which writes were acknowledged.
type writers struct {
	mu    sync.Mutex
	model map[string]string
	errs  []error
	stop  chan struct{}
	done  sync.WaitGroup
}

func (f *fixture) load(count int, seed uint64) *writers {
	w := &writers{model: map[string]string{}, stop: make(chan struct{})}
	for i := range count {
		w.done.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for n := 0; ; n++ {
				select {
				case <-w.stop:
					return
				default:
				}
				time.Sleep(time.Duration(random.IntN(1000)) * time.Microsecond)
				key := fmt.Sprintf("w%d-%d", i, random.IntN(40))
				raw := fmt.Sprintf(`{"id":"%s","name":"v%d"}`, key, n)
				isDelete := random.IntN(4) == 0
				write := f.Write(parse(f, "books"))
				err := write.Do(context.Background(), func(g *generations.Generation, s *engine.WriteStream) error {
					if isDelete {
						return s.Delete(context.Background(), document.Key(key))
					}
					return add(g, s, raw)
				})
				_, finishErr := write.Finish(context.Background())
				w.mu.Lock()
				switch err := errors.Join(err, finishErr); {
				case err != nil:
					w.errs = append(w.errs, err)
				case isDelete:
					delete(w.model, key)
				default:
					w.model[key] = raw
				}
				w.mu.Unlock()
			}
		})
	}
	return w
}

func (w *writers) end() (map[string]string, []error) {
	close(w.stop)
	w.done.Wait()
	return w.model, w.errs
}

// Writes and deletes continue during a whole job: none is refused and none is lost.
func TestReindexUnderLoadLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		initial := manyBooks(3000)
		f.mustWrite("books", initial...)
		w := f.load(4, 1)
		for generation := 2; generation <= 4; generation++ {
			target := fmt.Sprintf("books@%d", generation)
			f.mustPut(target, facets, func(p *Put) { p.Reindex, p.HasReindex = reindex.Auto, true })
			f.reach("books", reindex.Done)
		}
		model, errs := w.end()
		if len(errs) > 0 {
			t.Fatalf("%d writes were refused, first: %v", len(errs), errs[0])
		}
		if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		got := f.documents("books", "")
		for i, raw := range initial {
			model[fmt.Sprint(i)] = raw
		}
		for key, want := range model {
			if got[key] != want {
				t.Errorf("%s is %q, want %q", key, got[key], want)
			}
		}
		if len(got) != len(model) {
			t.Errorf("%d documents, want %d", len(got), len(model))
		}
	})
}

// A node that stops in any phase continues the job when it starts again, and writes
// made meanwhile are in the target.
func TestJobResumesAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for round := range 12 {
			f := newFixture(t)
			f.mustPut("books", books)
			f.mustWrite("books", manyBooks(3000)...)
			f.mustPut("books@2", facets)
			f.startJob("books@2", reindex.Auto)
			for i := range 4 {
				f.mustWrite("books", book(5000+i, "during"), book(i, "changed"))
				time.Sleep(time.Duration(round) * time.Millisecond)
				f.restart()
			}
			token := f.mustWrite("books", book(9999, "last"))
			f.reach("books", reindex.Done)
			got := f.documents("books", token)
			if f.job("books").Phase != reindex.Done || len(got) != 3005 || got["0"] != book(0, "changed") {
				if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
					t.Fatal(err)
				}
				got = f.documents("books", "")
			}
			if len(got) != 3005 || got["0"] != book(0, "changed") || got["5003"] == "" || got["9999"] == "" {
				t.Fatalf("round %d: %d documents, %q", round, len(got), got["0"])
			}
			f.shut()
		}
	})
}

// A document that was deleted and added again since it was copied has the signal
// values of the source, none of its earlier ones.
func TestSignalsOfADocumentAddedAgainDoNotComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const counted = `{"fields":{"id":{"type":"string","primaryKey":true},"sold":{"type":"int64","signal":{}},"views":{"type":"int64","signal":{}}}}`
		f := newFixture(t)
		f.mustPut("books", counted)
		f.mustWrite("books", `{"id":"1","sold":377,"views":5}`)
		f.mustPut("books@2", counted, func(p *Put) { p.Reindex, p.HasReindex = reindex.Manual, true })
		f.reach("books", reindex.Ready)
		f.remove("books", "1")
		f.mustWrite("books", `{"id":"1","views":6}`)
		if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		r, err := f.Read(t.Context(), parse(t, "books"), freshness.Token{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		segment, doc, ok, err := r.Snapshot.LookupKey("1")
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		if sold, ok := segment.SignalValue(layout.Signal("sold"), doc); ok {
			t.Errorf("sold %d came back", sold)
		}
		if views, _ := segment.SignalValue(layout.Signal("views"), doc); views != 6 {
			t.Errorf("%d views", views)
		}
	})
}

// Values of signal fields are not part of a document's source; they come over
// nevertheless, and so does the order of whole-number keys.
func TestSignalsAndNumericKeysComeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const numbered = `{"fields":{"id":{"type":"int64","primaryKey":true},"sold":{"type":"double","signal":{}},"views":{"type":"int64","signal":{}}}}`
		f := newFixture(t)
		f.mustPut("books", numbered)
		var documents []string
		for i := range 1500 {
			documents = append(documents, fmt.Sprintf(`{"id":%d,"sold":%d.5}`, i-700, i))
		}
		f.mustWrite("books", documents...)
		f.mustPut("books@2", numbered)
		f.startJob("books@2", reindex.Auto)
		record := f.reach("books", reindex.Done)
		if record.DocumentsCopied != 1500 {
			t.Errorf("copied %d", record.DocumentsCopied)
		}
		r, err := f.Read(t.Context(), parse(t, "books"), freshness.Token{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, key := range []string{"-700", "0", "799"} {
			segment, doc, ok, err := r.Snapshot.LookupKey(key)
			if !ok || err != nil {
				t.Fatalf("%s: %v, %v", key, ok, err)
			}
			sold, ok := segment.SignalValue(layout.Signal("sold"), doc)
			if want, _ := strconv.Atoi(key); !ok || layout.FloatOf(sold) != float64(want+700)+0.5 {
				t.Errorf("%s sold %v, %v", key, layout.FloatOf(sold), ok)
			}
			if _, ok := segment.SignalValue(layout.Signal("views"), doc); ok {
				t.Errorf("%s has views", key)
			}
		}
	})
}
