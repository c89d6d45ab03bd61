package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/quiresearch/quire/client"
	defined "github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/query"
)

// cluster is three nodes over one bucket that forward writes to each other.
type cluster struct {
	nodes map[string]*process // by node id
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	variables := append(objectMode(t), "SERVICE_INDEXER_LEASE_DURATION=2s", "SERVICE_INDEXES_COMMIT_MAX_INTERVAL=200ms",
		"SERVICE_INDEXES_REFRESH_INTERVAL=200ms")
	c := &cluster{nodes: make(map[string]*process)}
	for _, id := range []string{"a", "b", "c"} {
		port := freePort(t)
		own := append([]string{"SERVICE_NODE_ID=" + id, "SERVICE_HTTP_PORT=" + port, "SERVICE_NODE_ADDRESS=http://127.0.0.1:" + port}, variables...)
		c.nodes[id] = start(t, t.TempDir(), own...)
	}
	return c
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// client returns a client of all nodes that uses the node first.
func (c *cluster) client(t *testing.T, first string) *client.Client {
	t.Helper()
	var others []string
	for id, p := range c.nodes {
		if id != first {
			others = append(others, p.base)
		}
	}
	made, err := client.New(c.nodes[first].base, rootKey, client.Nodes(others...), client.ReadYourWrites(), client.RetryFor(60*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (c *cluster) knows(asked, index string) bool {
	got, err := newCaller(c.nodes[asked]).send("GET", "/admin/indexes/"+index, "", "")
	return err == nil && got.status == 200
}

// writerOf asks a node which node writes an index.
func (c *cluster) writerOf(t *testing.T, asked, index string) string {
	t.Helper()
	got, err := newCaller(c.nodes[asked]).send("GET", "/admin/indexers", "", "")
	if err != nil || got.status != 200 {
		t.Fatalf("%v %v", got, err)
	}
	var body struct {
		Claims []struct{ Index, Node string }
	}
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatal(err)
	}
	for _, claim := range body.Claims {
		if claim.Index == index {
			return claim.Node
		}
	}
	return ""
}

// note is a document without a key: written twice, it exists twice.
type note struct {
	Number int `json:"number"`
}

// writes records the outcome of the writes to one index.
type writes struct {
	mu    sync.Mutex
	acked map[int]bool
	lost  map[int]error // unknown to the client whether they are stored
}

func (w *writes) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.acked)
}

// run adds documents with several concurrent writers.
func (w *writes) run(ctx context.Context, x *client.Index, all int, document func(int) any) {
	w.mu.Lock()
	w.acked, w.lost = make(map[int]bool), make(map[int]error)
	w.mu.Unlock()
	numbers := make(chan int)
	var writers sync.WaitGroup
	for range 3 {
		writers.Go(func() {
			for number := range numbers {
				_, err := x.Add(ctx, document(number))
				w.mu.Lock()
				if err != nil {
					w.lost[number] = err
				} else {
					w.acked[number] = true
				}
				w.mu.Unlock()
			}
		})
	}
	for number := range all {
		numbers <- number
	}
	close(numbers)
	writers.Wait()
}

// One of three nodes is killed while a client writes to an index with keys and to
// one without. Every acknowledged document exists once; without a key, a document
// whose write failed exists once or not at all.
func TestGoClientOutlivesANode(t *testing.T) {
	for _, killed := range []string{"the writer", "the node that forwards", "the third node"} {
		t.Run(killed, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			nodes := startCluster(t)
			for index, text := range map[string]string{"books": booksDefinition, "notes": `{"fields":{"number":{"type":"int32","filter":{},"sort":{}}}}`} {
				declared, err := defined.Parse([]byte(text), defined.Capabilities{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := nodes.client(t, "a").Index(index).Put(ctx, declared); err != nil {
					t.Fatal(err)
				}
			}
			for id := range nodes.nodes { // another node learns of an index within the refresh interval
				for _, index := range []string{"books", "notes"} {
					wait(t, time.Minute, id+" knows "+index, func() bool { return nodes.knows(id, index) })
				}
			}
			var writer string
			wait(t, time.Minute, "one node writes both", func() bool {
				writer = nodes.writerOf(t, "a", "books")
				return writer != "" && nodes.writerOf(t, "a", "notes") == writer
			})
			others := map[string][]string{"a": {"b", "c"}, "b": {"c", "a"}, "c": {"a", "b"}}[writer]
			first, victim, survivor := writer, writer, others[0]
			switch killed {
			case "the node that forwards":
				first, victim, survivor = others[0], others[0], writer
			case "the third node":
				first, victim, survivor = others[0], others[1], writer
			}

			const all = 150
			c := nodes.client(t, first)
			var books, notes writes
			var running sync.WaitGroup
			running.Go(func() {
				books.run(ctx, c.Index("books"), all, func(i int) any { return book{fmt.Sprint(i), "Volume", "Many", i} })
			})
			running.Go(func() { notes.run(ctx, c.Index("notes"), all, func(i int) any { return note{i} }) })
			wait(t, time.Minute, "a third of the writes", func() bool { return books.count() > all/3 && notes.count() > all/3 })
			nodes.nodes[victim].kill()
			running.Wait()

			if len(books.acked) != all {
				t.Errorf("%d of %d documents with keys were acknowledged: %v", len(books.acked), all, books.lost)
			}
			if _, err := c.Index("notes").Commit(ctx); err != nil {
				t.Error(err)
			}
			once(t, ctx, c.Index("books"), &books, func(document []byte) int {
				var b book
				_ = json.Unmarshal(document, &b)
				return b.Year
			})
			once(t, ctx, c.Index("notes"), &notes, func(document []byte) int {
				var n note
				_ = json.Unmarshal(document, &n)
				return n.Number
			})
			// A machine that stalls may cost a living writer its lease, too.
			if now := nodes.writerOf(t, survivor, "books"); now == "" || now == victim {
				t.Errorf("%s was killed, %s wrote books before and %q does now", victim, writer, now)
			}
			t.Logf("%d documents with keys acknowledged; %d without, %d not known", len(books.acked), len(notes.acked), len(notes.lost))
			for _, p := range nodes.nodes {
				p.sound(t)
			}
		})
	}
}

// once fails when a document exists twice, or an acknowledged one does not.
func once(t *testing.T, ctx context.Context, x *client.Index, w *writes, number func([]byte) int) {
	t.Helper()
	seen := make(map[int]int)
	for hit, err := range x.Hits(ctx, &query.Search{Limit: 100}) {
		if err != nil {
			t.Fatal(err)
		}
		seen[number(hit.Document)]++
	}
	for n, times := range seen {
		if _, tried := w.lost[n]; times > 1 || !tried && !w.acked[n] {
			t.Errorf("%s: document %d is there %d times", x.Name(), n, times)
		}
	}
	for n := range w.acked {
		if seen[n] == 0 {
			t.Errorf("%s: document %d was acknowledged and is gone", x.Name(), n)
		}
	}
}
