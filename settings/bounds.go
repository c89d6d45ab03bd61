package settings

import (
	"fmt"

	"github.com/quiresearch/quire/problem"
)

// Bounds of settings. Every search reads settings, and the terms of synonyms and
// typo exclusions are analysed once per chain of the fields.
const (
	maxSets      = 1000    // sets of synonyms; also lists of typo exclusions
	maxTerms     = 100_000 // of all sets of synonyms; also of all lists of typo exclusions
	maxTermBytes = 1000
	maxNames     = 1000 // field names in one set or list
)

// isWithinBounds reports whether the settings exceed no bound. The receiver may be
// nil.
func (s *Settings) isWithinBounds() bool { return s == nil || s.excesses().Len() == 0 }

// excesses returns a problem for every bound that the settings exceed, each at its
// path.
func (s *Settings) excesses() *problem.List {
	c := boundsChecker{}
	for i := range s.Synonyms {
		set := &s.Synonyms[i]
		c.names(set.At, set.Fields)
		for _, rule := range set.Rules {
			c.terms(rule.Equivalent)
			c.terms(rule.From)
			c.terms(rule.To)
		}
		c.endSet(set.At)
	}
	c.end(problem.At("synonyms"))
	for i := range s.TypoExclusions {
		list := &s.TypoExclusions[i]
		c.names(list.At, list.Fields)
		c.terms(list.Words)
		c.endSet(list.At)
	}
	c.end(problem.At("typoExclusions"))
	return &c.found
}

// boundsChecker counts the content of sets of terms.
type boundsChecker struct {
	found   problem.List
	sets    int
	counted int
	longest int // length of the longest term of the current set
}

func (c *boundsChecker) refuse(at problem.Path, format string, bound int) {
	if c.found.Len() < maxProblems {
		c.found.Report(problem.RequestValueInvalid.At(at, "reason", fmt.Sprintf(format, bound)))
	}
}

func (c *boundsChecker) names(at problem.Path, fields []string) {
	if len(fields) > maxNames {
		c.refuse(at.Field("fields"), "more than %d fields", maxNames)
	}
}

func (c *boundsChecker) terms(terms []string) {
	c.counted += len(terms)
	for _, term := range terms {
		c.longest = max(c.longest, len(term))
	}
}

func (c *boundsChecker) endSet(at problem.Path) {
	if c.longest > maxTermBytes {
		c.refuse(at, "a term of more than %d bytes", maxTermBytes)
	}
	c.sets, c.longest = c.sets+1, 0
}

func (c *boundsChecker) end(at problem.Path) {
	if c.sets > maxSets {
		c.refuse(at, "more than %d sets", maxSets)
	}
	if c.counted > maxTerms {
		c.refuse(at, "more than %d terms in all sets together", maxTerms)
	}
	c.sets, c.counted = 0, 0
}
