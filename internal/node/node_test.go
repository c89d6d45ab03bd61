package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

const (
	books  = `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string"}}}`
	facets = `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","filter":{},"facet":{}}}}`
)

// TestMain reads a document once before the tests, which run in bubbles of
// virtual time: what the process shares, such as compressor and decompressor of
// stored documents, must not be made inside one of them.
func TestMain(m *testing.M) {
	ctx := context.Background()
	n, err := Open(ctx, Storage{Bucket: memory.New(nil), FS: vfs.Memory()}, Options{}, nil, slog.New(slog.DiscardHandler))
	if err == nil {
		_, _, err = n.Put(ctx, Put{Name: registry.Name{Index: "books"}, Body: []byte(books)})
	}
	if err == nil {
		w := n.Write(registry.Name{Index: "books"})
		err = w.Do(ctx, func(g *generations.Generation, s *engine.Session) error {
			return errors.Join(add(g, s, book(1, "a")), add(g, s, book(2, "b"))) // two that differ are compressed
		})
		_, finishErr := w.Finish(ctx)
		err = errors.Join(err, finishErr)
	}
	if err == nil {
		_, err = n.Commit(ctx, registry.Name{Index: "books"})
	}
	if err == nil {
		var r *Reading
		if r, err = n.Read(ctx, registry.Name{Index: "books"}, freshness.Token{}); err == nil {
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

// fixture is a node over storage that outlives it.
type fixture struct {
	*testing.T
	bucket  bucket.Bucket
	fs      vfs.FS
	options Options
	synced  registry.Synced
	*Node
	stop func()
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{T: t, bucket: memory.New(nil), fs: vfs.Memory()}
	f.options = Options{NodeID: "n1", FreshnessWait: 10 * time.Second,
		Engine:  engine.Options{MaxInterval: -1, MaxChanges: -1, MinFree: -1, Workers: 1},
		Reindex: reindex.Options{CatchupInterval: 10 * time.Millisecond}}
	f.start()
	t.Cleanup(func() { f.shut() })
	return f
}

func (f *fixture) indexes() []IndexEntry {
	f.Helper()
	all, err := f.List(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return all
}

func (f *fixture) start() {
	f.Helper()
	n, err := Open(f.Context(), Storage{Bucket: f.bucket, FS: f.fs, Synced: f.synced}, f.options, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = n.Run(ctx, nil)
	}()
	f.Node = n
	f.stop = func() { cancel(); <-ended }
}

// shut ends the node in good order.
func (f *fixture) shut() {
	if f.Node == nil {
		return
	}
	f.stop()
	if err := f.Node.Close(context.Background()); err != nil {
		f.Error(err)
	}
	f.Node = nil
}

func (f *fixture) restart() { f.shut(); f.start() }

func parse(t testing.TB, text string) registry.Name {
	t.Helper()
	name, err := registry.ParseName(text)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func (f *fixture) put(name, body string, edit ...func(*Put)) (*Description, bool, error) {
	put := Put{Name: parse(f, name), Body: []byte(body), StartedBy: "root"}
	for _, e := range edit {
		e(&put)
	}
	return f.Put(f.Context(), put)
}

func (f *fixture) mustPut(name, body string, edit ...func(*Put)) *Description {
	f.Helper()
	d, _, err := f.put(name, body, edit...)
	if err != nil {
		f.Fatal(err)
	}
	return d
}

func add(g *generations.Generation, s *engine.Session, raw string) error {
	var found problem.List
	d := document.NewReader(g.Schema()).Read([]byte(raw), problem.Path{}, &found)
	if err := found.Err(); err != nil {
		return err
	}
	return s.Add(d)
}

func (f *fixture) write(name string, documents ...string) (string, error) {
	w := f.Write(parse(f, name))
	for _, raw := range documents {
		err := w.Do(f.Context(), func(g *generations.Generation, s *engine.Session) error { return add(g, s, raw) })
		if err != nil {
			_, _ = w.Finish(f.Context())
			return "", err
		}
	}
	return w.Finish(f.Context())
}

func (f *fixture) mustWrite(name string, documents ...string) string {
	f.Helper()
	token, err := f.write(name, documents...)
	if err != nil {
		f.Fatal(err)
	}
	return token
}

func (f *fixture) remove(name, key string) {
	f.Helper()
	w := f.Write(parse(f, name))
	err := w.Do(f.Context(), func(_ *generations.Generation, s *engine.Session) error { return s.Delete(document.Key(key)) })
	if _, finishErr := w.Finish(f.Context()); err != nil || finishErr != nil {
		f.Fatal(err, finishErr)
	}
}

// documents returns the documents a name answers from by key, at the state of a
// token.
func (f *fixture) documents(name, token string) map[string]string {
	f.Helper()
	found, err := f.tryDocuments(name, token)
	if err != nil {
		f.Fatal(err)
	}
	return found
}

func (f *fixture) tryDocuments(name, text string) (map[string]string, error) {
	var token freshness.Token
	if text != "" {
		var err error
		if token, err = freshness.Parse(text, problem.Path{}); err != nil {
			return nil, err
		}
	}
	r, err := f.Read(f.Context(), parse(f, name), token)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	found := make(map[string]string)
	keys, err := r.Snapshot.Keys("", false, false)
	if err != nil {
		return nil, err
	}
	for {
		key, segment, doc, ok := keys.Next()
		if !ok {
			return found, keys.Err()
		}
		raw, err := segment.Reader.Stored().Get(nil, doc)
		if err != nil {
			return nil, err
		}
		record, err := document.OpenRecord(raw)
		if err != nil {
			return nil, err
		}
		found[key] = string(document.AsSent(r.Schema).Append(nil, record, nil))
	}
}

func book(key int, name string) string { return fmt.Sprintf(`{"id":"%d","name":"%s"}`, key, name) }

func refused(t testing.TB, what string, err error, code *problem.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("%s: %v, want %v", what, err, code)
	}
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
		refused(t, "commit nobody was promised", err, problem.SearchFreshnessUnavailable)
		forged.Sequence, forged.Settings = 0, 7
		_, err = f.tryDocuments("books", forged.String())
		refused(t, "settings nobody stored", err, problem.SearchFreshnessUnavailable)
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
		r, err := f.Read(t.Context(), name, token)
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

		f.shut()
		f.synced = func(context.Context, registry.ID) (bool, error) { return true, nil }
		f.start()
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

// reluctant is a bucket that at times does not answer reads of the registry.
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

// A refresh that takes its time is told from one that does not come.
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
