package node

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// I14: a node in local mode whose registry was lost keeps the generations of its
// directory, and says so. Without such generations it says nothing.
func TestAnEmptyRegistryOverGenerationsIsReported(t *testing.T) {
	f := newFixture(t)
	f.mustPut("books", books)
	f.commitAll("books", book(1, "one"), book(2, "two"))
	f.shut()
	for _, c := range []struct {
		what   string
		bucket bucket.Bucket
		want   string
	}{
		{"the same registry", f.bucket, ""},
		{"an empty registry", memory.New(nil), "generations=1 documents=2"},
	} {
		var log strings.Builder
		n, err := Open(t.Context(), Storage{Bucket: c.bucket, FS: f.fs}, f.options, nil, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if logged := log.String(); strings.Contains(logged, "registry does not list") != (c.want != "") || !strings.Contains(logged, c.want) {
			t.Errorf("%s: logged %q", c.what, logged)
		}
		if all, err := n.generations.Local(); err != nil || len(all) != 1 {
			t.Errorf("%s: the directory holds %d generations, %v", c.what, len(all), err)
		}
	}
}

// answersNothing checks that a node that has not read its registry says so to every
// request that names an index or lists them.
func answersNothing(t *testing.T, f *fixture) {
	t.Helper()
	ctx, name := t.Context(), parse(t, "books")
	fails := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, problem.StorageIoError) || problem.All(err)[0].Arguments["resource"] != "registry" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f.IsReady() {
		t.Error("the node is ready")
	}
	_, err := f.List(ctx)
	fails("list", err)
	_, err = f.Describe(ctx, name)
	fails("describe", err)
	_, err = f.Read(ctx, name, freshness.Token{}, nil)
	fails("read", err)
	_, err = f.WriterAddress(ctx, "books", true)
	if f.isShared() {
		fails("writer", err)
	}
	for _, text := range []string{"books", "books@2", "other"} {
		_, _, err = f.put(text, books)
		fails("put "+text, err)
	}
	fails("delete", f.Delete(ctx, name))
	_, err = f.Promote(ctx, parse(t, "books@1"))
	fails("promote", err)
	_, err = f.Commit(ctx, name)
	fails("commit", err)
	_, err = f.Pull(ctx, name)
	fails("pull", err)
	w := f.Write(name)
	fails("write", w.Do(ctx, func(*generations.Generation, *engine.WriteStream) error { return nil }))
	_, err = w.Finish(ctx)
	fails("finish", err)
	_, _, err = f.DeleteAll(ctx, name)
	fails("delete all", err)
	_, err = f.ReadSettings(ctx, name)
	fails("read settings", err)
	_, _, err = f.PutSettings(ctx, name, nil, []byte(`{}`))
	fails("put settings", err)
	_, _, err = f.PatchSettings(ctx, name, nil, []byte(`{}`))
	fails("patch settings", err)
	_, err = f.DeleteSettings(ctx, name)
	fails("delete settings", err)
	_, err = f.StartReindex(ctx, reindex.Request{Target: parse(t, "books@2"), Promote: reindex.Auto})
	fails("reindex", err)
	_, err = f.Reindex(ctx, name)
	fails("job", err)
	_, err = f.Reindexes(ctx)
	fails("jobs", err)
	_, err = f.CancelReindex(ctx, name)
	fails("cancel", err)
	if f.isShared() {
		_, err = f.Indexers(ctx)
		fails("indexers", err)
	}
}

// I14: a node that starts while the registry cannot be read claims neither that an
// index exists nor that one is absent, changes nothing, keeps the indexes it writes
// and its local copies, and serves as soon as the registry can be read.
func TestANodeThatCannotReadTheRegistryAtItsStart(t *testing.T) {
	unreadable := func(c faultbucket.Call) faultbucket.Fault {
		if c.Key == "registry" && c.Op == "get" {
			return faultbucket.Unavailable
		}
		return faultbucket.None
	}
	synctest.Test(t, func(t *testing.T) {
		store, disk := memory.New(nil), vfs.Memory()
		b := faultbucket.New(store, nil)
		f := sharedNode(t, b, disk, "a")
		f.mustPut("books", books)
		f.mustPut("books@2", books)
		f.mustWrite("books", book(1, "one"), book(2, "two"))
		if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		// An unfinished job, which no write to its target may overtake.
		if _, err := f.StartReindex(t.Context(), reindex.Request{Target: parse(t, "books@2"), Promote: reindex.Manual}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault { // it dies without giving up what it writes
			if c.Key == "leadership" {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		f.stop()
		if err := f.Close(t.Context()); err == nil {
			t.Error("it gave up what it writes")
		}
		f.Node = nil
		before := stored(t, store)
		b.SetPlan(unreadable)
		f = sharedNode(t, b, disk, "a")
		answersNothing(t, f)
		time.Sleep(2 * time.Minute) // claims of unlisted indexes are given up after half a minute
		answersNothing(t, f)
		for key := range stored(t, store) {
			if _, was := before[key]; !was {
				t.Errorf("%s was written", key)
			}
		}
		if len(f.member().Held()) != 1 {
			t.Error("the index was given up")
		}
		if local, err := f.generations.Local(); err != nil || len(local) != 2 {
			t.Errorf("local copies: %v %v", local, err)
		}
		b.SetPlan(nil)
		time.Sleep(2 * time.Second)
		if !f.IsReady() {
			t.Fatal("the node is not ready although the registry can be read")
		}
		if _, err := f.write("books@2", book(9, "nine")); !errors.Is(err, problem.ReindexTargetBusy) {
			t.Errorf("a write to what a job fills: %v", err)
		}
		f.mustWrite("books", book(3, "three"))
		if got := f.documents("books", ""); len(got) != 2 {
			t.Errorf("documents %v", got)
		}
	})
}

// A request finds the registry as soon as it can be read.
func TestARequestBeginsANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(nil)
		f := sharedNode(t, store, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.shut()
		b := faultbucket.New(store, func(c faultbucket.Call) faultbucket.Fault {
			if strings.HasPrefix(c.Key, "registry") {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		f = sharedNode(t, b, vfs.Memory(), "b")
		b.SetPlan(nil)
		if _, err := f.Describe(t.Context(), parse(t, "books")); err != nil {
			t.Errorf("got %v", err)
		}
		if !f.IsReady() {
			t.Error("the node is not ready")
		}
	})
}

// A repair of a registry that was never read makes the node serve.
func TestARepairBeginsANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		f.shut()
		if _, err := b.PutIf(t.Context(), "registry", bucket.Bytes([]byte("garbage")), bucket.Always); err != nil {
			t.Fatal(err)
		}
		f = sharedNode(t, b, vfs.Memory(), "a")
		answersNothing(t, f)
		if _, err := f.RepairRegistry(t.Context(), registry.RepairRequest{PromoteNewest: true}); err != nil {
			t.Fatal(err)
		}
		if got := f.documents("books", ""); len(got) != 1 || !f.IsReady() {
			t.Errorf("after the repair: %v", got)
		}
	})
}

// stored returns every object.
func stored(t *testing.T, b bucket.Bucket) map[string]bucket.Tag {
	t.Helper()
	listing, err := b.List(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]bucket.Tag)
	for _, e := range listing.Entries {
		all[e.Key] = e.Tag
	}
	return all
}

// While the registry can be read but the jobs cannot, requests are refused at once:
// they do not ask the bucket one after the other.
func TestRequestsDoNotQueueForTheJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(nil)
		f := sharedNode(t, store, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.shut()
		asked := 0
		b := faultbucket.New(store, func(c faultbucket.Call) faultbucket.Fault {
			if strings.HasPrefix(c.Key, "jobs/") {
				asked++
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		f = sharedNode(t, b, vfs.Memory(), "b")
		before := asked
		for range 50 {
			if _, err := f.Describe(t.Context(), parse(t, "books")); !errors.Is(err, problem.StorageIoError) {
				t.Fatalf("got %v", err)
			}
		}
		if asked-before > 3 {
			t.Errorf("50 requests asked for the jobs %d times", asked-before)
		}
		b.SetPlan(nil)
		time.Sleep(2 * time.Second)
		if _, err := f.Describe(t.Context(), parse(t, "books")); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

// I19: the damaged job record of one index does not keep others from being served.
func TestADamagedJobRecordStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := memory.New(nil), vfs.Memory()
		f := sharedNode(t, b, disk, "a")
		f.mustPut("books", books)
		f.mustPut("films", books)
		entry, err := f.registry.Resolve(parse(t, "films"))
		if err != nil {
			t.Fatal(err)
		}
		f.mustWrite("books", book(1, "one"))
		f.stop()
		if err := f.generations.Close(t.Context()); err != nil { // it keeps its claims
			t.Fatal(err)
		}
		f.deployment.(*shared).life.End()
		f.deployment.(*shared).running.Wait()
		f.Node = nil
		if _, err := b.PutIf(t.Context(), "jobs/"+entry.Index.String(), bucket.Bytes([]byte("garbage")), bucket.Always); err != nil {
			t.Fatal(err)
		}
		f = sharedNode(t, b, disk, "a")
		time.Sleep(5 * time.Second)
		if !f.IsReady() {
			t.Fatal("the node is not ready")
		}
		if got := f.documents("books", ""); len(got) != 1 {
			t.Errorf("documents %v", got)
		}
		f.mustWrite("films", book(1, "one"))
	})
}

// I14, I18: a node that cannot read the registry gets no index to write, neither
// from a node that has more than its share nor from one that ended.
func TestANodeThatKnowsNoIndexGetsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(nil)
		a := sharedNode(t, store, vfs.Memory(), "a")
		names := []string{"books", "films", "songs", "plays"}
		for _, name := range names {
			a.mustPut(name, books)
		}
		b := faultbucket.New(store, func(c faultbucket.Call) faultbucket.Fault {
			if c.Key == "registry" {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		late := sharedNode(t, b, vfs.Memory(), "b")
		time.Sleep(3 * time.Minute)
		if held := late.member().Held(); len(held) != 0 {
			t.Errorf("a node that knows no index writes %v", held)
		}
		for _, name := range names {
			if address, err := a.WriterAddress(t.Context(), name, false); address != "" || err != nil {
				t.Errorf("%s is written at %q, %v", name, address, err)
			}
			a.mustWrite(name, book(1, name))
		}
		b.SetPlan(nil)
		time.Sleep(3 * time.Minute)
		if held := late.member().Held(); len(held) != 2 {
			t.Errorf("it writes %v when it knows the indexes", held)
		}
	})
}
