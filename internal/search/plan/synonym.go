package plan

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/settings"
)

// alternative is another way to say a stretch of words (7.7).
type alternative struct {
	terms   []string
	offsets []int // places of the terms from the first
	span    int   // typed words it stands for, from the one it hangs on
	boost   float64
	silent  bool // it hangs on a later word of its stretch and only matches
}

type synonymKey struct {
	path, variant string
	autocomplete  bool
}

// synonymTable holds the rules of a field, analysed, by the first term of
// the typed side.
type synonymTable struct {
	rules map[string][]synonymRule
}

type synonymRule struct {
	typed []string
	alternative
}

// addSynonyms hangs the alternatives of every stretch of typed words on its
// words. A word triggers a rule as it is typed: what it may be the start of
// triggers nothing.
func (c *Compiler) addSynonyms(t target, words []word) error {
	if c.settings == nil || len(c.settings.Synonyms) == 0 {
		return nil
	}
	table, err := c.synonymsOf(t, t.isAutocomplete())
	if err != nil || len(table.rules) == 0 {
		return err
	}
	for i := range words {
		for _, term := range words[i].terms {
			for _, rule := range table.rules[term] {
				if !startsStretch(words[i:], rule.typed) {
					continue
				}
				for j := range rule.typed {
					a := rule.alternative
					a.silent = j > 0
					words[i+j].add(a)
				}
			}
		}
	}
	return nil
}

func startsStretch(words []word, typed []string) bool {
	if len(typed) > len(words) {
		return false
	}
	for i, term := range typed {
		if !slices.Contains(words[i].terms, term) {
			return false
		}
	}
	return true
}

// add hangs an alternative on a word; one that is there keeps the lower
// boost, and a word is no synonym of itself.
func (w *word) add(a alternative) {
	if len(a.terms) == 1 && slices.Contains(w.terms, a.terms[0]) {
		return
	}
	for i := range w.synonyms {
		have := &w.synonyms[i]
		if have.span == a.span && have.silent == a.silent && slices.Equal(have.terms, a.terms) && slices.Equal(have.offsets, a.offsets) {
			have.boost = min(have.boost, a.boost)
			return
		}
	}
	w.synonyms = append(w.synonyms, a)
}

func (c *Compiler) synonymsOf(t target, autocomplete bool) (*synonymTable, error) {
	key := synonymKey{t.field.Path, t.variant, autocomplete}
	if table := c.synonyms[key]; table != nil {
		return table, nil
	}
	if table, _ := c.memory.recall(c.settings, c.schema, key); table != nil {
		return table, nil
	}
	table := &synonymTable{rules: map[string][]synonymRule{}}
	for _, set := range c.settings.Synonyms {
		if set.HasFields && !slices.Contains(set.Fields, t.field.Path) {
			continue
		}
		for _, rule := range set.Rules {
			if err := c.addRule(table, t, autocomplete, rule, set.Boost); err != nil {
				return nil, err
			}
		}
	}
	if c.synonyms == nil {
		c.synonyms = map[synonymKey]*synonymTable{}
	}
	c.synonyms[key] = table
	c.memory.keep(c.settings, c.schema, key, table, nil)
	return table, nil
}

func (c *Compiler) addRule(table *synonymTable, t target, autocomplete bool, rule settings.SynonymRule, boost float64) error {
	from, to := rule.From, rule.To
	if len(rule.Equivalent) > 0 {
		from, to = rule.Equivalent, rule.Equivalent
	}
	sides := make(map[string][]word, len(from)+len(to))
	for _, text := range slices.Concat(from, to) {
		if _, done := sides[text]; done {
			continue
		}
		words, err := c.analyse(t, text, autocomplete)
		if err != nil {
			return err
		}
		if len(words) == 0 {
			return nil // what the field has no word for drops the rule there
		}
		sides[text] = words
	}
	for _, typed := range from {
		for _, meant := range to {
			if strings.EqualFold(typed, meant) {
				continue
			}
			r := synonymRule{alternative: alternative{span: len(sides[typed]), boost: boost}}
			for _, w := range sides[typed] {
				r.typed = append(r.typed, w.terms[0])
			}
			for _, w := range sides[meant] {
				r.terms = append(r.terms, w.terms[0])
				r.offsets = append(r.offsets, w.position-sides[meant][0].position)
			}
			if !slices.Equal(r.typed, r.terms) {
				table.rules[r.typed[0]] = append(table.rules[r.typed[0]], r)
			}
		}
	}
	return nil
}

// isExcluded reports whether the settings hold a word to its spelling.
func (c *Compiler) isExcluded(t target, autocomplete bool, term string) bool {
	if c.settings == nil || len(c.settings.TypoExclusions) == 0 {
		return false
	}
	key := synonymKey{t.field.Path, t.variant, autocomplete}
	terms, known := c.excluded[key]
	if !known {
		_, terms = c.memory.recall(c.settings, c.schema, key)
		known = terms != nil
	}
	if !known {
		terms = map[string]bool{}
		for _, list := range c.settings.TypoExclusions {
			if list.HasFields && !slices.Contains(list.Fields, t.field.Path) {
				continue
			}
			for _, text := range list.Words {
				words, err := c.analyse(t, text, autocomplete)
				if err != nil {
					continue // the words of the query met the same chain and were read
				}
				for _, w := range words {
					for _, reading := range w.terms {
						terms[reading] = true
					}
				}
			}
		}
		if c.excluded == nil {
			c.excluded = map[synonymKey]map[string]bool{}
		}
		c.excluded[key] = terms
		c.memory.keep(c.settings, c.schema, key, nil, terms)
	}
	return terms[term]
}
