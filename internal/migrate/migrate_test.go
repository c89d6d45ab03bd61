package migrate

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

var (
	quiet = slog.New(slog.DiscardHandler)
	books = registry.Name{Index: "books"}
)

func open(t *testing.T, storage node.Storage) *node.Node {
	t.Helper()
	n, err := node.Open(t.Context(), storage, node.Options{FreshnessWait: 5 * time.Second,
		Engine: engine.Options{MinFree: -1, Workers: 1, MaxInterval: -1}}, nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func fill(t *testing.T, n *node.Node, from, to int) {
	t.Helper()
	w := n.Write(books)
	for i := from; i < to; i++ {
		err := w.Do(t.Context(), func(g *generations.Generation, s *engine.WriteStream) error {
			var found problem.List
			d := document.NewReader(g.Schema()).Read(fmt.Appendf(nil, `{"id":"%d"}`, i), problem.Path{}, &found)
			if err := found.Err(); err != nil {
				return err
			}
			return s.Add(t.Context(), d)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// holds checks what a deployment shows.
func holds(t *testing.T, n *node.Node, documents int) {
	t.Helper()
	if _, err := n.Commit(t.Context(), books); err != nil {
		t.Fatal(err)
	}
	r, err := n.Read(t.Context(), books, freshness.Token{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Snapshot.Documents != documents || r.Settings == nil {
		t.Errorf("%d documents, want %d; settings %v", r.Snapshot.Documents, documents, r.Settings)
	}
	if err := n.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func object(t *testing.T, b bucket.Bucket, fs vfs.FS) node.Storage {
	t.Helper()
	member, err := ownership.Join(t.Context(), b, ownership.Options{Node: "n", Lease: time.Second, Candidate: true, Reclaim: true}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return node.Storage{Bucket: b, FS: fs, Object: &node.Object{Member: member}}
}

func TestADeploymentMovesThereAndBack(t *testing.T) {
	local, fs, remote := memory.New(nil), vfs.Memory(), memory.New(nil)
	n := open(t, node.Storage{Bucket: local, FS: fs})
	if _, _, err := n.Put(t.Context(), node.Put{Name: books, Body: []byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`)}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := n.PutSettings(t.Context(), books, nil, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	fill(t, n, 0, 40)
	holds(t, n, 40)

	// In the first attempts one request fails; the move is run again until it is
	// done.
	faulty := faultbucket.New(remote, nil)
	move := Move{Local: local, Remote: faulty, FS: fs, Engine: engine.Options{MinFree: -1, Workers: 1}, Lease: time.Millisecond, Log: quiet}
	tries := 0
	for failing := 3; ; failing += 3 {
		calls := 0
		faulty.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			calls++
			if calls == failing && c.Op == "get" {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		tries++
		if err := move.ToBucket(t.Context()); err == nil {
			break
		} else if tries > 30 {
			t.Fatal(err)
		}
	}
	faulty.SetPlan(nil)
	if err := move.ToBucket(t.Context()); err == nil {
		t.Error("a deployment was moved onto another")
	}

	n = open(t, object(t, remote, vfs.Memory())) // with an empty disk
	fill(t, n, 40, 50)
	holds(t, n, 50)

	back, disk := memory.New(nil), vfs.Memory()
	move = Move{Local: back, Remote: remote, FS: disk, Engine: engine.Options{MinFree: -1, Workers: 1}, Lease: time.Millisecond, Log: quiet}
	if err := move.FromBucket(t.Context()); err != nil {
		t.Fatal(err)
	}
	n = open(t, node.Storage{Bucket: back, FS: disk})
	fill(t, n, 50, 55)
	holds(t, n, 55)
}

func TestADeploymentThatRunsIsNotMoved(t *testing.T) {
	remote := memory.New(nil)
	n := open(t, object(t, remote, vfs.Memory()))
	defer n.Close(context.Background())
	move := Move{Local: memory.New(nil), Remote: remote, FS: vfs.Memory(), Lease: time.Second, Log: quiet}
	if err := move.FromBucket(t.Context()); err == nil {
		t.Error("the bucket of a running node was moved")
	}
}

// objects returns everything that a bucket holds below the prefixes.
func objects(t *testing.T, b bucket.Bucket, prefixes ...string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, prefix := range prefixes {
		listing, err := b.List(t.Context(), prefix, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range listing.Entries {
			content, _, err := bucket.ReadAll(t.Context(), b, entry.Key, "", 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			all[entry.Key] = string(content)
		}
	}
	return all
}

// shown returns the keys and documents of a generation at the state of a token.
func shown(t *testing.T, n *node.Node, name registry.Name, token string) map[string]string {
	t.Helper()
	parsed, err := freshness.Parse(token, problem.Path{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := n.Read(t.Context(), name, parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := make(map[string]string)
	keys, err := r.Snapshot.Keys("", false, false)
	if err != nil {
		t.Fatal(err)
	}
	for {
		key, segment, doc, ok := keys.Next()
		if !ok {
			break
		}
		raw, err := segment.Reader.Stored().Get(nil, doc)
		if err != nil {
			t.Fatal(err)
		}
		record, err := document.OpenRecord(raw)
		if err != nil {
			t.Fatal(err)
		}
		all[key] = string(document.AsSent(r.Schema).Append(nil, record, nil))
	}
	if r.Settings != nil {
		all["settings"] = string(r.Settings.JSON())
	}
	all["definition"] = r.Definition.Version()
	all["name"] = r.Name.String()
	return all
}

// Documents of every generation, settings, keys and jobs are the same after a move
// there and back, and tokens given before still hold.
func TestEverythingMovesThereAndBack(t *testing.T) {
	local, fs, remote := memory.New(nil), vfs.Memory(), memory.New(nil)
	n := open(t, node.Storage{Bucket: local, FS: fs})
	if _, _, err := n.Put(t.Context(), node.Put{Name: books, Body: []byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`)}); err != nil {
		t.Fatal(err)
	}
	second := books.At("2")
	if _, _, err := n.Put(t.Context(), node.Put{Name: second, Body: []byte(`{"fields":{"id":{"type":"string","primaryKey":true},"extra":{"type":"string","filter":{}}}}`)}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := n.PutSettings(t.Context(), books, nil, []byte(`{"typoExclusions":{"all":{"words":["w"]}}}`)); err != nil {
		t.Fatal(err)
	}
	fill(t, n, 0, 30)
	committed, err := n.Commit(t.Context(), books)
	if err != nil {
		t.Fatal(err)
	}
	token := committed.Freshness
	before := shown(t, n, books, token)
	if len(before) < 30 {
		t.Fatalf("%d entries", len(before))
	}
	if err := n.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	// Administration objects are copied as they are.
	for _, key := range []string{"keys", "jobs/0123"} {
		if _, err := local.PutIf(t.Context(), key, bucket.Bytes([]byte("content of "+key)), bucket.Absent()); err != nil {
			t.Fatal(err)
		}
	}
	prefixes := []string{"settings/", "jobs/", "keys"}
	engineOptions := engine.Options{MinFree: -1, Workers: 1}
	move := Move{Local: local, Remote: remote, FS: fs, Engine: engineOptions, Lease: time.Millisecond, Log: quiet}
	if err := move.ToBucket(t.Context()); err != nil {
		t.Fatal(err)
	}
	if there := objects(t, remote, prefixes...); !maps.Equal(there, objects(t, local, prefixes...)) || len(there) != 3 {
		t.Errorf("settings, jobs and keys in the bucket: %v", there)
	}
	back, disk := memory.New(nil), vfs.Memory()
	move = Move{Local: back, Remote: remote, FS: disk, Engine: engineOptions, Lease: time.Millisecond, Log: quiet}
	if err := move.FromBucket(t.Context()); err != nil {
		t.Fatal(err)
	}
	if there := objects(t, back, prefixes...); !maps.Equal(there, objects(t, local, prefixes...)) {
		t.Errorf("settings, jobs and keys in the directory: %v", there)
	}
	for _, b := range []bucket.Bucket{remote, back} {
		if _, err := b.Delete(t.Context(), "jobs/0123", bucket.Always); err != nil {
			t.Fatal(err)
		}
	}
	for name, storage := range map[string]node.Storage{"bucket": object(t, remote, vfs.Memory()), "directory": {Bucket: back, FS: disk}} {
		n := open(t, storage)
		if after := shown(t, n, books, token); !maps.Equal(before, after) {
			t.Errorf("the %s shows %v, it was %v", name, after, before)
		}
		if d, err := n.Describe(t.Context(), second); err != nil || d.Live || len(d.Generations) != 2 {
			t.Errorf("the second generation in the %s: %+v, %v", name, d, err)
		}
		if err := n.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// A source without a deployment, and a target that holds another one, are refused
// and stay as they are.
func TestRefusedMoves(t *testing.T) {
	empty := Move{Local: memory.New(nil), Remote: memory.New(nil), FS: vfs.Memory(), Lease: time.Millisecond, Log: quiet}
	if err := empty.ToBucket(t.Context()); err == nil {
		t.Error("nothing was moved into a bucket")
	}
	if err := empty.FromBucket(t.Context()); err == nil {
		t.Error("nothing was moved out of a bucket")
	}
	if left := objects(t, empty.Remote, ""); len(left) != 0 {
		t.Errorf("refused moves left %v", left)
	}
	local, fs := memory.New(nil), vfs.Memory()
	n := open(t, node.Storage{Bucket: local, FS: fs})
	if err := n.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	other := memory.New(nil)
	if err := open(t, object(t, other, vfs.Memory())).Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	before := objects(t, other, "")
	onto := Move{Local: local, Remote: other, FS: fs, Lease: time.Millisecond, Log: quiet}
	if err := onto.ToBucket(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "the bucket") {
		t.Errorf("a deployment was moved onto another: %v", err)
	}
	if err := onto.FromBucket(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "the directory") {
		t.Errorf("a deployment was moved onto another: %v", err)
	}
	if !maps.Equal(before, objects(t, other, "")) {
		t.Error("a refused move changed the bucket")
	}
}
