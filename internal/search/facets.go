package search

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// facetPlan is one facet checked against the schema.
type facetPlan struct {
	request *query.Facet
	field   *definition.ResolvedField
	column  string
	bounds  []facet.Bounds
	chain   []collect.Source // of a value chain
	kept    []bool           // filters that narrow it
}

// compileFacets checks the facets of a request.
func (s *session) compileFacets() ([]facetPlan, error) {
	var plans []facetPlan
	for i := range s.request.Facets {
		p, err := s.compileFacet(&s.request.Facets[i])
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func (s *session) compileFacet(f *query.Facet) (facetPlan, error) {
	at := f.At.Field("field")
	field, ok := s.view.Schema.Resolve(f.Field)
	switch {
	case !ok:
		return facetPlan{}, problem.SearchFieldUnknown.At(at, "name", f.Field)
	case !field.Facet:
		return facetPlan{}, problem.SearchUsageUnsupported.At(at, "name", f.Field, "usage", "facet")
	case f.Tree && !field.Hierarchy:
		return facetPlan{}, problem.SearchUsageUnsupported.At(at, "name", f.Field, "usage", "hierarchy")
	}
	if h := s.request.Hits; h != nil && !h.HasWhen && field.List != "" && field.List != h.List {
		return facetPlan{}, problem.SearchHitsFacetUnsupported.At(f.At, "name", f.Field, "field", f.Field, "path", h.List)
	}
	p := facetPlan{request: f, field: field, column: s.facetColumn(field), kept: s.keptFilters(f.ExcludeFilters)}
	if f.Ranges == nil {
		return p, nil
	}
	if !field.Type.IsNumber() && field.Type != definition.Timestamp {
		return facetPlan{}, problem.SearchMatcherTypeUnsupported.At(f.At.Field("ranges"), "type", field.Type, "matcher", "ranges")
	}
	for _, r := range f.Ranges {
		var b facet.Bounds
		var err error
		if b.From, b.HasFrom, err = facetBound(r.From, field, r.At.Field("from")); err != nil {
			return facetPlan{}, err
		}
		if b.To, b.HasTo, err = facetBound(r.To, field, r.At.Field("to")); err != nil {
			return facetPlan{}, err
		}
		if field.Type == definition.Timestamp && b.HasFrom && b.HasTo && b.To <= b.From {
			return facetPlan{}, problem.SearchFacetRangeInvalid.At(r.At)
		}
		p.bounds = append(p.bounds, b)
	}
	if f.When != nil || f.Fallback != nil {
		target := query.Target{At: f.At, Field: f.Field, When: f.When, Fallback: f.Fallback}
		chain, _, err := s.chain(&target, chainCodes{
			mismatch: problem.SearchFacetFallbackTypeMismatch,
			usable:   func(f *definition.ResolvedField) bool { return f.Facet }, usage: "facet",
			structure: s.facetColumn,
		})
		if err != nil {
			return facetPlan{}, err
		}
		p.chain = chain
	}
	return p, nil
}

// facetColumn names the column that counts a field.
func (s *session) facetColumn(field *definition.ResolvedField) string {
	variant := plan.Variant(field, s.locale)
	if field.Hierarchy {
		return layout.Levels(field.Path, variant)
	}
	return layout.Facet(field.Path, variant)
}

// facetBound reads a bound of a range as the field's number. A number between
// two whole ones is the same bound as the next whole one.
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

// keptFilters says which filters narrow a facet: all but those whose path is
// excluded or lies below what is.
func (s *session) keptFilters(excluded []string) []bool {
	kept := make([]bool, len(s.request.Filters))
	for i, filter := range s.request.Filters {
		path := filterPath(filter)
		kept[i] = !slices.ContainsFunc(excluded, func(name string) bool {
			return path == name || query.Below(path, name)
		})
	}
	return kept
}

// filterPath returns the one path of a filter: the field of a field clause,
// and for a nested clause the longest path common to all fields inside.
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

// population is the documents that a facet counts, and what of their list
// values counts.
type population struct {
	key     string // of the filters that narrow it
	nodes   []plan.Node
	filters []plan.Node
	sets    []*collect.Docs             // per segment; nil until they are needed
	all     bool                        // nothing narrows: every live document
	items   map[string][]*bitset.Bitset // matched list values of its documents
	matched map[string][]*bitset.Bitset // of any document; nil where all are
}

// countFacets counts every facet of the request.
func (s *session) countFacets(ctx context.Context, plans []facetPlan, values *collect.Values, result *collect.Result) ([]query.FacetResult, error) {
	populations := make(map[string]*population)
	var results []query.FacetResult
	for i := range plans {
		p := &plans[i]
		key := keptKey(p.kept)
		pop := populations[key]
		if pop == nil {
			var ready *collect.Result
			if values == nil && !slices.Contains(p.kept, false) {
				ready = result
			}
			pop = s.populate(p.kept, ready)
			populations[key] = pop
		}
		one, err := s.countFacet(ctx, p, pop, values)
		if err != nil {
			return nil, err
		}
		results = append(results, one)
	}
	return results, nil
}

func keptKey(kept []bool) string {
	key := make([]byte, len(kept))
	for i, k := range kept {
		key[i] = '0' + boolByte(k)
	}
	return string(key)
}

// populate names the documents under the query and the kept filters. They are
// worked out when they are needed, unless ready has them.
func (s *session) populate(kept []bool, ready *collect.Result) *population {
	pop := &population{key: keptKey(kept), items: make(map[string][]*bitset.Bitset), matched: make(map[string][]*bitset.Bitset)}
	for i, node := range s.filters {
		if kept[i] {
			pop.filters = append(pop.filters, node)
		}
	}
	pop.nodes = append([]plan.Node{s.query}, pop.filters...)
	pop.all = len(pop.filters) == 0 && isEverything(s.query)
	if ready != nil {
		pop.sets = ready.Sets
	}
	return pop
}

// load works out the documents of a population.
func (s *session) load(ctx context.Context, pop *population) error {
	if pop.sets != nil {
		return nil
	}
	result, err := s.collect.Run(ctx, &collect.Request{Query: s.query, Filters: pop.filters, CountTo: collect.Everything, Sets: true})
	if err != nil {
		return err
	}
	pop.sets = result.Sets
	return nil
}

// isEverything reports whether a query matches every document.
func isEverything(n plan.Node) bool {
	switch n := n.(type) {
	case nil, *plan.Everything:
		return true
	case *plan.And:
		return len(n.Clauses) == 0
	}
	return false
}

// matchedOf returns the list values that the clauses of a population ask for,
// also of other documents; nil when they ask for none in particular.
func (s *session) matchedOf(ctx context.Context, pop *population, list string) ([]*bitset.Bitset, error) {
	if sets, ok := pop.matched[list]; ok {
		return sets, nil
	}
	required := plan.RequiredNested(list, pop.nodes...)
	if len(required) == 0 {
		return nil, nil
	}
	sets, err := s.collect.ValueSets(ctx, list, required)
	pop.matched[list] = sets
	return sets, err
}

// itemsOf returns the matched list values of a population.
func (s *session) itemsOf(ctx context.Context, pop *population, list string) ([]*bitset.Bitset, error) {
	if sets, ok := pop.items[list]; ok {
		return sets, nil
	}
	sets, err := s.collect.ValueSets(ctx, list, plan.RequiredNested(list, pop.nodes...))
	if err != nil {
		return nil, err
	}
	if !pop.all {
		if err := s.load(ctx, pop); err != nil {
			return nil, err
		}
		for i, segment := range s.view.Snapshot.Segments {
			keepOf(sets[i], pop.sets[i].Bits(), parentsOf(segment))
		}
	}
	pop.items[list] = sets
	return sets, nil
}

// keepOf leaves those list values whose document is in the set. The values of a
// document stand directly before it. Read from the end, they are a run of ones
// behind it among all values: adding a one at its start, where the document is
// in the set, turns the run to zeros.
func keepOf(items, documents, parents *bitset.Bitset) {
	kept, in, of := items.Words(), documents.Words(), parents.Words()
	var last, carry uint64 // the document at the end of the word before; the sum's
	for i := len(kept) - 1; i >= 0; i-- {
		values, set := bits.Reverse64(^of[i]), bits.Reverse64(in[i])
		var sum uint64
		sum, carry = bits.Add64(values, set<<1|last, carry)
		last = set >> 63
		kept[i] &= bits.Reverse64(values &^ sum)
	}
}
