package cli

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/server"
)

type migrateCommand struct {
	ToBucket   bool `xor:"direction" required:"" help:"Move the deployment from the directory to the bucket."`
	FromBucket bool `xor:"direction" required:"" help:"Move the deployment from the bucket to the directory."`
}

// Run migrates a stopped deployment. The SERVICE_STORAGE variables name
// directory and bucket.
func (c *migrateCommand) Run(ctx context.Context, s *surroundings) error {
	loaded, err := loadConfig(s, false)
	if err != nil {
		return err
	}
	log := server.NewLog(loaded.Log, s.out)
	err = server.Migrate(ctx, loaded, c.ToBucket, log)
	if errors.Is(err, server.ErrRefused) {
		return refusedError{err}
	}
	if err == nil {
		log.Info("deployment moved and verified")
	}
	return err
}
