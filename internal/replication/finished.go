package replication

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/log"
)

// IsFinished reports whether the files of the stored manifest hold everything that
// the log does: after them the log has only fences. It changes nothing, so a writer
// that continues may make the answer outdated at once.
func (r *Remote) IsFinished(ctx context.Context) (bool, error) {
	held, err := r.Read(ctx, "")
	if err != nil {
		return false, err
	}
	for lsn := held.Manifest.LastLSN + 1; ; lsn++ {
		record, err := r.readBatch(ctx, lsn)
		if errors.Is(err, bucket.ErrNotFound) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		for _, operation := range record.Operations {
			if operation.Kind != log.Fence {
				return false, nil
			}
		}
	}
}
