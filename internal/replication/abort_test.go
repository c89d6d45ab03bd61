package replication

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
)

// refusingBucket refuses to write manifests while refuses is set.
type refusingBucket struct {
	bucket.Bucket
	refuses atomic.Bool
}

func (s *refusingBucket) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if s.refuses.Load() && path.Base(key) == "manifest" {
		return bucket.Written{}, errors.New("refused")
	}
	return s.Bucket.PutIf(ctx, key, body, condition)
}

// F25: the sweep removes everything that failed pushes left behind, in the session
// that left it and in later ones.
func TestAbortedPushesLeaveNothing(t *testing.T) {
	aborted := 1000
	if testing.Short() {
		aborted = 100
	}
	c := &clock{time.Unix(1_700_000_000, 0)}
	store := memory.New(c.time)
	b := &refusingBucket{Bucket: store}
	d := create(t, b)
	stored := func() (files int) {
		listing, err := store.List(t.Context(), "g/"+d.id+"/seg/", "")
		must(t, err)
		return len(listing.Entries)
	}
	n := d.open()
	must(t, n.add(0, 20))
	must(t, n.commit())
	for i := range aborted {
		if i%50 == 0 { // another session now and then
			n = d.open()
			must(t, n.add(0, 5)) // documents are replaced: the commit has side files
		}
		b.refuses.Store(true)
		if err := n.commit(); err == nil {
			t.Fatal("a refused commit succeeded")
		}
		b.refuses.Store(false)
	}
	if left := stored(); left < 2*len(n.writer.Manifest().Files) {
		t.Errorf("%d aborted pushes left %d files: nothing is tested", aborted, left)
	}
	must(t, n.commit())
	c.now = c.now.Add(grace / 2)
	if swept, err := n.writer.Sweep(t.Context()); err != nil || swept.Files != 0 {
		t.Errorf("swept %+v within the grace, %v", swept, err)
	}
	c.now = c.now.Add(grace)
	_, err := n.writer.Sweep(t.Context())
	must(t, err)
	if left, named := stored(), len(n.writer.Manifest().Files); left != named {
		t.Errorf("%d files are left, the manifest names %d", left, named)
	}
	must(t, n.add(20, 21))
	must(t, n.commit())
	if named := n.writer.Manifest().Retired; len(named) > 5 {
		t.Errorf("the manifest still lists %d files that are gone", len(named))
	}
	if got := d.open().count(); got != 21 {
		t.Errorf("%d of 21 documents", got)
	}
}

// F8: a record that arrives after another writer sealed the log is refused, and one
// that arrives before counts.
func TestLateAppends(t *testing.T) {
	for _, isBefore := range []bool{true, false} {
		c := &clock{time.Unix(1_700_000_000, 0)}
		b := faultbucket.New(memory.New(c.time), nil)
		d := create(t, b)
		old := d.open()
		must(t, old.add(0, 3))
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "put" && strings.Contains(c.Key, "/wal/") {
				return faultbucket.Late
			}
			return faultbucket.None
		})
		batch := make(chan error, 1)
		go func() { batch <- old.add(3, 4) }()
		for b.Late() == 0 {
			time.Sleep(time.Millisecond)
		}
		b.SetPlan(nil)
		want := 3
		if isBefore {
			b.Settle()
			want = 4
		}
		next := d.open()
		b.Settle()
		if err := <-batch; (err == nil) != isBefore {
			t.Errorf("settled before %v: the old writer got %v", isBefore, err)
		}
		if got := next.count(); got != want {
			t.Errorf("settled before %v: %d documents, want %d", isBefore, got, want)
		}
	}
}
