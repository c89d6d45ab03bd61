package cli

import (
	"fmt"

	"github.com/quiresearch/quire/internal/server"
)

type versionCommand struct{}

// Run prints what was built, from which revision, with which compiler.
func (*versionCommand) Run(s *surroundings) error {
	_, err := fmt.Fprintln(s.out, server.Version())
	return err
}
