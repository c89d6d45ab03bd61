package replication

import (
	"context"
	"errors"
	"fmt"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
)

// Import stores a generation that dir of fs holds and no node writes: its files,
// then its manifest, which the bucket must not have yet. It does not store what the
// log holds beyond the manifest. Importing the same state again changes nothing.
func (r *Remote) Import(ctx context.Context, fs vfs.FS, dir string) error {
	m, err := manifest.Read(fs, dir)
	if err != nil {
		return err
	}
	if m.Generation != r.id {
		return fmt.Errorf("import generation %s: the manifest is of %s: %w", r.id, m.Generation, manifest.ErrCorrupt)
	}
	// With the id of the generation as session, another attempt finds its files.
	w := r.newWriter(fs, dir, r.id)
	stored := *m
	stored.Session, stored.LowWaterMarks, stored.Retired = w.session, nil, nil
	stored.Files = append([]manifest.File(nil), m.Files...)
	for i := range stored.Files {
		stored.Files[i].Key = ""
	}
	if _, err := w.uploadMissing(ctx, &manifest.Manifest{}, &stored); err != nil {
		return fmt.Errorf("import generation %s: %w", r.id, err)
	}
	_, err = r.putManifest(ctx, &stored, bucket.Absent())
	if errors.Is(err, errLost) {
		return fmt.Errorf("import generation %s: the bucket holds another state of it", r.id)
	}
	return err
}
