package api

import (
	"context"

	"github.com/quiresearch/quire/query"
)

// suggest answers suggestions for what was typed.
func (a *API) suggest(ctx context.Context, r *Request) (*Response, error) {
	body, err := r.Body()
	if err != nil {
		return nil, err
	}
	request, err := query.DecodeSuggest(body, a.limits)
	if err != nil {
		return nil, err
	}
	reading, err := a.readForSearch(ctx, r, request.Freshness)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	answer, err := a.searcher.Suggest(ctx, reading.View(), request)
	if err != nil {
		return nil, err
	}
	return OKJSON(answer.AppendJSON(nil)), nil
}
