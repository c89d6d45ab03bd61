package definition

import (
	"slices"

	"github.com/quiresearch/quire/problem"
)

// position describes where a field stands.
type position struct {
	location
	insideObject   bool
	belowFlattened bool
	belowNested    bool
}

func (p position) child(name string) position {
	next := p
	next.at = p.at.Field("fields").Field(name)
	next.name = name
	if p.name != "" {
		next.name = p.name + "." + name
	}
	return next
}

// inside returns the position of the values of an object field.
func (p position) inside(f *Field) position {
	p.insideObject = true
	p.belowFlattened = p.belowFlattened || f.Mode == Flattened
	p.belowNested = p.belowNested || f.Mode == Nested
	return p
}

// expand expands roles, presets and the index-wide locales, and makes the tags of
// the fallback chain canonical.
func (r *reader) expand(d *Definition) {
	r.localizesText = r.declaration != nil && r.declaration.saysMoreThanDefault() && !anyLocalized(d.Fields)
	r.expandFields(d.Fields, position{})
	if d.Resources != nil {
		for _, name := range sortedNames(d.Resources.Analyzers) {
			at := problem.At("resources.analyzers").Field(name)
			r.expandAnalyzer(d.Resources.Analyzers[name], nil, location{at, name})
		}
	}
	if d.LocaleFallback != nil {
		for i, tag := range d.LocaleFallback.Chain {
			d.LocaleFallback.Chain[i], _ = r.capabilities.locale(tag)
		}
	}
}

func (r *reader) expandFields(fields map[string]*Field, parent position) {
	for _, name := range sortedNames(fields) {
		f, where := fields[name], parent.child(name)
		r.expandRole(f, where)
		if r.localizesText && takesDeclaredLocales(f) {
			f.Locales = &Locales{}
		}
		r.expandLocales(f, where)
		for _, usage := range []*TextUsage{f.Matching, f.Autocomplete} {
			if usage != nil && usage.Analyzer != nil {
				r.expandAnalyzer(usage.Analyzer, usage, where.location)
			}
		}
		r.expandFields(f.Fields, where.inside(f))
	}
}

// expandRole sets what a role turns on. Explicit properties win over the role:
// whole properties in general, but single members of matching and autocomplete.
// Properties given as null stay off.
func (r *reader) expandRole(f *Field, where position) {
	input := r.inputs[f]
	role := input.role
	if role == "" || f.Type == "" {
		return
	}
	wanted := String
	switch role {
	case "timestamp":
		wanted = Timestamp
	case "geo":
		wanted = GeoPoint
	}
	if f.Type != wanted {
		r.untranslatable(where.at, problem.IndexFieldRoleTypeUnsupported, "name", where.name, "role", role, "type", f.Type)
		return
	}
	if role == "id" && where.insideObject {
		r.untranslatable(where.at, problem.IndexFieldRoleObjectUnsupported, "name", where.name, "role", role)
		return
	}
	roleUsages(role, where.belowFlattened).addTo(f, input.off)
}

// roleUsages returns the properties that a role stands for. Values below a
// flattened list can be neither stored nor sorted.
func roleUsages(role string, belowFlattened bool) *Field {
	on, used, weight := true, &Empty{}, 3.0
	var f Field
	switch role {
	case "id":
		f = Field{PrimaryKey: &on, Required: &on, Stored: &on, Filter: used}
	case "title":
		f = Field{
			Stored: &on, Sort: &Sort{}, Autocomplete: &TextUsage{},
			Matching: &TextUsage{
				Weight: &weight, Exact: &Exact{}, TypoTolerance: &TypoTolerance{}, Highlight: used,
				LengthNormalization: LengthStrong,
			},
		}
	case "description":
		f = Field{Stored: &on, Matching: &TextUsage{
			Highlight: used, TypoTolerance: &TypoTolerance{}, LengthNormalization: LengthNone,
		}}
	case "tag":
		f = Field{Filter: used, Facet: used, Matching: &TextUsage{Analyzer: preserveTerms()}}
	case "path":
		f = Field{Filter: used, Facet: used, Hierarchy: &Hierarchy{}}
	case "code":
		f = Field{
			Stored: &on, Filter: used, Autocomplete: &TextUsage{},
			Matching: &TextUsage{Analyzer: preserveTerms(), LengthNormalization: LengthNone},
		}
	case "timestamp":
		f = Field{Filter: used, Sort: &Sort{}, Facet: used}
	case "geo":
		f = Field{Filter: used, Sort: &Sort{}}
	}
	if belowFlattened {
		f.Stored, f.Sort = nil, nil
	}
	return &f
}

// addTo sets the properties of the role on a field that neither sets nor disables
// them.
func (role *Field) addTo(f *Field, off map[string]bool) {
	setDefault(&f.PrimaryKey, role.PrimaryKey, off["primaryKey"])
	setDefault(&f.Required, role.Required, off["required"])
	setDefault(&f.Stored, role.Stored, off["stored"])
	setDefault(&f.Filter, role.Filter, off["filter"])
	setDefault(&f.Sort, role.Sort, off["sort"])
	setDefault(&f.Facet, role.Facet, off["facet"])
	setDefault(&f.Hierarchy, role.Hierarchy, off["hierarchy"])
	setDefaultUsage(&f.Matching, role.Matching, "matching", off)
	setDefaultUsage(&f.Autocomplete, role.Autocomplete, "autocomplete", off)
}

func setDefault[T any](property **T, value *T, off bool) {
	if *property == nil && !off {
		*property = value
	}
}

func setDefaultUsage(usage **TextUsage, role *TextUsage, property string, off map[string]bool) {
	if *usage == nil || role == nil {
		setDefault(usage, role, off[property])
		return
	}
	given := *usage
	setDefault(&given.Weight, role.Weight, off[property+".weight"])
	setDefault(&given.Highlight, role.Highlight, off[property+".highlight"])
	setDefault(&given.TypoTolerance, role.TypoTolerance, off[property+".typoTolerance"])
	setDefault(&given.Exact, role.Exact, off[property+".exact"])
	// The decompound option applies to engine-built chains only.
	setDefault(&given.Analyzer, role.Analyzer, off[property+".analyzer"] || given.Decompound != nil)
	if given.LengthNormalization == "" && !off[property+".lengthNormalization"] {
		given.LengthNormalization = role.LengthNormalization
	}
}

// anyLocalized reports whether a field at any depth declares locales.
func anyLocalized(fields map[string]*Field) bool {
	for _, f := range fields {
		if f.Locales != nil || anyLocalized(f.Fields) {
			return true
		}
	}
	return false
}

// takesDeclaredLocales reports whether the index-wide locales apply to a field when
// no field declares locales: if its text is analysed and it is not the key, which
// cannot be localized.
func takesDeclaredLocales(f *Field) bool {
	return (f.Matching != nil || f.Autocomplete != nil) && !orDefault(f.PrimaryKey, false)
}

// expandLocales sets the index-wide locales on a localized field.
func (r *reader) expandLocales(f *Field, where position) {
	if f.Locales == nil {
		return
	}
	input, at := r.inputs[f], where.at.Field("locales")
	if r.declaration == nil {
		if input.givesOnly {
			r.untranslatable(at.Field("only"), problem.IndexFieldLocalesOnlyWithoutDeclaration, "name", where.name)
		}
		return
	}
	declared := r.declaration.tags
	if input.givesList {
		r.untranslatable(at.Field("locales"), problem.IndexFieldLocalesListWithDeclaration, "name", where.name)
	}
	if f.Locales.DefaultLocale == "" {
		f.Locales.DefaultLocale = r.declaration.defaultLocale
	} else if !slices.Contains(declared, f.Locales.DefaultLocale) {
		r.untranslatable(at.Field("defaultLocale"), problem.IndexFieldLocalesLocaleUnknown,
			"name", where.name, "locale", f.Locales.DefaultLocale)
	}
	held := declared
	if input.givesOnly {
		held = input.only
		for i, tag := range input.only {
			if !slices.Contains(declared, tag) {
				r.untranslatable(at.Field("only").Item(i), problem.IndexFieldLocalesLocaleUnknown, "name", where.name, "locale", tag)
			}
		}
		if !slices.Contains(held, f.Locales.DefaultLocale) {
			r.untranslatable(at.Field("only"), problem.IndexFieldLocalesDefaultNotInOnly,
				"name", where.name, "locale", f.Locales.DefaultLocale)
		}
	}
	f.Locales.Locales = []string{f.Locales.DefaultLocale}
	for _, tag := range held {
		if !slices.Contains(f.Locales.Locales, tag) {
			f.Locales.Locales = append(f.Locales.Locales, tag)
		}
	}
}

func preserveTerms() *Analyzer {
	return &Analyzer{Custom: &Chain{Filters: []TokenFilter{{Normalize: &Normalize{}}}}}
}

// expandAnalyzer replaces a preset by its chain. The decompound option of the usage
// is part of the full_text preset and becomes part of its chain.
func (r *reader) expandAnalyzer(a *Analyzer, usage *TextUsage, where location) {
	input := r.chosen[a]
	if input == nil { // from a role
		return
	}
	given := 0
	for _, is := range []bool{input.givesPreset, input.givesCustom, input.givesNamed} {
		if is {
			given++
		}
	}
	switch {
	case input.givesCustom && input.givesNamed && !input.givesPreset:
		r.untranslatable(where.at, problem.IndexFieldAnalyzerConflicting, "name", where.name)
		return
	case given != 1:
		r.untranslatable(where.at, problem.IndexFieldAnalyzerInvalid, "name", where.name)
		return
	case !input.givesPreset:
		return
	}
	switch input.preset {
	case "preserve_terms":
		*a = *preserveTerms()
	case "full_text":
		decompound := ""
		if usage != nil && usage.Decompound != nil {
			if decompound = *usage.Decompound; decompound != "none" {
				decompound, _ = r.capabilities.locale(decompound)
			}
		}
		*a = Analyzer{Custom: MatchingChain(decompound)}
		if usage != nil {
			usage.Decompound = nil
		}
	default:
		r.untranslatable(where.at, problem.IndexFieldAnalyzerInvalid, "name", where.name)
	}
}
