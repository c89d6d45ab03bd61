package replication

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
)

// HoldsDocuments reports whether the bucket holds anything that was written to the
// generation: a commit, or a log record other than a fence. It returns false for a
// manifest that is missing or damaged.
func (r *Remote) HoldsDocuments(ctx context.Context) (bool, error) {
	held, err := r.Read(ctx, "")
	switch {
	case errors.Is(err, ErrNoManifest), errors.Is(err, manifest.ErrCorrupt), errors.Is(err, manifest.ErrVersion):
		return false, nil
	case err != nil:
		return false, err
	case held.Manifest.Sequence > 0:
		return true, nil
	}
	listing, err := r.bucket.List(ctx, r.key("wal")+"/", "")
	if err != nil {
		return false, err
	}
	for _, entry := range listing.Entries {
		lsn, err := strconv.ParseUint(path.Base(entry.Key), 10, 64)
		if err != nil {
			continue
		}
		batch, err := r.readBatch(ctx, lsn)
		if err != nil {
			return false, err
		}
		for _, operation := range batch.Operations {
			if operation.Kind != log.Fence {
				return true, nil
			}
		}
	}
	return false, nil
}

// Erase deletes every object of a generation that is no longer listed, the manifest
// first and the objects named by last, in order, at the end.
func (r *Remote) Erase(ctx context.Context, last ...string) error {
	listing, err := r.bucket.List(ctx, r.key()+"/", "")
	if err != nil {
		return fmt.Errorf("erase generation %s: %w", r.id, err)
	}
	end := make([]string, len(last))
	for i, name := range last {
		end[i] = r.key(name)
	}
	keys := []string{r.manifestKey()}
	for _, entry := range listing.Entries {
		if entry.Key != r.manifestKey() && !slices.Contains(end, entry.Key) && strings.HasPrefix(entry.Key, r.key()+"/") {
			keys = append(keys, entry.Key)
		}
	}
	for _, key := range append(keys, end...) {
		if _, err := r.bucket.Delete(ctx, key, bucket.Always); err != nil && !errors.Is(err, bucket.ErrNotFound) {
			return fmt.Errorf("erase generation %s: %w", r.id, err)
		}
	}
	return nil
}
