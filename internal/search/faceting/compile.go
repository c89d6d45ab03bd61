package faceting

import (
	"math"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// Facet is one facet checked against the schema.
type Facet struct {
	request *query.Facet
	field   *definition.ResolvedField
	column  string
	bounds  []facet.Bounds
	chain   []collect.Source // of a value chain
	kept    []bool           // which filters narrow it
}

// Compile checks the facets of a request. It returns the first problem.
func (r *Request) Compile() ([]Facet, error) {
	var all []Facet
	for i := range r.Search.Facets {
		p, err := r.compile(&r.Search.Facets[i])
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (r *Request) compile(f *query.Facet) (Facet, error) {
	at := f.At.Field("field")
	field, ok := r.Schema.Resolve(f.Field)
	switch {
	case !ok:
		return Facet{}, problem.SearchFieldUnknown.At(at, "name", f.Field)
	case !field.Facet:
		return Facet{}, problem.SearchUsageUnsupported.At(at, "name", f.Field, "usage", "facet")
	case f.Tree && !field.Hierarchy:
		return Facet{}, problem.SearchUsageUnsupported.At(at, "name", f.Field, "usage", "hierarchy")
	}
	if h := r.Search.Hits; h != nil && !h.HasWhen && field.List != "" && field.List != h.List {
		return Facet{}, problem.SearchHitsFacetUnsupported.At(f.At, "name", f.Field, "field", f.Field, "path", h.List)
	}
	p := Facet{request: f, field: field, column: r.column(field), kept: r.keptFilters(f.ExcludeFilters)}
	if f.Ranges == nil {
		return p, nil
	}
	if !field.Type.IsNumber() && field.Type != definition.Timestamp {
		return Facet{}, problem.SearchMatcherTypeUnsupported.At(f.At.Field("ranges"), "type", field.Type, "matcher", "ranges").
			Advise("Count ranges of a number or timestamp; leave ranges out to count the values of " + field.Path + ".")
	}
	for _, bucket := range f.Ranges {
		var b facet.Bounds
		var err error
		if b.From, b.HasFrom, err = facetBound(bucket.From, field, bucket.At.Field("from")); err != nil {
			return Facet{}, err
		}
		if b.To, b.HasTo, err = facetBound(bucket.To, field, bucket.At.Field("to")); err != nil {
			return Facet{}, err
		}
		if field.Type == definition.Timestamp && b.HasFrom && b.HasTo && b.To <= b.From {
			return Facet{}, problem.SearchFacetRangeInvalid.At(bucket.At)
		}
		p.bounds = append(p.bounds, b)
	}
	if f.When != nil || f.Fallback != nil {
		target := query.Target{At: f.At, Field: f.Field, When: f.When, Fallback: f.Fallback}
		chain, _, err := r.Chain(&target, scope.ChainRules{
			Mismatch: problem.SearchFacetFallbackTypeMismatch,
			Usable:   func(f *definition.ResolvedField) bool { return f.Facet }, Usage: "facet",
			Structure: r.column,
		})
		if err != nil {
			return Facet{}, err
		}
		p.chain = chain
	}
	return p, nil
}

// column returns the name of the column that counts a field.
func (r *Request) column(field *definition.ResolvedField) string {
	variant := plan.Variant(field, r.Locale)
	if field.Hierarchy {
		return layout.Levels(field.Path, variant)
	}
	return layout.Facet(field.Path, variant)
}

// facetBound reads a bound of a range as a number of the field. For a whole-number field, a
// fraction is the same bound as the next whole number.
func facetBound(l query.Literal, field *definition.ResolvedField, at problem.Path) (int64, bool, error) {
	if l == nil {
		return 0, false, nil
	}
	n, expected, ok := plan.Number(field.Type, l)
	if !ok && field.Type.IsWhole() && l.Kind() == query.NumberLiteral {
		// A fraction is small enough for the next whole number to fit.
		if f, isFinite := jsonread.Float64(l); isFinite && f != math.Trunc(f) {
			n, ok = int64(math.Ceil(f)), true
		}
	}
	if ok {
		return n, true, nil
	}
	return 0, false, problem.SearchValueInvalid.At(at, "name", field.Path, "expected", expected)
}

// keptFilters says which filters narrow a facet: all but those whose path is excluded or lies
// below an excluded path.
func (r *Request) keptFilters(excluded []string) []bool {
	kept := make([]bool, len(r.Search.Filters))
	for i, filter := range r.Search.Filters {
		path := filterPath(filter)
		kept[i] = !slices.ContainsFunc(excluded, func(name string) bool {
			return path == name || query.Below(path, name)
		})
	}
	return kept
}

// filterPath returns the path of a filter: the field of a field clause, and for other clauses
// the longest path common to all fields inside.
func filterPath(clause query.Clause) string {
	if field, ok := clause.(*query.FieldClause); ok {
		return field.Field
	}
	path, first := "", true
	var walk func(query.Clause)
	walk = func(c query.Clause) {
		if field, ok := c.(*query.FieldClause); ok {
			if first {
				path, first = field.Field, false
			} else {
				path = commonPath(path, field.Field)
			}
			return
		}
		for _, child := range query.Children(c) {
			walk(child)
		}
	}
	walk(clause)
	if nested, ok := clause.(*query.NestedClause); ok && first {
		return nested.List
	}
	return path
}

func commonPath(a, b string) string {
	partsA, partsB := strings.Split(a, "."), strings.Split(b, ".")
	n := 0
	for n < len(partsA) && n < len(partsB) && partsA[n] == partsB[n] {
		n++
	}
	return strings.Join(partsA[:n], ".")
}
