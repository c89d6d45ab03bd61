package cli

import "github.com/alecthomas/kong"

type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command. Without one, all commands are listed."`
}

// Run prints the help of a command, as its --help does.
func (c *helpCommand) Run(parsed *kong.Context) error {
	again, err := kong.Trace(parsed.Kong, c.Command)
	if err != nil {
		return refusedError{err}
	}
	if again.Error != nil {
		return refusedError{again.Error}
	}
	return again.PrintUsage(false)
}
