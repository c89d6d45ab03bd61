// Package cli is the command line of quire: one command per file, each a struct
// that kong fills from the arguments.
//
// Commands return ordinary errors; Run prints them and chooses the exit code:
//
//	0  the command succeeded
//	1  it failed while running, or a check found damage
//	2  the arguments or the configuration were rejected; nothing was started
//	3  documents were loaded, but some rows were rejected
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/quiresearch/quire/internal/server"
)

// The exit codes.
const (
	exitDone    = 0
	exitFailed  = 1
	exitRefused = 2
	exitPartly  = 3
)

// commands are the commands of quire.
type commands struct {
	Load       loadCommand       `cmd:"" help:"Load files into an index. If the index does not exist, draft a definition from the files and create it."`
	Search     searchCommand     `cmd:"" help:"Search an index and print the hits."`
	Import     importCommand     `cmd:"" help:"Import an index from another search service."`
	Dump       dumpCommand       `cmd:"" help:"Dump the definition, settings and documents of an index."`
	Restore    restoreCommand    `cmd:"" help:"Create an index from a dump."`
	Evaluate   evaluateCommand   `cmd:"" help:"Measure an index with a judgement set. Fails if the bounds of the set are not met."`
	Serve      serveCommand      `cmd:"" help:"Run a node. SERVICE_ variables configure it (see quire config)."`
	Config     configCommand     `cmd:"" help:"Print every configuration variable with its value and source."`
	Inspect    inspectCommand    `cmd:"" help:"Print the contents of a stored file."`
	Check      checkCommand      `cmd:"" help:"Check the files of a stopped node."`
	Migrate    migrateCommand    `cmd:"" help:"Move a stopped deployment from a directory to a bucket, or back. Set --to-bucket or --from-bucket."`
	LocaleData localeDataCommand `cmd:"" name:"locale-data" help:"Prepare language data for compounds and full forms."`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"Serve indexes to a language model over the Model Context Protocol, on standard input and output."`
	OpenAPI    openapiCommand    `cmd:"" name:"openapi" help:"Print the OpenAPI description of the API."`
	Completion completionCommand `cmd:"" help:"Print a shell completion script."`
	Help       helpCommand       `cmd:"" help:"Show help for a command."`
	Version    versionCommand    `cmd:"" help:"Print the version."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// surroundings are the environment and streams of a command.
type surroundings struct {
	environment []string
	in          io.Reader
	out, err    io.Writer
	isTerminal  bool          // err is a terminal
	lines       *bufio.Reader // buffers in, once the user has been asked something
}

// refusedError marks invalid arguments or an invalid configuration: nothing was
// started.
type refusedError struct{ error }

func (e refusedError) Unwrap() error { return e.error }

// explain prints the list of commands if none is given.
func explain(parser *kong.Kong, err io.Writer) int {
	parser.Stdout = err
	if _, failure := parser.Parse([]string{"--help"}); failure != nil {
		fmt.Fprintln(err, "quire:", failure)
	}
	return exitRefused
}

// Run runs the command named by the arguments and returns the exit code. An
// interrupt or SIGTERM asks the command to end; a second one kills the process.
func Run(arguments, environment []string, in io.Reader, out, err io.Writer) int {
	exited := -1
	parser, failure := kong.New(&commands{},
		kong.Name("quire"),
		kong.Description("A search service for JSON documents in named indexes."),
		kong.Writers(out, err),
		kong.Exit(func(code int) { exited = code }),
		kong.UsageOnError(),
		kong.Vars{"version": server.Version()},
	)
	if failure != nil {
		fmt.Fprintln(err, "quire:", failure)
		return exitFailed
	}
	if len(arguments) == 0 {
		return explain(parser, err)
	}
	parsed, failure := parser.Parse(arguments)
	if exited >= 0 { // --help
		return exited
	}
	if failure != nil {
		fmt.Fprintln(err, "quire:", failure)
		fmt.Fprintln(err, "Run quire --help to list the commands.")
		return exitRefused
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// A second signal gets the default action of the system.
	context.AfterFunc(ctx, stop)

	parsed.BindTo(ctx, (*context.Context)(nil))
	failure = parsed.Run(&surroundings{environment: environment, in: in, out: out, err: err, isTerminal: isTerminal(err)})
	var refused refusedError
	switch {
	case failure == nil:
		return exitDone
	case errors.Is(failure, errSomeRefused):
		return exitPartly
	case errors.As(failure, &refused):
		fmt.Fprintf(err, "quire: %s\n", printable(failure.Error()))
		return exitRefused
	}
	fmt.Fprintf(err, "quire: %s\n", printable(failure.Error()))
	return exitFailed
}
