package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/problem"
)

// headerAwait asks a node, on behalf of another one, to reach the state of a
// token instead of serving the request: a read on a node that does not write
// the index makes the writing node commit. The request has the path and
// credential of the read, so that it needs the same permission, and no body.
const headerAwait = "X-Service-Await"

// asker returns the function that asks the node writing an index for the state
// a read needs, or nil if the request itself came from another node.
func (a *API) asker(r *Request) node.Ask {
	if a.ownership == nil || r.HTTP.Header.Get(headerForwarded) != "" {
		return nil
	}
	return func(ctx context.Context, address, token string) error {
		target, ok := writerURL(address)
		if !ok {
			return errors.New("the address is not scheme://host:port")
		}
		asked, err := http.NewRequestWithContext(ctx, r.HTTP.Method, address, http.NoBody)
		if err != nil {
			return err
		}
		asked.URL = &url.URL{Scheme: target.Scheme, Host: target.Host, Path: r.HTTP.URL.Path, RawPath: r.HTTP.URL.RawPath}
		asked.Header.Set(headerForwarded, "true")
		asked.Header.Set(headerAwait, token)
		if credential := r.HTTP.Header.Values("Authorization"); len(credential) > 0 {
			asked.Header["Authorization"] = credential
		}
		answer, err := a.transport.RoundTrip(asked)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection can be reused
		if answer.StatusCode != http.StatusNoContent {
			return fmt.Errorf("status %d", answer.StatusCode)
		}
		return nil
	}
}

// await responds to another node that asks for a state.
func (a *API) await(ctx context.Context, r *Request) (*Response, error) {
	index, err := a.read(ctx, r, r.HTTP.Header.Get(headerAwait), problem.Path{})
	if err != nil {
		return nil, err
	}
	index.Close()
	return NoContent(), nil
}

// isAwait reports whether the request comes from another node asking for a
// state.
func (r *Request) isAwait() bool {
	return r.HTTP.Header.Get(headerAwait) != "" && r.HTTP.Header.Get(headerForwarded) != "" && r.Param("name") != ""
}
