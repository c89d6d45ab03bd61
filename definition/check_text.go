package definition

import (
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/quiresearch/quire/problem"
)

func (r *reader) checkString(d *Definition, f *Field, where position) {
	if f.Matching != nil {
		r.checkTextUsage(d, f, f.Matching, problem.IndexFieldMatchingWeightOutOfRange, where)
	}
	if f.Autocomplete != nil {
		r.checkTextUsage(d, f, f.Autocomplete, problem.IndexFieldAutocompleteWeightOutOfRange, where)
	}
	if f.Hierarchy != nil && f.Hierarchy.Separator != nil && *f.Hierarchy.Separator == "" {
		r.rule(where.at, problem.IndexFieldHierarchySeparatorInvalid, "name", where.name)
	}
}

func (r *reader) checkTextUsage(d *Definition, f *Field, usage *TextUsage, weight *problem.Code, where position) {
	report := func(code *problem.Code, arguments ...any) {
		r.rule(where.at, code, append([]any{"name", where.name}, arguments...)...)
	}
	if !(orDefault(usage.Weight, 1) > 0) {
		report(weight)
	}
	if usage.Exact != nil && !(orDefault(usage.Exact.Boost, DefaultExactBoost) > 0) {
		report(problem.IndexFieldExactBoostOutOfRange)
	}
	if typo := usage.TypoTolerance; typo != nil {
		one := orDefault(typo.MinLengthOneTypo, DefaultMinLengthOneTypo)
		if one < 1 {
			report(problem.IndexFieldMatchingTypoMinLengthOutOfRange)
		}
		if orDefault(typo.MinLengthTwoTypos, DefaultMinLengthTwoTypos) < one {
			report(problem.IndexFieldMatchingTypoLengthsConflicting)
		}
		if orDefault(typo.PrefixLength, DefaultPrefixLength) < 0 {
			report(problem.IndexFieldMatchingTypoPrefixOutOfRange)
		}
	}
	switch {
	case usage.Analyzer != nil:
		r.checkAnalyzer(d, f, usage, where)
	case usage.Decompound != nil:
		r.checkDecompound(usage, where)
	case usage == f.Matching:
		r.checkCompoundData(f, where)
	}
}

// checkCompoundData checks that the node has the data for a chain that splits
// compounds in the locale of each value. Unknown locales are reported elsewhere.
func (r *reader) checkCompoundData(f *Field, where position) {
	for _, tag := range localesOf(f) {
		if _, ok := r.capabilities.locale(tag); ok && r.capabilities.lacksCompoundData(tag) {
			r.rule(where.at, problem.IndexFieldAnalyzerDecompoundLocaleUnsupported, "name", where.name, "locale", tag)
		}
	}
}

// checkDecompound checks the decompound option of an engine-built chain.
func (r *reader) checkDecompound(usage *TextUsage, where position) {
	if *usage.Decompound == "none" {
		return
	}
	tag, ok := r.capabilities.locale(*usage.Decompound)
	switch {
	case !ok:
		r.rule(where.at, problem.IndexFieldAnalyzerLocaleUnsupported, "name", where.name, "locale", *usage.Decompound)
	case !r.hasCompoundData(tag):
		r.rule(where.at, problem.IndexFieldAnalyzerDecompoundLocaleUnsupported, "name", where.name, "locale", tag)
	default:
		usage.Decompound = &tag
	}
}

func (r *reader) hasCompoundData(tag string) bool {
	return r.capabilities.Decompounds == nil || r.capabilities.Decompounds(tag)
}

func (r *reader) checkAnalyzer(d *Definition, f *Field, usage *TextUsage, where position) {
	if usage.Decompound != nil {
		r.rule(where.at, problem.IndexFieldAnalyzerDecompoundConflicting, "name", where.name)
	}
	chain := usage.Analyzer.Custom
	if named := usage.Analyzer.Named; named != nil {
		if d.Resources == nil || d.Resources.Analyzers[*named] == nil {
			r.unknown(where.at, problem.IndexFieldAnalyzerChainUnknown, *named, d.resourceNames().analyzers, "name", where.name, "resource", *named)
			return
		}
		chain = d.Resources.Analyzers[*named].Custom
	} else if chain != nil {
		r.checkChain(d, chain, where.location)
	}
	if chain == nil {
		return
	}
	for _, filter := range chain.Filters {
		if filter.Decompound != nil && filter.Decompound.Locale == "" {
			r.checkCompoundData(f, where)
		}
	}
}

// localesOf returns the locales that values of a field may have.
func localesOf(f *Field) []string {
	if f.Locales == nil {
		return []string{DefaultLocale}
	}
	resolved := &ResolvedField{}
	resolved.compileLocales(f.Locales, nil)
	return resolved.Locales
}

// checkChain checks the components of a chain.
func (r *reader) checkChain(d *Definition, chain *Chain, where location) {
	report := func(code *problem.Code, arguments ...any) {
		r.rule(where.at, code, append([]any{"name", where.name}, arguments...)...)
	}
	for _, filter := range chain.CharFilters {
		if replace := filter.PatternReplace; replace != nil {
			if len(replace.Pattern) > maxPatternSize {
				report(problem.IndexFieldAnalyzerPatternInvalid, "pattern", replace.Pattern[:40]+"…", "reason", "longer than 1000 bytes")
			} else if reason := r.patternProblem(replace.Pattern); reason != "" {
				report(problem.IndexFieldAnalyzerPatternInvalid, "pattern", replace.Pattern, "reason", reason)
			}
		}
	}
	locale := func(tag string) bool {
		if tag == "" {
			return true
		}
		_, ok := r.capabilities.locale(tag)
		if !ok {
			report(problem.IndexFieldAnalyzerLocaleUnsupported, "locale", tag)
		}
		return ok
	}
	for _, filter := range chain.Filters {
		switch {
		case filter.Stopwords != nil:
			locale(filter.Stopwords.Locale)
			if named := filter.Stopwords.Named; named != nil && (d.Resources == nil || !hasName(d.Resources.Stopwords, *named)) {
				r.unknown(where.at, problem.IndexFieldAnalyzerStopwordsUnknown, *named, d.resourceNames().stopwords, "name", where.name, "resource", *named)
			}
		case filter.Synonyms != nil:
			if named := filter.Synonyms.Named; d.Resources == nil || !hasName(d.Resources.Synonyms, named) {
				r.unknown(where.at, problem.IndexFieldAnalyzerSynonymsUnknown, named, d.resourceNames().synonyms, "name", where.name, "resource", named)
			}
		case filter.Stemming != nil:
			locale(filter.Stemming.Locale)
		case filter.Decompound != nil:
			if tag := filter.Decompound.Locale; tag != "" && locale(tag) && !r.hasCompoundData(tag) {
				report(problem.IndexFieldAnalyzerDecompoundLocaleUnsupported, "locale", tag)
			}
		case filter.EdgeNgram != nil:
			if !filter.EdgeNgram.isValid(maxGram) {
				report(problem.IndexFieldAnalyzerGramsInvalid)
			}
		case filter.Ngram != nil:
			if !filter.Ngram.isValid(maxNgramSpan) {
				report(problem.IndexFieldAnalyzerGramsInvalid)
			}
		}
	}
}

// patternProblem returns what is wrong with a pattern, or "" if it is valid. Once
// the patterns exceed their total bound, which checkBounds reports, it checks no
// more.
func (r *reader) patternProblem(pattern string) string {
	if !r.isStored && r.instructions > maxInstructions {
		return ""
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return err.Error()
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return err.Error()
	}
	r.instructions += len(prog.Inst)
	if !r.isStored && len(prog.Inst) > maxPatternInstructions {
		return fmt.Sprintf("it compiles to %d instructions, which is more than %d", len(prog.Inst), maxPatternInstructions)
	}
	return ""
}

// isValid reports whether the sizes are in order, within the maximum of any node,
// and at most span apart.
func (n *Ngram) isValid(span int) bool {
	return n.Min() >= 1 && n.Max() >= n.Min() && n.Max() <= maxGram && n.Max()-n.Min() <= span
}

func hasName[T any](m map[string]T, name string) bool {
	_, ok := m[name]
	return ok
}

func (r *reader) checkResources(d *Definition) {
	if d.Resources == nil {
		return
	}
	for _, name := range sortedNames(d.Resources.Analyzers) {
		analyzer := d.Resources.Analyzers[name]
		where := location{problem.At("resources.analyzers").Field(name), name}
		if analyzer.Named != nil {
			r.rule(where.at, problem.IndexResourcesAnalyzersNamed, "name", name)
		} else if analyzer.Custom != nil {
			r.checkChain(d, analyzer.Custom, where)
		}
	}
}

func (r *reader) checkSynonymRule(rule SynonymRule, where location) {
	words := rule.Equivalent
	switch {
	case (rule.Equivalent != nil) == (rule.Mapping != nil):
		r.rule(where.at, problem.IndexResourcesSynonymsRuleInvalid, "name", where.name)
		return
	case rule.Mapping != nil:
		words = append(append(words, rule.Mapping.From...), rule.Mapping.To...)
		if len(rule.Mapping.From) == 0 || len(rule.Mapping.To) == 0 {
			r.rule(where.at, problem.IndexResourcesSynonymsOneSided, "name", where.name)
		}
	case len(words) < 2:
		r.rule(where.at, problem.IndexResourcesSynonymsWordsTooFew, "name", where.name)
	}
	for _, word := range words {
		if strings.TrimSpace(word) == "" {
			r.rule(where.at, problem.IndexResourcesSynonymsWordRequired, "name", where.name)
			return
		}
	}
}

// resourceNames are the names that fields can refer to.
type resourceNames struct{ analyzers, stopwords, synonyms []string }

func (d *Definition) resourceNames() resourceNames {
	if d.Resources == nil {
		return resourceNames{}
	}
	return resourceNames{sortedNames(d.Resources.Analyzers), sortedNames(d.Resources.Stopwords), sortedNames(d.Resources.Synonyms)}
}
