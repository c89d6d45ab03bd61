package search

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// order is the effective order of hits: the entries of the request, then the tie
// breakers of the index.
type order struct {
	keys  []collect.Key
	names []string // what each key reads, for the fingerprint
	// byRelevance is set when the first key is the score. Signals and rescore apply
	// only then.
	byRelevance bool
}

// byScore is the order used when neither the request nor the index names one.
var byScore = &order{keys: []collect.Key{{Kind: collect.ByScore, Descending: true}}, names: []string{""}, byRelevance: true}

// scoreAlone reports whether hits are ordered by descending score alone.
func (o *order) scoreAlone() bool {
	return len(o.keys) == 1 && o.keys[0].Kind == collect.ByScore && o.keys[0].Descending
}

// makeOrder checks the sort of a request against the schema and returns its order.
func (s *execution) makeOrder() (*order, error) {
	r := s.request
	ties := s.ranking().TieBreakers
	if len(r.Sort) == 0 && (len(ties) == 0 || r.Hits != nil) {
		return byScore, nil
	}
	o := &order{}
	seen := make(map[string]bool)
	if len(r.Sort) == 0 {
		o.add(collect.Key{Kind: collect.ByScore, Descending: true}, "")
	}
	for i := range r.Sort {
		entry := &r.Sort[i]
		if entry.Type == query.SortScore {
			o.add(collect.Key{Kind: collect.ByScore, Descending: entry.Descending}, "")
			continue
		}
		key, name, err := s.sortKey(entry)
		if err != nil {
			return nil, err
		}
		seen[entry.Field] = true
		o.add(key, name)
	}
	o.byRelevance = o.keys[0].Kind == collect.ByScore
	if r.Hits != nil {
		return o, nil
	}
	for _, tie := range ties {
		field, ok := s.view.Schema.Resolve(tie.Field)
		if !ok || !field.Sort || field.List != "" || seen[tie.Field] {
			continue
		}
		key, ok := columnKey(field, s.locale)
		if !ok {
			continue
		}
		key.Descending = !tie.IsAscending()
		o.add(key, field.Path)
	}
	return o, nil
}

func (o *order) add(key collect.Key, name string) {
	o.keys = append(o.keys, key)
	o.names = append(o.names, name)
}

// sortKey converts one sort entry of the request into a key.
func (s *execution) sortKey(entry *query.Sort) (collect.Key, string, error) {
	at := entry.At.Field("field")
	field, ok := s.view.Schema.Resolve(entry.Field)
	if !ok {
		return collect.Key{}, "", problem.SearchFieldUnknown.At(at, "name", entry.Field)
	}
	if err := s.checkHitsSort(entry, field); err != nil {
		return collect.Key{}, "", err
	}
	if entry.Type == query.SortDistance {
		return s.distanceKey(entry, field)
	}
	if field.Type == definition.GeoPoint {
		return collect.Key{}, "", problem.SearchSortOriginRequired.At(entry.At, "name", entry.Field)
	}
	if !field.Sort {
		return collect.Key{}, "", problem.SearchUsageUnsupported.At(at, "name", entry.Field, "usage", "sort")
	}
	key, ok := columnKey(field, s.locale)
	if !ok {
		return collect.Key{}, "", problem.SearchUsageUnsupported.At(at, "name", entry.Field, "usage", "sort")
	}
	key.Descending = entry.Descending
	name := field.Path
	switch {
	case entry.When != nil || entry.Fallback != nil:
		if !field.Type.IsNumber() && field.Type != definition.Timestamp {
			return collect.Key{}, "", problem.SearchSortTypeUnsupported.At(at, "name", entry.Field)
		}
		target := query.Target{At: entry.At, Field: entry.Field, When: entry.When, Fallback: entry.Fallback}
		chain, spelled, err := s.scope.Chain(&target, scope.ChainRules{
			Mismatch: problem.SearchSortFallbackTypeMismatch,
			Usable:   func(f *definition.ResolvedField) bool { return f.Sort }, Usage: "sort",
			Structure: func(f *definition.ResolvedField) string { return columnOf(f, s.locale) },
		})
		if err != nil {
			return collect.Key{}, "", err
		}
		key.Chain, key.List, name = chain, "", spelled
	case field.List != "" && s.request.Hits == nil:
		key.List = field.List
		key.Required = s.requiredNested(field.List, s.query)
	}
	return key, name, nil
}

func (s *execution) distanceKey(entry *query.Sort, field *definition.ResolvedField) (collect.Key, string, error) {
	at := entry.At.Field("field")
	switch {
	case field.Type != definition.GeoPoint:
		return collect.Key{}, "", problem.SearchUsageUnsupported.At(at, "name", entry.Field, "usage", "sort").
			Advise("Only a field of type geo_point with sort can be sorted by distance; " + field.Path + " is of type " + string(field.Type) + ".")
	case !field.Sort:
		return collect.Key{}, "", problem.SearchUsageUnsupported.At(at, "name", entry.Field, "usage", "sort")
	case field.List != "":
		return collect.Key{}, "", problem.SearchSortNestedUnsupported.At(at, "name", entry.Field)
	case entry.Lat < -90 || entry.Lat > 90 || entry.Lon < -180 || entry.Lon > 180:
		return collect.Key{}, "", problem.SearchValueInvalid.At(entry.At, "name", entry.Field, "expected", "an origin on the earth")
	}
	key := collect.Key{Kind: collect.ByDistance, Structure: layout.Geo(field.Path, plan.Variant(field, s.locale)), Lat: entry.Lat, Lon: entry.Lon}
	return key, field.Path, nil
}

// checkHitsSort rejects a field that value hits cannot be ordered by.
func (s *execution) checkHitsSort(entry *query.Sort, field *definition.ResolvedField) error {
	hits := s.request.Hits
	switch {
	case hits == nil || field.List == hits.List:
		return nil
	case field.List == "":
		return problem.SearchHitsSortUnsupported.At(entry.At, "name", entry.Field, "field", entry.Field, "path", hits.List)
	}
	return problem.SearchNestedFieldNotInside.At(entry.At.Field("field"), "name", entry.Field, "path", hits.List)
}

// columnKey returns the key that orders by the column of a field.
func columnKey(field *definition.ResolvedField, locale string) (collect.Key, bool) {
	key := collect.Key{Kind: collect.ByNumber, MissingFirst: field.Missing == definition.MissingFirst}
	switch {
	case field.Type == definition.String:
		key.Kind = collect.ByText
	case field.Type == definition.GeoPoint, field.Type == definition.Vector, field.Type == definition.Object:
		return key, false
	}
	key.Signal = field.Signal
	key.Structure = columnOf(field, locale)
	return key, true
}

// columnOf returns the name of the column that orders by a field.
func columnOf(field *definition.ResolvedField, locale string) string {
	if field.Signal {
		return layout.Signal(field.Path)
	}
	return layout.Order(field, plan.Variant(field, locale))
}
