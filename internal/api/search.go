package api

import (
	"context"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// search answers a search.
func (a *API) search(ctx context.Context, r *Request) (*Response, error) {
	body, err := r.Body()
	if err != nil {
		return nil, err
	}
	request, err := query.DecodeSearch(body, a.limits)
	if err != nil {
		return nil, err
	}
	reading, err := a.readForSearch(ctx, r, request.Freshness)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	answer, err := a.searcher.Run(ctx, reading.View(), request)
	if err != nil {
		return nil, err
	}
	return OKJSON(answer.AppendJSON(nil)), nil
}

// readForSearch returns the view a request answers from, once it holds the
// state of the token in the body, or else of the one in the header.
func (a *API) readForSearch(ctx context.Context, r *Request, inBody string) (*node.Reading, error) {
	name, err := registry.ParseName(r.Param("name"))
	if err != nil {
		return nil, err
	}
	text, at := inBody, problem.At("freshness.atLeast")
	if text == "" {
		text, at = r.Freshness(), problem.At(FreshnessHeader)
	}
	var token freshness.Token
	if text != "" {
		if token, err = freshness.Parse(text, at); err != nil {
			return nil, err
		}
	}
	return a.node.Read(ctx, name, token)
}
