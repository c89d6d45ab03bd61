package ownership

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/versioned"
)

// AwaitIdle returns when no node writes: none has a session, or the remaining
// sessions showed no beat for longer than a lease. It fails when one does.
func AwaitIdle(ctx context.Context, b bucket.Bucket, lease time.Duration, log *slog.Logger) error {
	store := versioned.New[leadership](b, objectKey, resource)
	before, err := store.Read(ctx)
	if err != nil {
		return fmt.Errorf("read the leadership: %w", err)
	}
	if len(before.Value.Sessions) == 0 {
		return nil
	}
	log.Info("nodes did not leave cleanly; waiting for a lease to learn whether they run", "lease", lease)
	timer := time.NewTimer(lease + lease/3)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	after, err := store.Read(ctx)
	if err != nil {
		return fmt.Errorf("read the leadership: %w", err)
	}
	if after.Version != before.Version {
		return errors.New("a node of the deployment runs; stop it first")
	}
	return nil
}
