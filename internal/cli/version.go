package cli

import (
	"fmt"

	"github.com/quiresearch/quire/internal/server"
)

type versionCommand struct{}

// Run prints the version, the revision and the compiler of the build.
func (*versionCommand) Run(s *surroundings) error {
	_, err := fmt.Fprintln(s.out, server.Version())
	return err
}
