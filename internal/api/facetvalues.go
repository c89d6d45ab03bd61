package api

import (
	"context"

	"github.com/quiresearch/quire/query"
)

// facetValues answers the values of one facet.
func (a *API) facetValues(ctx context.Context, r *Request) (*Response, error) {
	body, err := r.Body()
	if err != nil {
		return nil, err
	}
	request, err := query.DecodeFacetValues(body, a.limits)
	if err != nil {
		return nil, err
	}
	reading, err := a.readForSearch(ctx, r, request.Freshness)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	answer, err := a.searcher.FacetValues(ctx, reading.View(), r.Param("field"), request)
	if err != nil {
		return nil, err
	}
	return OKJSON(answer.AppendJSON(nil)), nil
}
