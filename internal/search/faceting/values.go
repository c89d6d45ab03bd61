package faceting

import (
	"context"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// CheckValues returns the field whose values are listed. It must be a facet whose values can be
// searched by prefix.
func (r *Request) CheckValues(name string) (*definition.ResolvedField, error) {
	field, ok := r.Schema.Resolve(name)
	at := problem.At("field")
	switch {
	case !ok:
		return nil, problem.SearchFieldUnknown.At(at, "name", name)
	case !field.Facet:
		return nil, problem.SearchUsageUnsupported.At(at, "name", name, "usage", "facet")
	case field.Hierarchy:
		return nil, problem.SearchFacetPrefixUnsupported.At(at, "name", name)
	}
	return field, nil
}

// Values lists the values of a field that CheckValues returned. name is the name by which the
// request asked for it.
func (r *Request) Values(ctx context.Context, name string, field *definition.ResolvedField, asked *query.FacetValues) (*query.FacetValuesAnswer, error) {
	f := Facet{
		field: field, column: r.column(field), kept: r.keptFilters([]string{name}),
		request: &query.Facet{Field: name, Limit: asked.Limit, Order: asked.Order},
	}
	prefix := orNothing(asked.Prefix)
	if field.Type == definition.String {
		return r.completedValues(ctx, &f, prefix)
	}
	counts, err := r.countValues(ctx, &f, r.populate(f.kept, nil), nil)
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		folded := strings.ToLower(prefix)
		counts = facet.Listed(slices.DeleteFunc(slices.Clone(counts.All()), func(c facet.Count) bool {
			return !strings.HasPrefix(strings.ToLower(facet.Show(field.Type, c.Value)), folded)
		}))
	}
	answer := &query.FacetValuesAnswer{}
	answer.Values, answer.TotalValues = r.show(counts, &f)
	return answer, nil
}

// completedValues returns the values of a string field that start with a prefix, or whose
// labels do, in normalized form; without a prefix, it returns all values.
func (r *Request) completedValues(ctx context.Context, p *Facet, prefix string) (*query.FacetValuesAnswer, error) {
	c, err := r.complete(ctx, p.field)
	if err != nil {
		return nil, err
	}
	ranges := c.forms.index.All()
	if prefix != "" {
		ranges = c.forms.index.Prefix(r.normalized(c, prefix))
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
		answer.Values, _ = r.show(facet.Listed(counts), p)
		answer.TotalValues = c.ranking.CountHeld(ranges)
		return answer, nil
	}
	for _, value := range c.ranking.Held(ranges) {
		add(value, c.ranking.CountOf(value))
	}
	answer.Values, answer.TotalValues = r.show(facet.Listed(counts), p)
	return answer, nil
}

// orNothing returns the typed text unchanged, including spaces, but "" for spaces alone.
func orNothing(typed string) string {
	if strings.TrimSpace(typed) == "" {
		return ""
	}
	return typed
}
