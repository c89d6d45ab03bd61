package cli

import (
	"fmt"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/vfs"
)

type checkCommand struct {
	Directory string `arg:"" type:"existingdir" help:"Directory of a stopped node, or of one generation."`
}

// Run checks every generation below the directory and fails when one is
// damaged. Nothing is changed.
func (c *checkCommand) Run(s *surroundings) error {
	if err := engine.CheckAll(vfs.OS(c.Directory), ".", s.out); err != nil {
		return fmt.Errorf("damaged:\n%w", err)
	}
	return nil
}
