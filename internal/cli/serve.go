package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/quiresearch/quire/internal/server"
)

type serveCommand struct {
	Dev bool `help:"Try Quire: local mode in ./quire-data, no credentials, loopback only."`

	RestoreBucket bool `help:"Accept an empty bucket, so that a registry repair with restoreFromNodes can restore it from this directory."`
}

// Run runs a node until ctx ends.
func (c *serveCommand) Run(ctx context.Context, s *surroundings) error {
	loaded, err := loadConfig(s, c.Dev)
	if err != nil && !c.Dev {
		return fmt.Errorf("%w\nTo try Quire without setting any variables, run quire serve --dev", err)
	} else if err != nil {
		return err
	}
	loaded.RestoreBucket = c.RestoreBucket
	log := server.NewLog(loaded.Log, s.out)
	err = server.Run(ctx, loaded, log, nil)
	if errors.Is(err, server.ErrRefused) {
		return refusedError{err}
	}
	return err
}
