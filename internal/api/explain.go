package api

import (
	"context"
	"strconv"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// explain responds with the derivation of the score of one hit.
func (a *API) explain(ctx context.Context, r *Request) (*Response, error) {
	var found problem.List
	key := r.Query("key")
	if key == "" {
		found.Report(problem.SearchExplainKeyRequired.At(problem.At("key")))
	}
	position := 0
	if r.HasQuery("index") {
		n, err := strconv.ParseInt(r.Query("index"), 10, 32)
		if err != nil || n < 0 {
			found.Report(problem.SearchExplainIndexOutOfRange.At(problem.At("index"), "value", r.Query("index")))
		}
		position = int(n)
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	return answerSearch(ctx, a, r, query.DecodeExplain, func(ctx context.Context, view search.View, request *query.Search) (*query.Explanation, error) {
		e, err := a.searcher.Explain(ctx, view, request, key, position)
		if err == nil && r.Principal.CheckBareIndex(auth.IndexesRead, r.Param("name")) == nil {
			e.Judgements = a.node.Judged(ctx, view, request, key)
		}
		return e, err
	})
}
