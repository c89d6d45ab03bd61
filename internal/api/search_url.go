package api

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// searchByURL answers the everyday search: its query parameters stand for the
// body of a search, which is answered as if it had been sent.
func (a *API) searchByURL(ctx context.Context, r *Request) (*Response, error) {
	index, err := a.read(ctx, r, r.Freshness(), problem.At(freshness.Header))
	if err != nil {
		return nil, err
	}
	defer index.Close()
	if err := r.checkQueryNames(); err != nil {
		return nil, err
	}
	body, err := r.searchBody(index.Schema)
	if err != nil {
		return nil, err
	}
	request, err := query.DecodeSearch(body, a.limits)
	if err != nil {
		return nil, atParameters(err)
	}
	answer, err := a.searcher.Run(ctx, index.View(), request)
	if err != nil {
		return nil, atParameters(nearFields(err, index.Schema))
	}
	return a.buffers.encode(answer), nil
}

// checkQueryNames refuses parameters that the route does not have: a misspelt
// filter would otherwise be a search without it.
func (r *Request) checkQueryNames() error {
	var found problem.List
	for _, name := range slices.Sorted(maps.Keys(r.query)) {
		if !slices.Contains(r.Route.Query, name) {
			found.Report(problem.RequestPropertyUnknown.At(problem.At(name), "property", name).
				Advise("The parameters are "+strings.Join(r.Route.Query, ", ")+".").AmongNames(name, r.Route.Query...))
		}
	}
	return found.Err()
}

// searchBody returns the body of the search that the parameters stand for.
func (r *Request) searchBody(schema *definition.Schema) ([]byte, error) {
	body := object{}
	if text := r.Query("q"); text != "" {
		body["query"] = []any{object{"type": "text", "text": text, "match": "user"}}
	}
	var found problem.List
	for _, name := range []string{"limit", "offset"} {
		if !r.HasQuery(name) {
			continue
		}
		n, err := strconv.Atoi(r.Query(name))
		if err != nil {
			found.Report(problem.RequestValueInvalid.At(problem.At(name), "reason", "expected a whole number"))
		}
		body[name] = n
	}
	for _, name := range []string{"after", "locale"} {
		if text := r.Query(name); text != "" {
			body[name] = text
		}
	}
	body["filters"] = r.urlFilters(schema, &found)
	facets := []any{}
	for _, field := range r.listed("facet") {
		facets = append(facets, object{"field": field})
	}
	body["facets"] = facets
	body["sort"] = r.urlSort()
	if err := found.Err(); err != nil {
		return nil, err
	}
	return json.Marshal(body)
}

// listed returns the values of a parameter that is repeated or separated by
// commas.
func (r *Request) listed(name string) []string {
	var all []string
	for _, values := range r.QueryAll(name) {
		for value := range strings.SplitSeq(values, ",") {
			if value = strings.TrimSpace(value); value != "" {
				all = append(all, value)
			}
		}
	}
	return all
}

// urlSort reads sort=price, sort=-price and sort=score.
func (r *Request) urlSort() []any {
	order := []any{}
	for _, field := range r.listed("sort") {
		direction := "asc"
		if rest, ok := strings.CutPrefix(field, "-"); ok {
			field, direction = rest, "desc"
		}
		if field == "score" {
			order = append(order, object{"type": "score"})
			continue
		}
		order = append(order, object{"field": field, "order": direction})
	}
	return order
}

// urlFilters reads filter=field:value; several values of one field are
// alternatives, and numbers and timestamps take from..to with either end open.
func (r *Request) urlFilters(schema *definition.Schema, found *problem.List) []any {
	var fields []string
	values := make(map[string][]string)
	for _, filter := range r.QueryAll("filter") {
		field, value, ok := strings.Cut(filter, ":")
		if !ok {
			found.Report(problem.RequestValueInvalid.At(problem.At("filter"), "reason", "expected field:value, found "+filter).
				Advise("Write filter=field:value, or filter=field:from..to for numbers and timestamps."))
			continue
		}
		if values[field] == nil {
			fields = append(fields, field)
		}
		values[field] = append(values[field], value)
	}
	filters := []any{}
	for _, field := range fields {
		resolved, _ := schema.Resolve(field) // an unknown one is refused with the search
		filters = append(filters, urlFilter(field, resolved, values[field]))
	}
	return filters
}

func urlFilter(name string, field *definition.ResolvedField, values []string) object {
	var single, ranges []any
	for _, value := range values {
		from, to, isRange := strings.Cut(value, "..")
		if !isRange || field == nil || !field.Type.IsNumber() && field.Type != definition.Timestamp {
			single = append(single, urlLiteral(field, value))
			continue
		}
		one := object{}
		if from != "" {
			one["gte"] = urlLiteral(field, from)
		}
		if to != "" {
			one["lte"] = urlLiteral(field, to)
		}
		ranges = append(ranges, one)
	}
	for _, value := range single {
		if len(ranges) > 0 { // a value beside ranges is a range of itself
			ranges = append(ranges, object{"gte": value, "lte": value})
		}
	}
	match := object{"type": "ranges", "values": ranges}
	if len(ranges) == 0 {
		match = object{"type": "in", "values": single}
	}
	clause := object{"field": name, "match": match}
	if field != nil && field.List != "" {
		return object{"type": "nested", "path": field.List, "clauses": []any{clause}}
	}
	return clause
}

// urlLiteral returns a value as JSON writes it for the type of its field. What
// does not fit stays text, which the search refuses.
func urlLiteral(field *definition.ResolvedField, text string) any {
	switch {
	case field == nil:
	case field.Type == definition.Boolean && (text == "true" || text == "false"):
		return text == "true"
	case field.Type.IsNumber():
		if raw, err := jsonread.Check([]byte(text)); err == nil && jsonread.KindOf(raw) == jsonread.NumberKind {
			return jsonNumber(raw)
		}
	}
	return text
}

// jsonNumber is a number as it was written.
type jsonNumber []byte

// MarshalJSON returns the number.
func (n jsonNumber) MarshalJSON() ([]byte, error) { return n, nil }

// parameterOf are the parameters that the parts of a search body come from.
var parameterOf = map[string]string{"query": "q", "filters": "filter", "facets": "facet"}

// atParameters moves problems from their place in the body to the parameter.
func atParameters(err error) error {
	return advised(err, func(p *problem.Problem) {
		if steps := pathSteps(p.Path); len(steps) > 0 {
			p.Path = steps[0]
			if parameter, ok := parameterOf[p.Path]; ok {
				p.Path = parameter
			}
		}
	})
}
