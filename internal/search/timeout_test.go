package search

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

func TestPassedDeadlineIsATimeout(t *testing.T) {
	x := newIndex(t, randomDefinition)
	x.add(t, []string{`{"id":"1","name":"red","tags":["a"]}`}, nil)
	x.searcher.options.Timeout, x.searcher.options.SuggestTimeout = time.Nanosecond, time.Nanosecond
	request, _ := query.DecodeSearch([]byte(`{"query":[{"type":"text","text":"red"}],"facets":[{"field":"tags"}]}`), query.DefaultLimits())
	_, err := x.searcher.Run(context.Background(), x.snapshot(), request)
	if !errors.Is(err, problem.SearchTimeout) || problem.All(err)[0].Arguments["timeout"] != "1ns" {
		t.Errorf("search: %v", err)
	}
	values, _ := query.DecodeFacetValues(nil, query.DefaultLimits())
	if _, err := x.searcher.FacetValues(context.Background(), x.snapshot(), "tags", values); !errors.Is(err, problem.SearchTimeout) {
		t.Errorf("facet values: %v", err)
	}
	if _, err := x.searcher.Explain(context.Background(), x.snapshot(), request, "1", 0); !errors.Is(err, problem.SearchTimeout) {
		t.Errorf("explain: %v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	x.searcher.options.Timeout = 0
	if _, err := x.searcher.Run(cancelled, x.snapshot(), request); err == nil || errors.Is(err, problem.SearchTimeout) {
		t.Errorf("a cancelled search: %v", err)
	}
}
