package definition

import (
	"fmt"
	"strings"

	"github.com/quiresearch/quire/problem"
)

// Bounds of analysis in a new definition. Documents and texts have bounds of their
// own; these reject early what would make documents invalid or take much memory in
// every chain.
const (
	maxPatternInstructions = 1000    // of one pattern
	maxInstructions        = 100_000 // of all patterns, counted once per use
	maxComponents          = 64      // char filters of a chain; also token filters
	maxMappingBytes        = 100_000 // of the keys of all mappings
	maxStopwords           = 100_000 // of all lists
	maxSynonymTerms        = 300_000 // of all sets
	maxTermBytes           = 1000    // of a synonym
	maxExpansion           = 10_000  // words that the synonym filters of a chain may add for one
)

// checkBounds reports the bounds that a definition exceeds.
func (r *reader) checkBounds(d *Definition) {
	c := boundsChecker{reader: r, d: d, largest: make(map[string]int)}
	if d.Resources != nil {
		c.resources(d.Resources)
	}
	c.fields(d.Fields, problem.At("fields"))
	whole := problem.Path{}
	c.total(whole, r.instructions, maxInstructions, "the patterns compile to more than %d instructions together")
	c.total(whole, c.mappingBytes, maxMappingBytes, "the keys of mappings have more than %d bytes together")
	c.total(whole, c.stopwords, maxStopwords, "the lists of stopwords have more than %d words together")
}

type boundsChecker struct {
	*reader
	d            *Definition
	mappingBytes int
	stopwords    int
	largest      map[string]int // by synonym set: maximum number of words that one match adds
}

func (c *boundsChecker) refuse(at problem.Path, format string, bound int) {
	c.rule(at, problem.RequestValueInvalid, "reason", fmt.Sprintf(format, bound))
}

func (c *boundsChecker) total(at problem.Path, have, bound int, format string) {
	if have > bound {
		c.refuse(at, format, bound)
	}
}

func (c *boundsChecker) resources(resources *Resources) {
	for _, words := range resources.Stopwords {
		c.stopwords += len(words)
	}
	terms := 0
	for _, name := range sortedNames(resources.Synonyms) {
		at := problem.At("resources.synonyms").Field(name)
		words := make(map[string]int) // number of words that a match of the term adds
		isLong := false
		each := func(from, to []string) {
			added := 0
			for _, text := range to {
				added += len(strings.Fields(text))
				isLong = isLong || len(text) > maxTermBytes
			}
			for _, text := range from {
				words[text] += added
				c.largest[name] = max(c.largest[name], words[text])
				isLong = isLong || len(text) > maxTermBytes
			}
			terms += len(from) + len(to)
		}
		for _, rule := range resources.Synonyms[name].Rules {
			if rule.Mapping != nil {
				each(rule.Mapping.From, rule.Mapping.To)
			} else {
				each(rule.Equivalent, rule.Equivalent)
				terms -= len(rule.Equivalent)
			}
		}
		if isLong {
			c.refuse(at, "a term of more than %d bytes", maxTermBytes)
		}
	}
	c.total(problem.At("resources.synonyms"), terms, maxSynonymTerms, "more than %d terms in all sets together")
	for _, name := range sortedNames(resources.Analyzers) {
		c.chain(resources.Analyzers[name], problem.At("resources.analyzers").Field(name))
	}
}

func (c *boundsChecker) fields(fields map[string]*Field, at problem.Path) {
	for _, name := range sortedNames(fields) {
		f := fields[name]
		for _, usage := range []*TextUsage{f.Matching, f.Autocomplete} {
			if usage != nil && usage.Analyzer != nil {
				c.chain(usage.Analyzer, at.Field(name))
			}
		}
		c.fields(f.Fields, at.Field(name).Field("fields"))
	}
}

func (c *boundsChecker) chain(analyzer *Analyzer, at problem.Path) {
	chain := analyzer.Custom
	if chain == nil {
		return
	}
	c.total(at, len(chain.CharFilters), maxComponents, "more than %d char filters in one chain")
	c.total(at, len(chain.Filters), maxComponents, "more than %d filters in one chain")
	for _, f := range chain.CharFilters {
		if f.Mapping != nil {
			for key := range f.Mapping.Mappings {
				c.mappingBytes += len(key)
			}
		}
	}
	expansion := 1.0
	for _, f := range chain.Filters {
		if f.Stopwords != nil {
			c.stopwords += len(f.Stopwords.Words)
		}
		if f.Synonyms != nil {
			expansion *= float64(1 + c.largest[f.Synonyms.Named])
		}
	}
	if expansion > maxExpansion {
		c.refuse(at, "the synonym filters of the chain make more than %d words of one", maxExpansion)
	}
}
