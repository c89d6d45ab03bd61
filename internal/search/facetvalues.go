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
	search := &query.Search{
		Query: request.Query, QueryText: request.QueryText, Filters: request.Filters, FiltersText: request.FiltersText,
		Locale: request.Locale,
	}
	answer, took, err := serve(ctx, s, s.options.Timeout, &view, search, func(w *session, _, timed context.Context) (*query.FacetValuesAnswer, error) {
		return w.facetValues(timed, field, request)
	})
	if err != nil {
		return nil, err
	}
	answer.Generation, answer.Freshness, answer.TookMs = view.Generation, view.Freshness, took
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
	prefix := orNothing(request.Prefix)
	if field.Type == definition.String {
		return s.completedValues(ctx, &p, prefix)
	}
	counts, err := s.countValues(ctx, &p, s.populate(p.kept, nil), nil)
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		folded := strings.ToLower(prefix)
		counts = slices.DeleteFunc(slices.Clone(counts), func(c facet.Count) bool {
			return !strings.HasPrefix(strings.ToLower(facet.Show(field.Type, c.Value)), folded)
		})
	}
	answer := &query.FacetValuesAnswer{}
	answer.Values, answer.TotalValues = s.show(counts, &p)
	return answer, nil
}

// completedValues answers with the values of a string field that, or whose
// labels, start with a text as they are normalized; all of them without one.
func (s *session) completedValues(ctx context.Context, p *facetPlan, prefix string) (*query.FacetValuesAnswer, error) {
	c, err := s.complete(ctx, p.field)
	if err != nil {
		return nil, err
	}
	ranges := c.forms.index.All()
	if prefix != "" {
		ranges = c.forms.index.Prefix(s.normalized(c, prefix))
	}
	var counts []facet.Count
	add := func(value int, count int64) {
		counts = append(counts, facet.Count{Value: c.forms.union.Value(value), Count: count})
	}
	answer := &query.FacetValuesAnswer{}
	if p.request.Order == query.OrderCount {
		for _, m := range c.ranking.Top(ranges, p.request.Limit, nil) {
			add(m.Value, m.Count)
		}
		answer.Values, _ = s.show(counts, p)
		answer.TotalValues = c.ranking.CountHeld(ranges)
		return answer, nil
	}
	for _, value := range c.ranking.Held(ranges) {
		add(value, c.ranking.CountOf(value))
	}
	answer.Values, answer.TotalValues = s.show(counts, p)
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

// orNothing returns what was typed as it was typed, spaces too, and "" for
// spaces alone.
func orNothing(typed string) string {
	if strings.TrimSpace(typed) == "" {
		return ""
	}
	return typed
}
