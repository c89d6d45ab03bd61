package migrate

import (
	"context"
	"fmt"
	"log/slog"
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
		err := w.Do(t.Context(), func(g *generations.Generation, s *engine.Session) error {
			var found problem.List
			d := document.NewReader(g.Schema()).Read(fmt.Appendf(nil, `{"id":"%d"}`, i), problem.Path{}, &found)
			if err := found.Err(); err != nil {
				return err
			}
			return s.Add(d)
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
	r, err := n.Read(t.Context(), books, freshness.Token{})
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

	// Any request of the first tries fails; the move is run again until it is done.
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
