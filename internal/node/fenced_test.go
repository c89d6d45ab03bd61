package node

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// I23: a node that lost its index to another one without knowing gives no definite
// answer, even to requests that need no log record.
func TestAFencedWriterAnswersNothingDefinite(t *testing.T) {
	update := func(f *fixture, key string) error {
		w := f.Write(parse(f, "books"))
		found := true
		err := w.Do(f.Context(), func(_ *generations.Generation, s *engine.WriteStream) (err error) {
			found, err = s.Update(t.Context(), document.Key(key), func(engine.Current) (*document.Document, error) { return nil, errors.New("never") })
			return err
		})
		_, finish := w.Finish(f.Context())
		if err == nil && !found {
			err = problem.DocumentNotFound.New("key", key)
		}
		return errors.Join(finish, err)
	}
	for what, ask := range map[string]func(f *fixture) error{
		"delete by query that matches nothing": func(f *fixture) error {
			_, _, err := f.DeleteMatching(f.Context(), parse(f, "books"), func(*generations.Generation) engine.Resolve {
				return func(context.Context, *snapshot.Snapshot) ([]document.Key, error) { return nil, nil }
			})
			return err
		},
		"update of a missing document": func(f *fixture) error { return update(f, "2") },
		"a document that is refused": func(f *fixture) error {
			w := f.Write(parse(f, "books"))
			err := w.Do(f.Context(), func(*generations.Generation, *engine.WriteStream) error { return problem.DocumentNotAnObject.New() })
			_, finish := w.Finish(f.Context())
			return errors.Join(finish, err)
		},
		"no documents": func(f *fixture) error { _, err := f.Write(parse(f, "books")).Finish(f.Context()); return err },
		"the definition that it has": func(f *fixture) error {
			_, _, err := f.put("books", books)
			return err
		},
		"a commit of nothing": func(f *fixture) error { _, err := f.Commit(f.Context(), parse(f, "books")); return err },
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				under := memory.New(nil)
				cut := &cutBucket{Bucket: under, keys: "leadership"}
				former := sharedNode(t, cut, vfs.Memory(), "a")
				former.mustPut("books", books)
				former.mustWrite("books", book(1, "one"))
				if _, err := former.Commit(t.Context(), parse(t, "books")); err != nil {
					t.Fatal(err)
				}
				other := sharedNode(t, under, vfs.Memory(), "b")
				cut.off.Store(true)
				time.Sleep(25 * time.Second)
				other.mustWrite("books", book(2, "two"))
				if err := ask(former); !errors.Is(err, problem.IndexReadonly) {
					t.Errorf("%v", err)
				}
				cut.off.Store(false)
			})
		})
	}
}

// A request whose last write was stored needs no other proof.
func TestAStoredWriteIsProofEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		cut := &cutBucket{Bucket: under, keys: "/manifest"}
		f := sharedNode(t, cut, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		cut.off.Store(true)
		f.mustWrite("books", book(2, "two"))
		f.remove("books", "2")
		cut.off.Store(false)
	})
}
