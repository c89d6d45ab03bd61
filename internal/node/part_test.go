package node

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
	"github.com/quiresearch/quire/problem"
)

// I17, R14: storage:io_error says that nothing was changed. If the first writes of a
// request are durable when a later one is refused, the answer is storage:unknown.
func TestARequestThatWasWrittenInPartIsUnknown(t *testing.T) {
	for _, test := range []struct {
		name    string
		written []string
		want    *problem.Code
	}{{"nothing before", nil, nil}, {"one before", []string{book(2, "two")}, problem.StorageUnknown}} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.shut()
			var isFull atomic.Bool
			begun, refuse := make(chan struct{}), make(chan struct{})
			f.fs = faultfs.New(func(call faultfs.Call) error {
				if isFull.Load() && call.Op == "write" && strings.HasSuffix(call.Name, ".log") {
					begun <- struct{}{}
					<-refuse
					isFull.Store(false)
					return faultfs.ErrNoSpace
				}
				return nil
			})
			f.start()
			f.mustPut("books", `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string"}}}`)
			f.mustWrite("books", book(1, "one"))
			w := f.Write(parse(t, "books"))
			err := w.Do(t.Context(), func(g *generations.Generation, s *engine.WriteStream) error {
				for _, raw := range test.written {
					if err := add(g, s, raw); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			f.mustWrite("books", book(3, "three")) // makes the writes of this request durable too
			isFull.Store(true)
			err = w.Do(t.Context(), func(g *generations.Generation, s *engine.WriteStream) error {
				other := g.WriteStream()
				if err := add(g, other, book(4, "four")); err != nil {
					return err
				}
				<-begun
				_, err := s.Update(t.Context(), "1", func(engine.Current) (*document.Document, error) {
					close(refuse)
					_, err := other.Wait(t.Context())
					refused(t, "a write to a full disk", err, problem.StorageIoError)
					var found problem.List
					d := document.NewReader(g.Schema()).Read([]byte(book(1, "changed")), problem.Path{}, &found)
					return d, found.Err()
				})
				return err
			})
			if !errors.Is(err, problem.StorageIoError) {
				t.Fatalf("a change that was prepared meanwhile: %v", err)
			}
			_, err = w.Finish(t.Context())
			if test.want == nil && err != nil || test.want != nil && (!errors.Is(err, test.want) || errors.Is(err, problem.StorageIoError)) {
				t.Errorf("answered %v", err)
			}
		})
	}
}
