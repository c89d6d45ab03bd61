package embedded

import (
	"context"
	"encoding/json"

	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// run encodes a request and decodes it like the body of an HTTP request, which
// fills in defaults and validates it, and runs it on the last commit.
func run[Q, A any](ctx context.Context, x *Index, given any, decode func([]byte, query.Limits) (Q, error),
	ask func(context.Context, search.View, Q) (A, error)) (A, error) {
	var none A
	body, err := json.Marshal(given)
	if err != nil {
		return none, err
	}
	request, err := decode(body, x.limits)
	if err != nil {
		return none, err
	}
	snapshot := x.generation.Snapshot()
	if snapshot == nil {
		return none, problem.IndexClosed.New()
	}
	defer snapshot.Release()
	return ask(ctx, search.View{Snapshot: snapshot, Schema: x.generation.Schema(), Settings: x.settings, Chains: x.generation.Chains()}, request)
}

// Search runs a search on the last commit. Zero values mean the defaults;
// query.NoHits requests no hits.
func (x *Index) Search(ctx context.Context, s *query.Search) (*query.Answer, error) {
	return run(ctx, x, s, query.DecodeSearch, x.searcher.Run)
}

// Suggest completes typed text with values of the fields enabled in the
// settings.
func (x *Index) Suggest(ctx context.Context, s *query.Suggest) (*query.Suggestions, error) {
	return run(ctx, x, s, query.DecodeSuggest, x.searcher.Suggest)
}

// FacetValues completes the values of one facet.
func (x *Index) FacetValues(ctx context.Context, field string, f *query.FacetValues) (*query.FacetValuesAnswer, error) {
	return run(ctx, x, f, query.DecodeFacetValues, func(ctx context.Context, view search.View, request *query.FacetValues) (*query.FacetValuesAnswer, error) {
		return x.searcher.FacetValues(ctx, view, field, request)
	})
}

// Explain explains the score of one document in a search. position is that of
// the list value if values are the hits, otherwise 0.
func (x *Index) Explain(ctx context.Context, s *query.Search, key string, position int) (*query.Explanation, error) {
	return run(ctx, x, s, query.DecodeExplain, func(ctx context.Context, view search.View, request *query.Search) (*query.Explanation, error) {
		return x.searcher.Explain(ctx, view, request, key, position)
	})
}
