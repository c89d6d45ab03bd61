// Command quire runs a node of the search service and inspects its files.
package main

import (
	"os"

	"github.com/quiresearch/quire/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
