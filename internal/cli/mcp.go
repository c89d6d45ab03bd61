package cli

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quiresearch/quire/client"
	"github.com/quiresearch/quire/internal/mcp"
	"github.com/quiresearch/quire/internal/server"
)

type mcpCommand struct {
	URL string `name:"url" default:"http://localhost:8080" env:"QUIRE_URL" help:"Address of the node."`
	Key string `name:"key" env:"QUIRE_KEY" help:"API key; a key with read access is enough."`
}

// Run serves the Model Context Protocol on standard input and output until ctx
// or the input ends.
func (c *mcpCommand) Run(ctx context.Context) error {
	asked, err := client.New(c.URL, c.Key)
	if err != nil {
		return refusedError{err}
	}
	err = mcp.New(asked, server.Version()).Run(ctx, &sdk.StdioTransport{})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
