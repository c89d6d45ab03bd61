package mcp

import (
	"context"
	"maps"
	"slices"

	"github.com/quiresearch/quire/definition"
)

type describeInput struct {
	Index string `json:"index" jsonschema:"the name of the index"`
}

// described is the information about a field that a model needs to write a
// query.
type described struct {
	Name     string          `json:"name"`
	Type     definition.Type `json:"type"`
	Usages   []string        `json:"usages,omitempty"`
	Unit     string          `json:"unit,omitempty"`
	Examples []any           `json:"examples,omitempty"`
}

// clauseForms shows a model the syntax of the parts of a request.
var clauseForms = map[string]string{
	"text":    `{"type":"text","text":"red shoes","match":"user"}`,
	"equals":  `{"field":"brand","match":{"value":"Lumi"}}`,
	"any of":  `{"field":"brand","match":{"type":"in","values":["Lumi","Tarn"]}}`,
	"range":   `{"field":"price","match":{"type":"range","gte":10,"lt":20}}`,
	"under":   `{"field":"category","match":{"type":"under","path":"Clothing/Jackets"}}`,
	"nested":  `{"type":"nested","path":"variants","clauses":[{"field":"variants.size","match":{"value":"M"}}]}`,
	"request": `{"query":[clauses],"filters":[clauses],"facets":[{"field":"brand"}],"sort":[{"field":"price","order":"asc"}],"limit":5}`,
}

func (t *tools) describeIndex(ctx context.Context, in describeInput) (any, error) {
	if err := given("index", in.Index); err != nil {
		return nil, err
	}
	d, err := t.client.Index(in.Index).Get(ctx)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"index": d.Name, "clauses": clauseForms, "notice": notice}
	if d.Definition == nil {
		answer["definition"] = d.Raw
		return answer, nil
	}
	fields := describe("", d.Definition.Fields)
	t.addExamples(ctx, in.Index, fields)
	answer["fields"] = fields
	if size(answer) > maxAnswer {
		for i := range fields {
			fields[i].Examples = nil
		}
	}
	for size(answer) > maxAnswer && len(fields) > 1 {
		fields = fields[:len(fields)/2]
		answer["fields"], answer["truncated"] = fields, true
	}
	return answer, nil
}

// addExamples adds example values to the fields with facets.
func (t *tools) addExamples(ctx context.Context, index string, fields []described) {
	asked := 0
	for i := range fields {
		f := &fields[i]
		if asked == maxExamples || !slices.Contains(f.Usages, "facet") || slices.Contains(f.Usages, "hierarchy") {
			continue
		}
		asked++
		values, err := t.values(ctx, index, f.Name, "", exampleValues)
		if err != nil {
			continue // the fields are useful without examples
		}
		for _, v := range values.list {
			f.Examples = append(f.Examples, shorten(v.Value, maxValue))
		}
	}
}

// describe lists fields, ordered by path.
func describe(prefix string, fields map[string]*definition.Field) []described {
	var all []described
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field := fields[name]
		one := described{Name: prefix + name, Type: field.Type, Usages: usages(field)}
		if field.Unit != nil {
			one.Unit = *field.Unit
		}
		all = append(all, one)
		all = append(all, describe(prefix+name+".", field.Fields)...)
	}
	return all
}

func usages(field *definition.Field) []string {
	var all []string
	for _, usage := range []struct {
		name string
		on   bool
	}{
		{"primaryKey", field.PrimaryKey != nil && *field.PrimaryKey}, {"text", field.Matching != nil}, {"autocomplete", field.Autocomplete != nil},
		{"filter", field.Filter != nil}, {"facet", field.Facet != nil}, {"sort", field.Sort != nil}, {"hierarchy", field.Hierarchy != nil},
		{"multiple", field.Multiple != nil && *field.Multiple}, {"locales", field.Locales != nil}, {"nested", field.Mode == definition.Nested},
	} {
		if usage.on {
			all = append(all, usage.name)
		}
	}
	return all
}
