package generations

import (
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/vfs"
)

// A copy that was closed while its generation changed keeps no files of earlier states.
// Otherwise a node that restarts or evicts copies would fill its disk.
func TestAReopenedCopyKeepsOnlyTheFilesItShows(t *testing.T) {
	b, disk, copies := memory.New(nil), vfs.Memory(), vfs.Memory()
	e := filled(t, b, disk)
	for round := range 3 {
		s := newShared(b, copies, theirs{})
		g := acquireToRead(t, s, e)
		names, err := copies.List(g.directory)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if isFile := strings.HasSuffix(name, ".seg") || strings.HasSuffix(name, ".side"); isFile && g.Manifest().File(name) == nil {
				t.Errorf("round %d: %s is on disk and not in the manifest", round, name)
			}
		}
		g.Release()
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		writer := newShared(b, disk, mine{})
		g = acquire(t, writer, e)
		add(t, g, `{"id":"a"}`)
		commit(t, g)
		g.Release()
		if err := writer.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
