package settings

import (
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/problem"
)

// Validate checks that the schema of a generation supports what the settings name.
// The error holds every problem, at the path of the change when the settings come
// from Patch.
func (s *Settings) Validate(schema *definition.Schema) error {
	return s.told(s.check(schema).Problems())
}

// maxProblems bounds the problems reported, as for any body: each is matched
// against all changes.
const maxProblems = 1000

func (s *Settings) told(problems problem.Problems) error {
	problems = problems[:min(len(problems), maxProblems)]
	located(problems, s.changes)
	var found problem.List
	for _, p := range problems {
		found.Report(p)
	}
	return found.Err()
}

// ValidateChange is Validate for settings that Patch derived from before. Problems
// that before had already and that no change rewrote are not reported: settings
// outlive the generations whose fields they name.
func (s *Settings) ValidateChange(schema *definition.Schema, before *Settings) error {
	if before == nil || s.changes == nil {
		return s.Validate(schema)
	}
	known, written := make(map[string]int), writtenBy(s.changes)
	for _, p := range before.check(schema).Problems() {
		if !written.holds(p) {
			known[kindOf(p)]++
		}
	}
	var found problem.Problems
	for _, p := range s.check(schema).Problems() {
		if known[kindOf(p)] > 0 {
			known[kindOf(p)]--
			continue
		}
		found = append(found, p)
	}
	return s.told(found)
}

// kindOf returns the identity of a problem apart from its position in lists, which
// may shift.
func kindOf(p *problem.Problem) string {
	return p.Code.Name() + " " + strings.Join(namesOf(p.Path), ".") + " " + p.Arguments["name"]
}

func (s *Settings) check(schema *definition.Schema) *problem.List {
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
	return &c.found
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
			c.found.Report(unknown.At(place, "name", name).Among(name, c.schema.Paths))
		case field.Matching == nil && field.Autocomplete == nil:
			c.found.Report(unsupported.At(place, "name", name))
		}
	}
}

func (c *checker) field(f *Field) {
	field, ok := c.schema.Resolve(f.Field)
	if !ok {
		c.found.Report(problem.SettingsFieldsFieldUnknown.At(f.At, "name", f.Field).Among(f.Field, c.schema.Paths))
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
