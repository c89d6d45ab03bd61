package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/quiresearch/quire/internal/config"
	"github.com/quiresearch/quire/internal/server"
)

type serveCommand struct {
	Dev bool `help:"Try it out: local mode in ./quire-data, no credentials, loopback only."`
}

// Run runs a node until ctx ends.
func (c *serveCommand) Run(ctx context.Context, s *surroundings) error {
	loaded, err := config.Load(s.environment, c.Dev)
	if err != nil {
		hint := ""
		if !c.Dev {
			hint = "\nTo try it out without any variable: quire serve --dev"
		}
		return refusedError{fmt.Errorf("configuration refused:\n%w%s", err, hint)}
	}
	log := server.NewLog(loaded.Log, s.out)
	err = server.Run(ctx, loaded, log, nil)
	if errors.Is(err, server.ErrRefused) {
		return refusedError{err}
	}
	return err
}
