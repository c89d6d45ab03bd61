package node

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

const (
	books  = `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string"}}}`
	facets = `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","filter":{},"facet":{}}}}`
)

// TestMain reads a document once before the tests, which run in bubbles of virtual
// time: what the process shares, such as the compressor and decompressor of stored
// documents, must not be made inside a bubble.
func TestMain(m *testing.M) {
	ctx := context.Background()
	n, err := Open(ctx, Storage{Bucket: memory.New(nil), FS: vfs.Memory()}, Options{}, nil, slog.New(slog.DiscardHandler))
	if err == nil {
		_, _, err = n.Put(ctx, Put{Name: registry.Name{Index: "books"}, Body: []byte(books)})
	}
	if err == nil {
		w := n.Write(registry.Name{Index: "books"})
		err = w.Do(ctx, func(g *generations.Generation, s *engine.WriteStream) error {
			return errors.Join(add(g, s, book(1, "a")), add(g, s, book(2, "b"))) // two that differ are compressed
		})
		_, finishErr := w.Finish(ctx)
		err = errors.Join(err, finishErr)
	}
	if err == nil {
		_, err = n.Commit(ctx, registry.Name{Index: "books"})
	}
	if err == nil {
		var r *IndexSnapshot
		if r, err = n.Read(ctx, registry.Name{Index: "books"}, freshness.Token{}, nil); err == nil {
			_, err = r.Snapshot.Segments[0].Reader.Stored().Get(nil, 0)
			r.Close()
		}
	}
	if err == nil {
		err = n.Close(ctx)
	}
	if err != nil {
		panic(err)
	}
	m.Run()
}

func TestIndexesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		d, created, err := f.put("books", books)
		if err != nil || !created || d.Name.String() != "books@1" || !d.Live || d.Status.State != "usable" || d.Status.EngineCompatibility != "unknown" {
			t.Fatalf("%+v, %v, %v", d, created, err)
		}
		token := f.mustWrite("books", book(1, "a"), book(2, "b"))
		if got := f.documents("books", token); len(got) != 2 {
			t.Fatalf("documents %v", got)
		}
		again, created, err := f.put("books", books)
		if err != nil || created || again.Version != d.Version {
			t.Fatalf("%+v, %v, %v", again, created, err)
		}
		f.mustPut("books@2", facets)
		if got := f.documents("books@2", ""); len(got) != 0 {
			t.Errorf("a new generation holds %v", got)
		}
		refused(t, "delete of the live generation", f.Delete(t.Context(), parse(t, "books@1")), problem.IndexGenerationIsLive)
		promoted, err := f.Promote(t.Context(), parse(t, "books@2"))
		if err != nil || promoted.Freshness == "" || !promoted.Live {
			t.Fatalf("%+v, %v", promoted, err)
		}
		if got := f.documents("books", promoted.Freshness); len(got) != 0 {
			t.Errorf("after the promotion %v", got)
		}
		if _, err := f.Promote(t.Context(), parse(t, "books@1")); err != nil {
			t.Fatal(err)
		}
		if got := f.documents("books", promoted.Freshness); len(got) != 2 {
			t.Errorf("after rolling back %v", got)
		}
		f.restart()
		if got := f.documents("books", ""); len(got) != 2 {
			t.Errorf("after a restart %v", got)
		}
		if err := f.Delete(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		_, err = f.Describe(t.Context(), parse(t, "books@2"))
		refused(t, "deleted", err, problem.IndexNotFound)
		if left, _ := f.fs.List("generations"); len(left) != 0 {
			t.Errorf("local data stays: %v", left)
		}
		f.mustPut("books", books)
		if got := f.documents("books", ""); len(got) != 0 {
			t.Errorf("created again with %v", got)
		}
		_, err = f.tryDocuments("books", token)
		refused(t, "token of the deleted index", err, problem.SearchFreshnessIndexMismatch)
	})
}

func TestPutChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		matches := func(version string) func(*Put) {
			return func(p *Put) { p.Matches = func(v string) bool { return version == "*" || v == version } }
		}
		filling := func(mode string) func(*Put) { return func(p *Put) { p.Reindex, p.HasReindex = mode, true } }
		_, _, err := f.put("books@1", "{")
		refused(t, "generation of an unknown index", err, problem.IndexNotFound)
		_, _, err = f.put("books", "{")
		refused(t, "malformed", err, problem.RequestBodyMalformed)
		_, _, err = f.put("books", books, matches("*"))
		refused(t, "If-Match on an absent index", err, problem.IndexNotFound)
		_, _, err = f.put("books", books, filling("auto"))
		refused(t, "reindex on an index", err, problem.IndexGenerationReindexWithoutCreation)
		_, _, err = f.put("books", books, filling("often"))
		refused(t, "reindex of another kind", err, problem.ReindexPromoteInvalid)
		if len(f.indexes()) != 0 {
			t.Fatalf("refused requests left %v", f.indexes())
		}
		d := f.mustPut("books", books)
		_, _, err = f.put("books", facets, matches("0000000000000000"))
		refused(t, "another version", err, problem.IndexVersionMismatch)
		f.mustPut("books", facets, matches(d.Version))
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "a"))
		_, _, err = f.put("books", facets)
		refused(t, "incompatible over uncommitted documents", err, problem.IndexDefinitionIncompatible)
		if found := problem.All(err)[0]; len(found.Details) != 2 || found.Details[0].Code != problem.IndexDefinitionUsageAdded {
			t.Errorf("details %v", found.Details)
		}
		f.mustPut("books", facets, func(p *Put) { p.AllowStale = true })
		f.remove("books", "1")
		f.mustPut("books", books)
		f.mustPut("books", facets)
		_, _, err = f.put("books", books, filling("manual"))
		refused(t, "reindex without creation", err, problem.IndexGenerationReindexWithoutCreation)
		_, _, err = f.put("books@2", `{"fields":{"id":{"type":"int64","primaryKey":true}}}`, filling("manual"))
		refused(t, "reindex to another key", err, problem.ReindexPrimaryKeyMismatch)
		if len(f.indexes()[0].Generations) != 1 {
			t.Error("a refused reindex left its generation")
		}
	})
}

func TestFreshnessIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		f.mustPut("shop", books)
		first := f.mustWrite("books", book(1, "a"))
		second := f.mustWrite("books", book(2, "b"))
		if got := f.documents("books", ""); len(got) != 0 {
			t.Errorf("visible before a commit: %v", got)
		}
		if got := f.documents("books", first); len(got) == 0 {
			t.Error("the write of the token is missing")
		}
		if got := f.documents("books", second); len(got) != 2 {
			t.Errorf("the writes of the token: %v", got)
		}
		_, err := f.tryDocuments("shop", first)
		refused(t, "token of another index", err, problem.SearchFreshnessIndexMismatch)
		forged, err := freshness.Parse(first, problem.Path{})
		if err != nil {
			t.Fatal(err)
		}
		forged.Sequence += 1000
		_, err = f.tryDocuments("books", forged.String())
		refused(t, "commit that was not promised", err, problem.SearchFreshnessUnavailable)
		unreached(t, "commit that was not promised", err, "no writer has promised it")
		forged.Sequence, forged.Settings = 0, 7
		_, err = f.tryDocuments("books", forged.String())
		unreached(t, "settings that were not stored", err, "settings of that version were never stored")
		token := f.mustWrite("books")
		if got := f.documents("books", token); len(got) != 2 {
			t.Errorf("token of nothing written: %v", got)
		}
	})
}

func TestSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", facets)
		name := parse(t, "books")
		_, err := f.ReadSettings(t.Context(), name)
		refused(t, "none yet", err, problem.SettingsNotFound)
		_, err = f.ReadSettings(t.Context(), parse(t, "absent"))
		refused(t, "no index", err, problem.IndexNotFound)
		any := func(string) bool { return true }
		_, _, err = f.PutSettings(t.Context(), name, any, []byte(`{}`))
		refused(t, "If-Match without settings", err, problem.SettingsNotFound)
		_, _, err = f.PutSettings(t.Context(), name, nil, []byte(`{"fields":{"id":{"suggest":{}}}}`))
		refused(t, "field without facet", err, problem.SettingsFieldsSuggestUnsupported)
		put, isFirst, err := f.PutSettings(t.Context(), name, nil, []byte(`{"fields":{"name":{"suggest":{}}}}`))
		if err != nil || !isFirst || put.Freshness == "" {
			t.Fatalf("%+v, %v, %v", put, isFirst, err)
		}
		_, _, err = f.PutSettings(t.Context(), name, func(v string) bool { return v != put.Version() }, []byte(`{}`))
		refused(t, "another version", err, problem.SettingsVersionMismatch)
		patched, isFirst, err := f.PatchSettings(t.Context(), name, nil, []byte(`{"fields.name.interpret":{}}`))
		if err != nil || isFirst || patched.Version() == put.Version() {
			t.Fatalf("%+v, %v, %v", patched, isFirst, err)
		}
		token, err := freshness.Parse(patched.Freshness, problem.Path{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Read(t.Context(), name, token, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Settings == nil || r.Settings.Version() != patched.Version() {
			t.Errorf("a read at the token has settings %v", r.Settings)
		}
		r.Close()
		f.mustPut("books@2", books)
		if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		if held, err := f.ReadSettings(t.Context(), name); err != nil || held.Version() != patched.Version() {
			t.Errorf("settings after a promotion: %v, %v", held, err)
		}
		gone, err := f.DeleteSettings(t.Context(), name)
		if err != nil || gone == "" {
			t.Fatal(err)
		}
		if _, err := f.DeleteSettings(t.Context(), name); err != nil {
			t.Error(err)
		}
		_, err = f.ReadSettings(t.Context(), name)
		refused(t, "after the removal", err, problem.SettingsNotFound)
		if _, _, err := f.PutSettings(t.Context(), name, nil, []byte(`{"typoExclusions":{"l":{"words":["x"]}}}`)); err != nil {
			t.Fatal(err)
		}
		if err := f.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		f.mustPut("books", books)
		_, err = f.ReadSettings(t.Context(), name)
		refused(t, "settings of a removed index", err, problem.SettingsNotFound)
	})
}

func TestDeletionInterruptedByACrashIsFinishedAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "a"))
		if _, err := f.registry.RemoveIndex(t.Context(), parse(t, "books"), time.Now()); err != nil {
			t.Fatal(err)
		}
		f.restart()
		if left, _ := f.fs.List("generations"); len(left) != 0 {
			t.Errorf("local data stays: %v", left)
		}
		if len(f.registry.Removed()) != 0 {
			t.Errorf("still listed as removed: %v", f.registry.Removed())
		}
	})
}

func TestAuditAndRepairNeedASharedBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.mustPut("books", books)
		_, err := f.AuditRegistry(t.Context())
		refused(t, "audit in local mode", err, problem.IndexRegistryAuditUnavailable)
		_, err = f.RepairRegistry(t.Context(), registry.RepairRequest{})
		refused(t, "repair in local mode", err, problem.IndexRegistryAuditUnavailable)
		if mode := f.StorageMode(); mode != "local" {
			t.Errorf("storage mode %q of a node by itself", mode)
		}

		f = sharedNode(t, memory.New(nil), vfs.Memory(), "a")
		if mode := f.StorageMode(); mode != "object" {
			t.Errorf("storage mode %q of a node on a bucket", mode)
		}
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		f.mustPut("shop", books)
		f.mustPut("shop@2", books)
		if err := f.Delete(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		audit, err := f.AuditRegistry(t.Context())
		if err != nil || len(audit.Indexes) != 2 || audit.Indexes[0].RemovedAt == nil || audit.Indexes[0].Registered || !audit.Indexes[1].Registered {
			t.Fatalf("%+v, %v", audit, err)
		}
		done, err := f.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true, Restore: []registry.Name{parse(t, "books")}})
		if err != nil || len(done.Restored) != 1 || len(done.Promoted) != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
		if d := f.indexes()[0]; d.Name != "books" || d.Live != "1" {
			t.Errorf("restored %+v", d)
		}
	})
}

// reluctant is a bucket that can stop answering reads of the registry.
type reluctant struct {
	bucket.Bucket
	waits atomic.Pointer[chan struct{}]
}

func (r *reluctant) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if wait := r.waits.Load(); wait != nil && key == "registry" {
		<-*wait
	}
	return r.Bucket.Get(ctx, key, unless)
}

// A slow refresh is distinguished from one that does not come.
func TestARefreshUnderWayIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &reluctant{Bucket: memory.New(nil)}
		f := &fixture{T: t, bucket: store, fs: vfs.Memory(), options: Options{Engine: engine.Options{MinFree: -1, Workers: 1}}}
		f.start()
		defer f.shut()
		synctest.Wait()
		if f.IsRefreshing() {
			t.Error("at rest")
		}
		wait := make(chan struct{})
		store.waits.Store(&wait)
		time.Sleep(10 * defaultRefreshInterval)
		if !f.IsRefreshing() {
			t.Error("during a refresh")
		}
		store.waits.Store(nil)
		close(wait)
		synctest.Wait()
		if f.IsRefreshing() {
			t.Error("after a refresh")
		}
	})
}
