package settings

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/problem"
)

// Validate asks a generation's schema whether it can do what the settings
// name. The error holds every problem, at the path of the change when the
// settings come from Patch.
func (s *Settings) Validate(schema *definition.Schema) error {
	c := checker{schema: schema}
	if s.Ranking != nil {
		schema.CheckRanking(s.Ranking, problem.At("ranking"), &c.found)
	}
	for i := range s.Synonyms {
		set := &s.Synonyms[i]
		c.textFields(set.At, set.Fields, problem.SettingsSynonymsFieldUnknown, problem.SettingsSynonymsFieldUnsupported)
	}
	for i := range s.TypoExclusions {
		list := &s.TypoExclusions[i]
		c.textFields(list.At, list.Fields, problem.SettingsTypoExclusionsFieldUnknown, problem.SettingsTypoExclusionsFieldUnsupported)
	}
	for i := range s.Fields {
		c.field(&s.Fields[i])
	}
	located(c.found.Problems(), s.changes)
	return c.found.Err()
}

type checker struct {
	schema *definition.Schema
	found  problem.List
}

func (c *checker) textFields(at problem.Path, fields []string, unknown, unsupported *problem.Code) {
	for i, name := range fields {
		place := at.Field("fields").Item(i)
		field, ok := c.schema.Resolve(name)
		switch {
		case !ok:
			c.found.Report(unknown.At(place, "name", name))
		case field.Matching == nil && field.Autocomplete == nil:
			c.found.Report(unsupported.At(place, "name", name))
		}
	}
}

func (c *checker) field(f *Field) {
	field, ok := c.schema.Resolve(f.Field)
	if !ok {
		c.found.Report(problem.SettingsFieldsFieldUnknown.At(f.At, "name", f.Field))
		return
	}
	faceted := field.Type == definition.String && field.Facet && !field.Hierarchy
	if f.Interpret && !(faceted && field.Filter) {
		c.found.Report(problem.SettingsFieldsInterpretUnsupported.At(f.At.Field("interpret"), "name", f.Field))
	}
	if f.Suggest && !faceted {
		c.found.Report(problem.SettingsFieldsSuggestUnsupported.At(f.At.Field("suggest"), "name", f.Field))
	}
	if f.HasValues && !faceted {
		c.found.Report(problem.SettingsFieldsValuesUnsupported.At(f.At.Field("values"), "name", f.Field))
	}
}
