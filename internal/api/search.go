package api

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// search runs a search.
func (a *API) search(ctx context.Context, r *Request) (*Response, error) {
	return answerSearch(ctx, a, r, query.DecodeSearch, func(ctx context.Context, view search.View, request *query.Search) (*query.Answer, error) {
		answer, err := a.searcher.Run(ctx, view, request)
		if err == nil {
			a.countSearch(view, request, answer)
		}
		return answer, err
	})
}

// answerSearch serves any request that searches: it decodes the body and calls
// run with a view that includes the state of the token in the body or, without
// one, in the header.
func answerSearch[Q interface{ AtLeast() string }, A interface{ AppendJSON([]byte) []byte }](
	ctx context.Context, a *API, r *Request,
	decode func([]byte, query.Limits) (Q, error), run func(context.Context, search.View, Q) (A, error),
) (*Response, error) {
	body, err := r.Body()
	if err != nil {
		return nil, err
	}
	request, err := decode(body, a.limits)
	if err != nil {
		return nil, err
	}
	token, at := request.AtLeast(), problem.At("freshness.atLeast")
	if token == "" {
		token, at = r.Freshness(), problem.At(freshness.Header)
	}
	index, err := a.read(ctx, r, token, at)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	answer, err := run(ctx, index.View(), request)
	if err != nil {
		return nil, nearFields(err, index.Schema)
	}
	return a.buffers.encode(answer), nil
}

// read returns the view a request uses, once it includes the state of the token
// text, which was given at a path; with an empty text it does not wait.
func (a *API) read(ctx context.Context, r *Request, text string, at problem.Path) (*node.IndexSnapshot, error) {
	name, err := registry.ParseName(r.Param("name"))
	if err != nil {
		return nil, err
	}
	var token freshness.Token
	if text != "" {
		if token, err = freshness.Parse(text, at); err != nil {
			return nil, err
		}
	}
	index, err := a.node.Read(ctx, name, token, a.asker(r))
	var p *problem.Problem
	if errors.As(err, &p) && p.Code == problem.SearchFreshnessIndexMismatch {
		p.Path = at.String()
	}
	return index, err
}
