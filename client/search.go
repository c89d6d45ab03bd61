package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/quiresearch/quire/query"
)

func (x *Index) read(path, answers string) *request {
	return &request{method: http.MethodPost, path: path, answers: answers, index: x.name, reads: true, isRepeatable: always}
}

// Search runs a search. The node fills in defaults for zero values: a limit of
// 0 means 10, and query.NoHits requests no hits.
func (x *Index) Search(ctx context.Context, s *query.Search) (*query.Answer, error) {
	var a query.Answer
	if _, err := x.client.call(ctx, x.read(x.data("search"), "hits"), s, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// Pages runs a search page by page, starting with the first. An error ends the
// sequence.
func (x *Index) Pages(ctx context.Context, s *query.Search) iter.Seq2[*query.Answer, error] {
	return func(yield func(*query.Answer, error) bool) {
		next := *s
		for {
			a, err := x.Search(ctx, &next)
			if !yield(a, err) || err != nil || a.Page.Next == "" || len(a.Hits) == 0 {
				return
			}
			next.After, next.Before, next.Offset = a.Page.Next, "", 0
		}
	}
}

// Hits yields the hits of all pages of a search. An error ends the sequence.
func (x *Index) Hits(ctx context.Context, s *query.Search) iter.Seq2[query.Hit, error] {
	return func(yield func(query.Hit, error) bool) {
		for page, err := range x.Pages(ctx, s) {
			if err != nil {
				yield(query.Hit{}, err)
				return
			}
			for _, hit := range page.Hits {
				if !yield(hit, nil) {
					return
				}
			}
		}
	}
}

// Explain explains the score of one document in a search. position is that of
// the list value if values are the hits, otherwise 0.
func (x *Index) Explain(ctx context.Context, s *query.Search, key string, position int) (*query.Explanation, error) {
	r := x.read(x.data("search", "actions", "explain"), "matched")
	r.query = url.Values{"key": {key}}
	if position > 0 {
		r.query.Set("index", strconv.Itoa(position))
	}
	var e query.Explanation
	if _, err := x.client.call(ctx, r, s, &e); err != nil {
		return nil, err
	}
	return &e, nil
}

// Suggest completes typed text.
func (x *Index) Suggest(ctx context.Context, s *query.Suggest) (*query.Suggestions, error) {
	var found query.Suggestions
	if _, err := x.client.call(ctx, x.read(x.data("suggest"), "suggestions"), s, &found); err != nil {
		return nil, err
	}
	return &found, nil
}

// FacetValues completes the values of one facet.
func (x *Index) FacetValues(ctx context.Context, field string, f *query.FacetValues) (*query.FacetValuesAnswer, error) {
	var found query.FacetValuesAnswer
	if _, err := x.client.call(ctx, x.read(x.data("facets", field, "values"), "values"), f, &found); err != nil {
		return nil, err
	}
	return &found, nil
}
