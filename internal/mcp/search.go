package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/quiresearch/quire/query"
)

type searchInput struct {
	Index   string         `json:"index" jsonschema:"the name of the index"`
	Text    string         `json:"text,omitempty" jsonschema:"what to look for, as a person types it: quotes for phrases, a minus sign to exclude; when no document has all words, those with most of them are found"`
	Filters map[string]any `json:"filters,omitempty" jsonschema:"fields and the value each must equal; a list means any of its values"`
	Fields  []string       `json:"fields,omitempty" jsonschema:"the fields of documents to answer; all when left out"`
	Limit   int            `json:"limit,omitempty" jsonschema:"how many hits, at most 20; 5 when left out"`
	Request map[string]any `json:"request,omitempty" jsonschema:"a whole search request in place of text, filters and fields: query, filters, facets, sort and more"`
}

// defaultHits is the number of hits if the model does not specify one.
const defaultHits = 5

// compile returns the search described by the input.
func (in searchInput) compile() (*query.Search, error) {
	s := &query.Search{Limit: min(max(in.Limit, 0), maxHits)}
	if in.Request != nil {
		body, err := json.Marshal(in.Request)
		if err != nil {
			return nil, err
		}
		if s, err = query.DecodeSearch(body, query.DefaultLimits()); err != nil {
			return nil, err
		}
		if s.Limit == 0 {
			s.Limit = query.NoHits
		}
		if _, ok := in.Request["limit"]; !ok && in.Limit > 0 {
			s.Limit = in.Limit
		}
		s.Limit = min(s.Limit, maxHits)
	}
	if s.Limit == 0 {
		s.Limit = defaultHits
	}
	if in.Text != "" {
		s.Query = append(s.Query, &query.TextClause{Text: query.Text{Text: in.Text, Match: query.MatchUser, Relax: query.RelaxWords}})
	}
	for _, field := range slices.Sorted(maps.Keys(in.Filters)) {
		match, err := equals(in.Filters[field])
		if err != nil {
			return nil, err
		}
		s.Filters = append(s.Filters, &query.FieldClause{Field: field, Match: match})
	}
	for _, field := range in.Fields {
		s.Fields = append(s.Fields, query.FieldName{Field: field})
	}
	return s, nil
}

func equals(value any) (query.Matcher, error) {
	if list, ok := value.([]any); ok {
		in := &query.InMatcher{}
		for _, item := range list {
			literal, err := json.Marshal(item)
			if err != nil {
				return nil, err
			}
			in.Values = append(in.Values, literal)
		}
		return in, nil
	}
	literal, err := json.Marshal(value)
	return &query.EqualsMatcher{Value: literal}, err
}

func (t *tools) search(ctx context.Context, in searchInput) (any, error) {
	if err := given("index", in.Index); err != nil {
		return nil, err
	}
	s, err := in.compile()
	if err != nil {
		return nil, err
	}
	found, err := t.client.Index(in.Index).Search(ctx, s)
	if err != nil {
		return nil, err
	}
	// Use the JSON form of the answer, so that facets and interpretations of the
	// text are included as documented.
	var answer map[string]any
	if err := decode(found.AppendJSON(nil), &answer); err != nil {
		return nil, err
	}
	delete(answer, "freshness")
	answer["notice"] = notice
	hits, _ := answer["hits"].([]any)
	for i, hit := range hits {
		hits[i] = shorten(hit, maxText)
	}
	for size(answer) > maxAnswer && len(hits) > 1 {
		hits = hits[:len(hits)/2]
		answer["hits"], answer["truncated"] = hits, true
	}
	return answer, nil
}

// decode parses JSON and preserves the digits of numbers: a 64-bit integer does
// not fit into a float.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func size(answer any) int {
	text, err := json.Marshal(answer)
	if err != nil {
		return 0
	}
	return len(text)
}

type explainInput struct {
	searchInput
	Key string `json:"key" jsonschema:"the primary key of the document"`
}

func (t *tools) explainHit(ctx context.Context, in explainInput) (any, error) {
	if err := given("index", in.Index, "key", in.Key); err != nil {
		return nil, err
	}
	s, err := in.compile()
	if err != nil {
		return nil, err
	}
	explained, err := t.client.Index(in.Index).Explain(ctx, s, in.Key, 0)
	if err != nil {
		return nil, err
	}
	explained.Freshness = ""
	var answer map[string]any
	if err := decode(explained.AppendJSON(nil), &answer); err != nil {
		return nil, err
	}
	answer["notice"] = notice
	return answer, nil
}

// shorten truncates strings of more than most characters and long lists inside
// a value and says how much was left out.
func shorten(value any, most int) any {
	switch v := value.(type) {
	case string:
		if utf8.RuneCountInString(v) <= most {
			return v
		}
		runes := []rune(v)
		return string(runes[:most]) + "… (" + strconv.Itoa(len(runes)-most) + " more characters)"
	case []any:
		cut := v
		if len(v) > maxItems {
			cut = append(slices.Clone(v[:maxItems]), "… ("+strconv.Itoa(len(v)-maxItems)+" more entries)")
		}
		for i := range cut {
			cut[i] = shorten(cut[i], most)
		}
		return cut
	case map[string]any:
		for name, inner := range v {
			v[name] = shorten(inner, most)
		}
	}
	return value
}
