package engine

import (
	"sync"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

// Nothing installs a snapshot once a generation is closed, whatever replaces the
// manifest at that moment: its files would stay open for ever.
func TestNoSnapshotAfterClose(t *testing.T) {
	for range 60 {
		fs := vfs.Memory()
		create(t, fs, books)
		g := open(t, fs, manual)
		s := g.WriteStream()
		if err := add(s, `{"id":"1","title":"a"}`); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		begun := make(chan struct{})
		group.Go(func() {
			for round := 0; ; round++ {
				err := g.StartTracking(t.Context())
				if err == nil {
					err = g.StopTracking(t.Context())
				}
				if round == 0 {
					close(begun)
				}
				if err != nil {
					return
				}
			}
		})
		<-begun
		if err := g.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		if view := g.Snapshot(); view != nil {
			t.Fatalf("a snapshot of commit %d after the close", view.Sequence)
		}
	}
}
