package cli

import "github.com/alecthomas/kong"

type helpCommand struct {
	Command []string `arg:"" optional:"" help:"Command to show help for. Default: list all commands."`
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
