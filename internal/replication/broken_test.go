package replication

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/vfs"
)

// broken is a bucket that breaks off in the middle of an object a number of times.
type broken struct {
	bucket.Bucket
	times atomic.Int64
}

func (b *broken) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	object, err := b.Bucket.Get(ctx, key, unless)
	if err != nil || b.times.Add(-1) < 0 {
		return object, err
	}
	content, err := io.ReadAll(object.Body)
	if err != nil {
		return object, err
	}
	object.Body = io.NopCloser(io.MultiReader(bytes.NewReader(content[:len(content)/2]), stopped{}))
	return object, nil
}

type stopped struct{}

func (stopped) Read([]byte) (int, error) {
	return 0, fmt.Errorf("no more came: %w", bucket.ErrUnknown)
}

// F9: a file, a manifest or a record that breaks off is requested again; one that
// never arrives whole fails the pull, and nothing of it is shown (I12).
func TestBytesThatStopComingAreAskedForAgain(t *testing.T) {
	b := &broken{Bucket: memory.New(nil)}
	d := create(t, b)
	n := d.open()
	must(t, n.add(0, 10))
	must(t, n.commit())
	must(t, n.add(10, 20))
	m := n.writer.Manifest()

	fs := vfs.Memory()
	b.times.Store(1 << 30)
	if err := New(b, d.id, grace).Pull(t.Context(), fs, "g", m, nil); !errors.Is(err, bucket.ErrUnknown) {
		t.Fatalf("a pull of files that never come whole: %v", err)
	}
	if names, err := fs.List("g"); err != nil || len(names) != 0 {
		t.Errorf("%v stays, %v", names, err)
	}
	b.times.Store(bucket.Tries - 1)
	must(t, New(b, d.id, grace).Pull(t.Context(), fs, "g", m, nil))

	b.times.Store(bucket.Tries - 1) // of the manifest that is fenced
	if anew := d.open(); anew.count() != 20 {
		t.Errorf("%d documents", anew.count())
	}
}
