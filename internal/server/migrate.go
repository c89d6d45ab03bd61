package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket/localdir"
	"github.com/quiresearch/quire/internal/config"
	"github.com/quiresearch/quire/internal/migrate"
	"github.com/quiresearch/quire/internal/vfs"
)

// Migrate moves the stopped deployment of the directory into the bucket, or that of
// the bucket into the directory.
func Migrate(ctx context.Context, c *config.Config, toBucket bool, log *slog.Logger) (err error) {
	if c.Storage.IsLocal() {
		return fmt.Errorf("%w: SERVICE_STORAGE_MODE=object and the variables of the bucket must be set", ErrRefused)
	}
	lock, err := lockDirectory(c.Storage.LocalDirectory)
	if err != nil {
		return fmt.Errorf("%w: SERVICE_STORAGE_LOCAL_DIRECTORY: %w", ErrRefused, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	local, err := localdir.Open(filepath.Join(c.Storage.LocalDirectory, "bucket"))
	if err != nil {
		return fmt.Errorf("%w: SERVICE_STORAGE_LOCAL_DIRECTORY: %w", ErrRefused, err)
	}
	defer func() { err = errors.Join(err, local.Close()) }()
	remote, err := openBucket(c.Storage.Remote, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	builder, err := analysisBuilder(c.Node.LocaleDataDirectory)
	if err != nil {
		return err
	}
	move := migrate.Move{Local: local, Remote: remote, FS: vfs.OS(c.Storage.LocalDirectory), Lease: c.Indexer.LeaseDuration, Log: log,
		Engine: engine.Options{Analysis: builder, Capabilities: builder.Capabilities()}}
	if toBucket {
		return move.ToBucket(ctx)
	}
	return move.FromBucket(ctx)
}
