package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// publishing is a shared storage whose results the test sets.
type publishing func(context.Context) error

func (p publishing) Publish(ctx context.Context, _ *manifest.Manifest) error { return p(ctx) }

// published opens a generation with one uncommitted write.
func published(t *testing.T, options Options, answer publishing) *Generation {
	t.Helper()
	return publishedBy(t, options, answer)
}

func publishedBy(t *testing.T, options Options, publisher Publisher) *Generation {
	t.Helper()
	fs := vfs.Memory()
	create(t, fs, books)
	g, err := Open(t.Context(), Storage{FS: fs, Directory: "g", Publisher: publisher}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = g.Close(ended)
	})
	mustAdd(t, g, `{"id":"a"}`)
	return g
}

func everything(_ context.Context, view *snapshot.Snapshot) ([]document.Key, error) {
	if view.Documents == 0 {
		return nil, nil
	}
	return []document.Key{"a"}, nil
}

// I20: an operation that needs a commit which fails returns a problem, and one that
// did nothing says so.
func TestWithoutACommitThereIsAProblem(t *testing.T) {
	narrow, err := definition.Parse([]byte(books), analysis.NewBuilder(analysis.Options{}).Capabilities())
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]func(*Generation) error{
		"commit": func(g *Generation) error { _, err := g.Commit(t.Context(), Explicit); return err },
		"delete": func(g *Generation) error { _, _, err := g.DeleteMatching(t.Context(), everything); return err },
		"define": func(g *Generation) error { return g.SetDefinition(t.Context(), narrow) },
		"track":  func(g *Generation) error { return g.StartTracking(t.Context()) },
	}
	for _, c := range []struct {
		name   string
		answer error
		codes  map[string]*problem.Code
	}{
		{"away", errors.New("no answer"), map[string]*problem.Code{"commit": problem.StorageIoError, "delete": problem.StorageIoError,
			"define": problem.StorageIoError, "track": problem.StorageIoError}},
		{"fenced", ErrFenced, map[string]*problem.Code{"commit": problem.IndexReadonly, "delete": problem.IndexReadonly,
			"define": problem.IndexReadonly, "track": problem.IndexReadonly}},
		{"unsettled", manifest.ErrUnsettled, map[string]*problem.Code{"commit": problem.StorageUnknown, "delete": problem.StorageIoError,
			"define": problem.StorageIoError, "track": problem.StorageUnknown}},
	} {
		for name, ask := range asks {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				g := published(t, manual, func(context.Context) error { return c.answer })
				if err := ask(g); !errors.Is(err, c.codes[name]) {
					t.Errorf("%v, want %s", err, c.codes[name].Name())
				}
			})
		}
	}
}

// A deletion by query gives up when the commit it needs does not come, and writes
// that waited behind it continue.
func TestADeletionDoesNotHoldWritesWithoutEnd(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		options := manual
		options.LogWait = 10 * time.Second
		isAway := make(chan struct{})
		g := published(t, options, func(ctx context.Context) error {
			select {
			case <-isAway:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		behind := make(chan error)
		go func() {
			synctest.Wait() // the deletion holds writes
			behind <- add(g.WriteStream(), `{"id":"b"}`)
		}()
		if _, _, err := g.DeleteMatching(t.Context(), everything); !errors.Is(err, problem.StorageIoError) {
			t.Errorf("the deletion: %v", err)
		}
		if err := <-behind; err != nil {
			t.Errorf("a write behind it: %v", err)
		}
		close(isAway)
		synctest.Wait()
		deleted, _, err := g.DeleteMatching(t.Context(), everything)
		if err != nil || deleted != 1 {
			t.Errorf("with the storage back %d were deleted: %v", deleted, err)
		}
	})
}

// When the storage does not say whether it has a new definition, the change is
// answered as soon as a write would be. Writes wait until it is settled, and it is
// in force then.
func TestADefinitionThatIsNotSettledIsAnswered(t *testing.T) {
	compressOutside(t)
	narrow, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`), analysis.NewBuilder(analysis.Options{}).Capabilities())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		options := manual
		options.LogWait = 10 * time.Second
		var isAway atomic.Bool
		stored := make(chan struct{})
		g := published(t, options, func(context.Context) error {
			if isAway.Load() {
				<-stored
			}
			return nil
		})
		if _, err := g.Commit(t.Context(), Explicit); err != nil {
			t.Fatal(err)
		}
		isAway.Store(true)
		began := time.Now()
		if err := g.SetDefinition(t.Context(), narrow); !errors.Is(err, problem.StorageUnknown) || time.Since(began) != options.LogWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		behind := make(chan error)
		go func() { behind <- add(g.WriteStream(), `{"id":"b"}`) }()
		synctest.Wait()
		select {
		case err := <-behind:
			t.Errorf("a write did not wait: %v", err)
		default:
		}
		close(stored)
		if err := <-behind; err != nil {
			t.Errorf("a write behind it: %v", err)
		}
		if g.Definition().Version() != narrow.Version() {
			t.Error("the definition is not in force")
		}
	})
}

// A change of the definition also gives up waiting for its turn to replace the
// manifest, which a commit may hold for as long as its upload takes.
func TestADefinitionDoesNotHoldWritesWithoutEnd(t *testing.T) {
	compressOutside(t)
	narrow, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true}}}`), analysis.NewBuilder(analysis.Options{}).Capabilities())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		options := manual
		options.LogWait = 10 * time.Second
		var g *Generation
		isFirst, uploaded := true, make(chan struct{})
		g = published(t, options, func(context.Context) error {
			if isFirst {
				isFirst = false
				go func() { // a commit comes next
					g.publishing.Lock()
					<-uploaded
					g.publishing.Unlock()
				}()
				synctest.Wait()
			}
			return nil
		})
		behind := make(chan error)
		go func() {
			time.Sleep(time.Second) // the change holds writes
			behind <- add(g.WriteStream(), `{"id":"b"}`)
		}()
		if err := g.SetDefinition(t.Context(), narrow); !errors.Is(err, problem.StorageIoError) {
			t.Errorf("the change: %v", err)
		}
		if err := <-behind; err != nil {
			t.Errorf("a write behind it: %v", err)
		}
		close(uploaded)
		if err := g.SetDefinition(t.Context(), narrow); err != nil || g.Definition().Version() != narrow.Version() {
			t.Errorf("afterwards: %v", err)
		}
	})
}
