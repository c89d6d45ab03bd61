package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// fixture is a node over storage that outlives it.
type fixture struct {
	*testing.T
	bucket  bucket.Bucket
	fs      vfs.FS
	options Options
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

func (f *fixture) isShared() bool {
	_, is := f.deployment.(*shared)
	return is
}

func (f *fixture) member() *ownership.Member { return f.deployment.(*shared).Member }

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
	n, err := Open(f.Context(), Storage{Bucket: f.bucket, FS: f.fs}, f.options, nil, slog.New(slog.DiscardHandler))
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

// shut stops the node in an orderly way.
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

func add(g *generations.Generation, s *engine.WriteStream, raw string) error {
	var found problem.List
	d := document.NewReader(g.Schema()).Read([]byte(raw), problem.Path{}, &found)
	if err := found.Err(); err != nil {
		return err
	}
	return s.Add(context.Background(), d)
}

func (f *fixture) write(name string, documents ...string) (string, error) {
	w := f.Write(parse(f, name))
	for _, raw := range documents {
		err := w.Do(f.Context(), func(g *generations.Generation, s *engine.WriteStream) error { return add(g, s, raw) })
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
	err := w.Do(f.Context(), func(_ *generations.Generation, s *engine.WriteStream) error {
		return s.Delete(context.Background(), document.Key(key))
	})
	if _, finishErr := w.Finish(f.Context()); err != nil || finishErr != nil {
		f.Fatal(err, finishErr)
	}
}

// documents returns the documents that a name answers from by key, at the state of
// a token.
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
	r, err := f.Read(f.Context(), parse(f, name), token, nil)
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

// unreached fails the test unless err gives this reason why the state of a token is
// missing.
func unreached(t testing.TB, what string, err error, reason string) {
	t.Helper()
	var p *problem.Problem
	if !errors.As(err, &p) || p.Code != problem.SearchFreshnessUnavailable || p.Arguments["reason"] != reason || p.Arguments["wait"] != "10000" {
		t.Errorf("%s: %v, want the reason that %s", what, err, reason)
	}
}

func refused(t testing.TB, what string, err error, code *problem.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("%s: %v, want %v", what, err, code)
	}
}
