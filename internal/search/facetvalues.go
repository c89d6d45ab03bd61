package search

import (
	"context"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// FacetValues answers a request for the values of one facet.
func (s *Searcher) FacetValues(ctx context.Context, view View, field string, request *query.FacetValues) (*query.FacetValuesAnswer, error) {
	began := s.options.Now()
	timed, done, err := s.enter(ctx, s.options.Timeout)
	if err != nil {
		return nil, err
	}
	defer done()
	session, err := s.open(timed, view, &query.Search{
		Query: request.Query, QueryText: request.QueryText, Filters: request.Filters, FiltersText: request.FiltersText,
		Locale: request.Locale,
	}, began)
	if err != nil {
		return nil, s.timeout(ctx, err, s.options.Timeout)
	}
	defer session.close()
	answer, err := session.facetValues(timed, field, request)
	if err != nil {
		return nil, s.timeout(ctx, err, s.options.Timeout)
	}
	answer.Generation, answer.Freshness, answer.TookMs = view.Generation, view.Freshness, s.since(began)
	return answer, nil
}

func (s *session) facetValues(ctx context.Context, name string, request *query.FacetValues) (*query.FacetValuesAnswer, error) {
	field, ok := s.view.Schema.Resolve(name)
	at := problem.At("field")
	switch {
	case !ok:
		return nil, problem.SearchFieldUnknown.At(at, "name", name)
	case !field.Facet:
		return nil, problem.SearchUsageUnsupported.At(at, "name", name, "usage", "facet")
	case field.Hierarchy:
		return nil, problem.SearchFacetPrefixUnsupported.At(at, "name", name)
	}
	if err := s.relaxEmpty(ctx); err != nil {
		return nil, err
	}
	s.meter()
	p := facetPlan{
		field: field, column: s.facetColumn(field), kept: s.keptFilters([]string{name}),
		request: &query.Facet{Field: name, Limit: request.Limit, Order: request.Order},
	}
	counts, err := s.valuesStarting(ctx, &p, strings.TrimSpace(request.Prefix))
	if err != nil {
		return nil, err
	}
	answer := &query.FacetValuesAnswer{}
	answer.Values, answer.TotalValues = s.show(counts, &p)
	return answer, nil
}

// relaxEmpty relaxes a query without hits, as a search would.
func (s *session) relaxEmpty(ctx context.Context) error {
	if len(s.clauses) == 0 {
		return nil
	}
	hits, err := s.hasHits(ctx, s.clauses)
	if err != nil || hits {
		return err
	}
	_, err = s.relaxIfEmpty(ctx, &collect.Request{Query: s.query, Filters: s.filters, CountTo: 1}, &collect.Result{})
	return err
}

// valuesStarting counts the values that, or whose labels, start with a text,
// all of them without one: strings as they are normalized, others as they are
// shown.
func (s *session) valuesStarting(ctx context.Context, p *facetPlan, prefix string) ([]facet.Count, error) {
	if prefix == "" || p.field.Type != definition.String {
		counts, err := s.countValues(ctx, p, s.populate(p.kept, nil), nil)
		if err != nil || prefix == "" {
			return counts, err
		}
		folded := strings.ToLower(prefix)
		return slices.DeleteFunc(slices.Clone(counts), func(c facet.Count) bool {
			return !strings.HasPrefix(strings.ToLower(facet.Show(p.field.Type, c.Value)), folded)
		}), nil
	}
	c, err := s.complete(ctx, p.field)
	if err != nil {
		return nil, err
	}
	held := c.ranking.Held(c.forms.index.Prefix(s.normalized(c, prefix)))
	counts := make([]facet.Count, len(held))
	for i, value := range held {
		counts[i] = facet.Count{Value: c.forms.union.Value(value), Count: c.ranking.CountOf(value)}
	}
	return counts, nil
}
