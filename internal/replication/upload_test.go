package replication

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/manifest"
)

// sent counts the files that are stored, and refuses them while refuses is set.
type sent struct {
	bucket.Bucket
	files   atomic.Int64
	refuses atomic.Bool
}

func (s *sent) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if strings.Contains(key, "/seg/") {
		if s.refuses.Load() {
			return bucket.Written{}, errors.New("refused")
		}
		s.files.Add(1)
	}
	return s.Bucket.PutIf(ctx, key, body, condition)
}

// A file that is stored ahead is neither stored again by the manifest that names it
// nor retired by earlier ones. One that is given up is swept like those of other
// failed pushes (F25, I11, I13).
func TestFilesStoredAheadOfTheirManifest(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	store := memory.New(c.time)
	b := &sent{Bucket: store}
	d := create(t, b)
	n := d.open()
	must(t, n.add(0, 3))
	must(t, n.commit())
	write := func(name string) manifest.File {
		file, err := n.fs.Create("g/" + name)
		must(t, err)
		_, err = file.Write([]byte(name))
		must(t, err)
		must(t, file.Close())
		body := bucket.Bytes([]byte(name))
		return manifest.File{Name: name, Size: body.Size, CRC32C: body.CRC32C}
	}
	isRetired := func(part string) bool {
		return slices.ContainsFunc(n.writer.Manifest().Retired, func(r manifest.Retired) bool { return strings.Contains(r.Key, part) })
	}
	named, dropped, failed := write("named.seg"), write("dropped.seg"), write("failed.seg")
	must(t, n.writer.Upload(t.Context(), named))
	must(t, n.writer.Upload(t.Context(), dropped))
	b.refuses.Store(true)
	if err := n.writer.Upload(t.Context(), failed); err == nil {
		t.Error("an upload that was refused succeeded")
	}
	b.refuses.Store(false)
	must(t, n.add(3, 5))
	must(t, n.commit()) // while they wait for their manifest
	if isRetired("named") || isRetired("dropped") || !isRetired("failed") {
		t.Errorf("the manifest retires %v", n.writer.Manifest().Retired)
	}
	before := b.files.Load()
	next := n.writer.Manifest().Next()
	next.Files = append(slices.Clone(next.Files), named)
	n.writer.Discard(dropped.Name)
	must(t, n.writer.Publish(t.Context(), next))
	if got := b.files.Load() - before; got != 0 {
		t.Errorf("%d files were stored again", got)
	}
	if isRetired("named") || !isRetired("dropped") {
		t.Errorf("the manifest retires %v", n.writer.Manifest().Retired)
	}
	c.now = c.now.Add(2 * grace)
	_, err := n.writer.Sweep(t.Context())
	must(t, err)
	listing, err := store.List(t.Context(), "g/"+d.id+"/seg/", "")
	must(t, err)
	if len(listing.Entries) != len(next.Files) {
		t.Errorf("%d files are left, the manifest names %d", len(listing.Entries), len(next.Files))
	}
	lack, err := New(b, d.id, grace).Check(t.Context(), nil)
	must(t, err)
	if !lack.IsNothing() {
		t.Errorf("the bucket lacks %+v", lack)
	}
}
