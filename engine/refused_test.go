package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// heldLog answers an append when the test allows it.
type heldLog struct {
	Log
	begun   chan struct{}
	answers chan error // closed: every append succeeds
}

func (l *heldLog) Append(lsn uint64, payload []byte) error {
	l.begun <- struct{}{}
	if err := <-l.answers; err != nil {
		return err
	}
	return l.Log.Append(lsn, payload)
}

// I17: a change that was prepared on a document whose write is refused meanwhile
// does not bring it back.
func TestAChangeOfARefusedDocumentIsRefused(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	files, err := log.Open(fs, "g/log")
	if err != nil {
		t.Fatal(err)
	}
	held := &heldLog{Log: files, begun: make(chan struct{}, 8), answers: make(chan error, 1)}
	g, err := Open(t.Context(), Storage{FS: fs, Directory: "g", Log: held}, manual)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close(context.Background()) })
	t.Cleanup(func() { close(held.answers) })
	held.answers <- nil
	mustAdd(t, g, `{"id":"a","title":"one"}`)
	<-held.begun

	refused := g.WriteStream()
	if err := add(refused, `{"id":"a","title":"two"}`); err != nil {
		t.Fatal(err)
	}
	<-held.begun
	found, err := g.WriteStream().Update(t.Context(), "a", func(current Current) (*document.Document, error) {
		source, err := current.Source()
		if err != nil {
			return nil, err
		}
		held.answers <- fmt.Errorf("no space: %w", log.ErrNotWritten)
		if _, err := refused.Wait(t.Context()); !errors.Is(err, problem.StorageIoError) {
			t.Errorf("the write before: %v", err)
		}
		return read(g, string(source))
	})
	if !found || !errors.Is(err, problem.StorageIoError) {
		t.Errorf("the change of it: %v %v", found, err)
	}
	held.answers <- nil
	mustAdd(t, g, `{"id":"b"}`)
	mustCommit(t, g)
	if title := mustDocuments(t, g)["a"]["title"]; title != "one" {
		t.Errorf("the document is %v", title)
	}
}
