package definition

import (
	"slices"
	"sort"
)

func (s *Schema) compileChildren(fields map[string]*Field, object *ResolvedField) *children {
	c := &children{exact: make(map[string]*ResolvedField, len(fields))}
	for name, field := range fields {
		if isPattern(name) {
			c.patterns = append(c.patterns, pattern{name, field})
			continue
		}
		child := s.compileField(field, name, name, object)
		c.exact[name] = child
		c.sorted = append(c.sorted, child)
	}
	sort.Slice(c.sorted, func(i, j int) bool { return c.sorted[i].Name < c.sorted[j].Name })
	for _, child := range c.sorted {
		if child.Required {
			c.required = append(c.required, child)
		}
	}
	sortPatterns(c.patterns)
	return c
}

// compileField returns a field with its defaults, under a concrete name inside an
// object.
func (s *Schema) compileField(d *Field, name, declared string, object *ResolvedField) *ResolvedField {
	f := &ResolvedField{
		Path: name, Name: name, Declared: declared, Type: d.Type, Parent: object, schema: s,
		IsWildcard:     object.IsWildcard || isPattern(declared),
		PrimaryKey:     orDefault(d.PrimaryKey, false),
		Multiple:       orDefault(d.Multiple, false),
		Stored:         orDefault(d.Stored, false),
		List:           object.List,
		BelowFlattened: object.BelowFlattened || object.Mode == Flattened,
		DefaultLocale:  DefaultLocale,
		Filter:         d.Filter != nil,
		Facet:          d.Facet != nil,
		Sort:           d.Sort != nil || d.Signal != nil,
		Collation:      CollationLocale,
		Missing:        MissingLast,
		Signal:         d.Signal != nil,
		CaseFolding:    d.Keyword == nil || orDefault(d.Keyword.CaseFolding, true),
	}
	if object.Path != "" {
		f.Path = object.Path + "." + name
		f.Declared = object.Declared + "." + declared
	}
	if object.Mode == Nested {
		f.List = object.Path
	}
	f.Required = orDefault(d.Required, false) || f.PrimaryKey
	if d.Sort != nil {
		f.Collation = orValue(d.Sort.Collation, CollationLocale)
		f.Missing = orValue(d.Sort.Missing, MissingLast)
	}
	if d.Locales != nil {
		f.compileLocales(d.Locales, s.definition.LocaleFallback)
	}
	switch {
	case d.Type == String:
		s.compileString(f, d)
	case d.Type.IsNumber():
		if d.Validation != nil {
			f.Min, f.Max = d.Validation.Min, d.Validation.Max
		}
		f.Unit = orDefault(d.Unit, "")
	case d.Type == Vector:
		f.compileVector(d)
	case d.Type == Object:
		f.Mode = d.Mode
		f.children = s.compileChildren(d.Fields, f)
		if d.Key != nil {
			f.Key = f.children.exact[*d.Key]
		}
	}
	return f
}

func (f *ResolvedField) compileLocales(d *Locales, fallback *LocaleFallback) {
	f.DefaultLocale = orValue(d.DefaultLocale, DefaultLocale)
	f.Locales = []string{f.DefaultLocale}
	for _, tag := range d.Locales {
		if !slices.Contains(f.Locales, tag) {
			f.Locales = append(f.Locales, tag)
		}
	}
	if fallback == nil || d.Fallback == "disabled" {
		return
	}
	if fallback.Chain == nil {
		f.FallbackOrder = []string{f.DefaultLocale}
		return
	}
	for _, tag := range fallback.Chain {
		if slices.Contains(f.Locales, tag) {
			f.FallbackOrder = append(f.FallbackOrder, tag)
		}
	}
}

func (s *Schema) compileString(f *ResolvedField, d *Field) {
	if d.Matching != nil {
		f.Matching = s.compileText(d.Matching, false)
	}
	if d.Autocomplete != nil {
		f.Autocomplete = s.compileText(d.Autocomplete, true)
	}
	if d.Hierarchy != nil {
		f.Hierarchy = true
		f.Separator = orDefault(d.Hierarchy.Separator, "/")
	}
}

func (s *Schema) compileText(d *TextUsage, isAutocomplete bool) *ResolvedText {
	t := &ResolvedText{
		Chain:      s.chains[s.definition.analyzerOf(d)],
		Decompound: orDefault(d.Decompound, ""),
		Weight:     orDefault(d.Weight, 1),
		Highlight:  d.Highlight != nil,
		Exact:      d.Exact != nil,
		ExactBoost: DefaultExactBoost,
		Length:     orValue(d.LengthNormalization, LengthModerate),
	}
	if d.Exact != nil {
		t.ExactBoost = orDefault(d.Exact.Boost, DefaultExactBoost)
	}
	if typo := d.TypoTolerance; typo != nil {
		t.Typos = &Typos{
			MinLengthOne: orDefault(typo.MinLengthOneTypo, DefaultMinLengthOneTypo),
			MinLengthTwo: orDefault(typo.MinLengthTwoTypos, DefaultMinLengthTwoTypos),
			PrefixLength: orDefault(typo.PrefixLength, DefaultPrefixLength),
			Numbers:      typo.Numbers != nil,
		}
		if isAutocomplete && typo.MinLengthTwoTypos == nil {
			t.Typos.MinLengthTwo = 0
		}
	}
	return t
}

func (f *ResolvedField) compileVector(d *Field) {
	f.Dimensions = orDefault(d.Dimensions, 0)
	f.Similarity = orValue(d.Similarity, Cosine)
	f.Quantization = orValue(d.Quantization, QuantizationNone)
	f.M, f.EFConstruction = DefaultM, DefaultEFConstruction
	if d.HNSW != nil {
		f.M = orDefault(d.HNSW.M, DefaultM)
		f.EFConstruction = orDefault(d.HNSW.EFConstruction, DefaultEFConstruction)
	}
}

// analyzerOf returns the analyzer of a usage, with a name resolved to the named
// analyzer. It returns nil when the engine builds the chain.
func (d *Definition) analyzerOf(usage *TextUsage) *Analyzer {
	if usage == nil || usage.Analyzer == nil {
		return nil
	}
	if usage.Analyzer.Named == nil {
		return usage.Analyzer
	}
	if d.Resources == nil {
		return nil
	}
	return d.Resources.Analyzers[*usage.Analyzer.Named]
}

// resolveAnalyzers resolves the chains of fields and of the fields inside them.
// Usages that name the same analyzer, and concrete names of a pattern, share one
// chain.
func (s *Schema) resolveAnalyzers(fields map[string]*Field) {
	for _, f := range fields {
		for _, usage := range []*TextUsage{f.Matching, f.Autocomplete} {
			a := s.definition.analyzerOf(usage)
			if a != nil && a.Custom != nil && s.chains[a] == nil {
				s.chains[a] = resolveChain(a.Custom, s.definition.Resources)
			}
		}
		s.resolveAnalyzers(f.Fields)
	}
}

// resolveChain returns a chain with the content of the lists and sets it names.
func resolveChain(chain *Chain, resources *Resources) *Chain {
	resolved := *chain
	resolved.Filters = make([]TokenFilter, len(chain.Filters))
	for i, filter := range chain.Filters {
		if list := filter.Stopwords; list != nil && list.Named != nil && resources != nil {
			filter.Stopwords = &Stopwords{Words: nonNil(resources.Stopwords[*list.Named])}
		}
		if set := filter.Synonyms; set != nil && resources != nil && resources.Synonyms[set.Named] != nil {
			filter.Synonyms = &Synonyms{Named: set.Named, Rules: resources.Synonyms[set.Named].Rules}
		}
		resolved.Filters[i] = filter
	}
	return &resolved
}

func orValue[T comparable](given, otherwise T) T {
	var unset T
	if given == unset {
		return otherwise
	}
	return given
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
