package api

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// searchByURL serves simple searches: it builds the body of a search from the
// query parameters and responds as if that body had been sent.
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

// checkQueryNames rejects unknown parameters; otherwise a misspelt filter would
// be a search without it.
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

// searchBody returns the search body equivalent to the parameters.
func (r *Request) searchBody(schema *definition.Schema) ([]byte, error) {
	var found problem.List
	for _, name := range slices.Sorted(maps.Keys(r.query)) {
		if slices.ContainsFunc(r.QueryAll(name), isNotUTF8) {
			found.Report(problem.RequestValueInvalid.At(problem.At(name), "reason", "the text is not valid UTF-8"))
		}
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	body := object{}
	if text := r.Query("q"); text != "" {
		body["query"] = []any{object{"type": "text", "text": text, "match": "user"}}
	}
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

func isNotUTF8(text string) bool { return !utf8.ValidString(text) }

// listed returns the values of a parameter that may be repeated or
// comma-separated.
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

// urlSort reads values such as sort=price, sort=-price and sort=score.
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

// urlFilters reads filter=field:value. Several values of one field are
// alternatives; numbers and timestamps also accept from..to with either end
// open.
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
		resolved, _ := schema.Resolve(field) // the search rejects an unknown field
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
		if len(ranges) > 0 { // next to ranges, a single value is a range too
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

// urlLiteral returns a value as JSON for the type of its field. A value that
// does not fit stays a string, which the search rejects.
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

// jsonNumber is a number as written.
type jsonNumber []byte

// MarshalJSON returns the number.
func (n jsonNumber) MarshalJSON() ([]byte, error) { return n, nil }

// parameterOf maps the parts of a search body to the parameters they come from.
var parameterOf = map[string]string{"query": "q", "filters": "filter", "facets": "facet"}

// atParameters moves problems from their path in the body to the parameter.
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
