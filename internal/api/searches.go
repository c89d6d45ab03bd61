package api

import (
	"context"
	"time"

	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/searchcount"
	"github.com/quiresearch/quire/query"
)

// Bounds of a list of searches.
const (
	defaultSearches = 100
	maxSearches     = searchcount.Capacity
)

type searchesBody struct {
	IsCounted bool               `json:"counted"`
	Searches  []searchedTextBody `json:"searches"`
}

type searchedTextBody struct {
	Text        string  `json:"text"`
	Count       uint64  `json:"count"`
	MaxError    uint64  `json:"maxError"`
	ZeroResults uint64  `json:"zeroResults"`
	MeanMs      float64 `json:"meanMs"`
}

// countSearch counts the first page of a search with a text, if the index
// counts searches.
func (a *API) countSearch(view search.View, request *query.Search, answer *query.Answer) {
	if !a.node.CountsSearches(view.Settings) || request.Offset > 0 || request.After != "" || request.Before != "" {
		return
	}
	if text := judgement.FirstText(request); text != "" {
		a.node.CountSearch(view.Index, text, answer.Total.Count > 0, time.Duration(answer.TookMs*float64(time.Millisecond)))
	}
}

func (a *API) readSearches(ctx context.Context, r *Request) (node.Searches, int, error) {
	name, err := r.indexName()
	if err != nil {
		return node.Searches{}, 0, err
	}
	limit, err := r.Limit(defaultSearches, maxSearches)
	if err != nil {
		return node.Searches{}, 0, err
	}
	found, err := a.node.Searches(ctx, name)
	return found, limit, err
}

func (a *API) listSearches(ctx context.Context, r *Request) (*Response, error) {
	found, limit, err := a.readSearches(ctx, r)
	if err != nil {
		return nil, err
	}
	body := searchesBody{IsCounted: found.IsCounted, Searches: []searchedTextBody{}}
	for _, t := range found.Top(limit) {
		counted := max(1, t.Count-t.MaxError) // only these were timed
		body.Searches = append(body.Searches, searchedTextBody{t.Text, t.Count, t.MaxError, t.ZeroResults, t.TookMs / float64(counted)})
	}
	return OK(body), nil
}

func (a *API) deleteSearches(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	if err := a.node.DeleteSearches(ctx, name); err != nil {
		return nil, err
	}
	return NoContent(), nil
}

type draftedQuery struct {
	Text   string        `json:"text"`
	Weight float64       `json:"weight"`
	Expect draftedExpect `json:"expect"`
}

type draftedExpect struct {
	AtLeast int `json:"atLeast"`
}

// draftJudgements drafts a judgement set of the most frequent texts, weighted
// by frequency, each expected to find something. People add the grades.
func (a *API) draftJudgements(ctx context.Context, r *Request) (*Response, error) {
	found, limit, err := a.readSearches(ctx, r)
	if err != nil {
		return nil, err
	}
	body := struct {
		Queries []draftedQuery `json:"queries"`
	}{[]draftedQuery{}}
	for _, t := range found.Top(limit) {
		body.Queries = append(body.Queries, draftedQuery{t.Text, min(float64(t.Count), 1e6), draftedExpect{1}})
	}
	return OK(body), nil
}
