package node

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// A read with a token on a node that does not write the index makes the writing
// node commit, so that the read waits for one hop and one pull. If that node does
// not answer, the read waits as before.
func TestATokenReadMakesTheWriterCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		writer, reader := sharedNode(t, b, vfs.Memory(), "a"), sharedNodeBy(t, b, vfs.Memory(), "b", false)
		writer.mustPut("books", books)
		read := func(text string, ask Ask) error {
			token, err := freshness.Parse(text, problem.Path{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := reader.Read(t.Context(), parse(t, "books"), token, ask)
			if err == nil {
				if r.Snapshot.Sequence < token.Sequence {
					t.Errorf("commit %d, not %d", r.Snapshot.Sequence, token.Sequence)
				}
				r.Close()
			}
			return err
		}
		asked := 0
		ask := func(ctx context.Context, address, text string) error {
			asked++
			if address != "http://a" {
				t.Errorf("asks %s", address)
			}
			token, err := freshness.Parse(text, problem.Path{})
			if err != nil {
				return err
			}
			r, err := writer.Read(ctx, parse(t, "books"), token, nil)
			if err == nil {
				r.Close()
			}
			return err
		}
		began := time.Now()
		if err := read(writer.mustWrite("books", book(1, "one")), ask); err != nil || asked != 1 || time.Since(began) > time.Second {
			t.Errorf("asked %d times, %v: %v", asked, time.Since(began), err)
		}
		failing := func(context.Context, string, string) error { asked++; return errors.New("unreachable") }
		if err := read(writer.mustWrite("books", book(2, "two")), failing); !errors.Is(err, problem.SearchFreshnessUnavailable) || asked != 2 {
			t.Errorf("asked %d times: %v", asked, err)
		}
	})
}
