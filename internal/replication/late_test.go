package replication

import (
	"context"
	"path"
	"testing"
	"testing/synctest"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
)

// stalling is a bucket that, while it stalls, does not show a manifest and holds
// writes of it back without an answer.
type stalling struct {
	bucket.Bucket
	stalls bool
	late   []func() // writes that were held back
}

func (b *stalling) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if b.stalls && path.Base(key) == "manifest" {
		return bucket.Object{}, bucket.ErrNotFound
	}
	return b.Bucket.Get(ctx, key, unless)
}

func (b *stalling) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if !b.stalls || path.Base(key) != "manifest" {
		return b.Bucket.PutIf(ctx, key, body, condition)
	}
	b.late = append(b.late, func() { _, _ = b.Bucket.PutIf(context.Background(), key, body, condition) })
	return bucket.Written{}, bucket.ErrUnknown
}

// I6, F23: a node restores an earlier copy, and the store applies that late, in
// place of a newer manifest that was lost since. This does not keep newer copies
// from being restored.
func TestACopyGivenBackLateDoesNotStay(t *testing.T) {
	// The compressor that all generations share must not be made inside a bubble.
	outside := create(t, memory.New(nil)).open()
	must(t, outside.add(0, 10))
	must(t, outside.commit())
	synctest.Test(t, func(t *testing.T) {
		d := create(t, memory.New(nil))
		n, remote, earlier := withEarlierCopy(t, d)
		b := &stalling{Bucket: d.bucket, stalls: true}
		if lack, err := New(b, d.id, grace).Restore(t.Context(), earlier, "g", n.writer.Manifest().Version); err == nil {
			t.Errorf("given back without an answer: %+v", lack)
		}
		must(t, n.add(10, 15))
		must(t, n.commit())
		d.lose("manifest")
		for _, apply := range b.late {
			apply()
		}
		if lack, err := remote.Restore(t.Context(), n.fs, "g", 0); err != nil || !lack.IsNothing() {
			t.Errorf("%+v, %v", lack, err)
		}
		if held, err := remote.Read(t.Context(), ""); err != nil || held.Manifest.Sequence != n.writer.Manifest().Sequence {
			t.Errorf("%+v, %v", held.Manifest, err)
		}
		if got := d.open().count(); got != 15 {
			t.Errorf("%d of 15 documents", got)
		}
	})
}
