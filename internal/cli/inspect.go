package cli

import (
	"path/filepath"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/vfs"
)

type inspectCommand struct {
	File string `arg:"" type:"existingfile" help:"A manifest, log file, side file or segment file."`
}

// Run prints what a stored file holds.
func (c *inspectCommand) Run(s *surroundings) error {
	return engine.Inspect(vfs.OS(filepath.Dir(c.File)), filepath.Base(c.File), s.out)
}
