package api

import (
	"context"

	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/query"
)

// facetValues responds with the values of one facet.
func (a *API) facetValues(ctx context.Context, r *Request) (*Response, error) {
	return answerSearch(ctx, a, r, query.DecodeFacetValues, func(ctx context.Context, view search.View, request *query.FacetValues) (*query.FacetValuesAnswer, error) {
		return a.searcher.FacetValues(ctx, view, r.Param("field"), request)
	})
}
