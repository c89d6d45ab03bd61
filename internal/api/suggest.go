package api

import (
	"context"

	"github.com/quiresearch/quire/query"
)

// suggest responds with completions of typed text.
func (a *API) suggest(ctx context.Context, r *Request) (*Response, error) {
	return answerSearch(ctx, a, r, query.DecodeSuggest, a.searcher.Suggest)
}
