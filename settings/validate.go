package settings

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/problem"
)

// Validate asks a generation's schema whether it can do what the settings
// name. The error holds every problem.
func (s *Settings) Validate(schema *definition.Schema) error {
	c := checker{schema: schema}
	if s.Ranking != nil {
		c.ranking(s.Ranking)
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

func (c *checker) ranking(r *definition.Ranking) {
	at := problem.At("ranking")
	seen := make(map[string]bool)
	for i, tie := range r.TieBreakers {
		place := at.Field("tieBreakers").Item(i).Field("field")
		c.sortable(place, tie.Field, problem.IndexRankingFieldUnknown, problem.IndexRankingWildcardUnsupported, problem.IndexRankingFieldNotSortable)
		if seen[tie.Field] {
			c.found.Report(problem.IndexRankingFieldDuplicate.At(place, "name", tie.Field))
		}
		seen[tie.Field] = true
	}
	for i := range r.Signals {
		c.signal(at.Field("signals").Item(i), &r.Signals[i])
	}
}

// sortable returns the field that ranking names, nil when it was reported.
func (c *checker) sortable(at problem.Path, name string, unknown, wildcard, notSortable *problem.Code) *definition.ResolvedField {
	field, ok := c.schema.Resolve(name)
	switch {
	case !ok:
		c.found.Report(unknown.At(at, "name", name))
	case field.IsWildcard:
		c.found.Report(wildcard.At(at, "name", name))
	case !field.Sort || field.List != "":
		c.found.Report(notSortable.At(at, "name", name))
	default:
		return field
	}
	return nil
}

func (c *checker) signal(at problem.Path, s *definition.Signal) {
	field := c.sortable(at.Field("field"), s.Field,
		problem.IndexRankingSignalFieldUnknown, problem.IndexRankingSignalWildcardUnsupported, problem.IndexRankingSignalFieldNotSortable)
	shapes := 0
	if s.Saturation != nil {
		shapes++
		c.above(at.Field("saturation").Field("pivot"), s.Saturation.Pivot, problem.IndexRankingSignalPivotOutOfRange)
	}
	if s.Linear != nil {
		shapes++
		c.above(at.Field("linear").Field("ceiling"), s.Linear.Ceiling, problem.IndexRankingSignalCeilingOutOfRange)
	}
	if s.Decay != nil {
		shapes++
		if half := s.Decay.HalfLife; half == nil || *half <= 0 {
			c.found.Report(problem.IndexRankingSignalHalfLifeOutOfRange.At(at.Field("decay").Field("halfLife")))
		}
	}
	switch {
	case shapes == 0:
		c.found.Report(problem.IndexRankingSignalShapeRequired.At(at))
	case shapes > 1:
		c.found.Report(problem.IndexRankingSignalShapeInvalid.At(at))
	case field != nil:
		wantsTime := s.Decay != nil
		if wantsTime != (field.Type == definition.Timestamp) || !wantsTime && !field.Type.IsNumber() {
			c.found.Report(problem.IndexRankingSignalShapeUnsupported.At(at, "name", s.Field, "shape", shapeOf(s)))
		}
	}
	if weight := s.WeightOrDefault(); weight < 0 {
		c.found.Report(problem.IndexRankingSignalWeightOutOfRange.At(at.Field("weight")))
	}
}

func (c *checker) above(at problem.Path, value *float64, code *problem.Code) {
	if value == nil || *value <= 0 {
		c.found.Report(code.At(at))
	}
}

func shapeOf(s *definition.Signal) string {
	switch {
	case s.Decay != nil:
		return "decay"
	case s.Linear != nil:
		return "linear"
	}
	return "saturation"
}
