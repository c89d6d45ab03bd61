package plan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/settings"
)

// alternative is another way to say a run of typed words.
type alternative struct {
	terms   []string
	offsets []int // positions of the terms, relative to the first
	span    int   // number of typed words it stands for, starting with the one it is attached to
	boost   float64
	silent  bool // attached to a later word of its run: it matches without scoring
}

// fieldKey identifies a way in which a field is searched.
type fieldKey struct {
	path, variant string
	autocomplete  bool
}

// synonymKey is a chain and the synonym sets of the settings that apply to a field.
// Fields that are analysed alike share the analysed rules.
type synonymKey struct {
	chain *analysis.Chain
	sets  string // a byte for each set; "" if all apply
}

// synonymTable holds the analysed rules of a chain, keyed by the first term of the
// typed side. A rule from n texts to m stands here n times; the copies share the m.
type synonymTable struct {
	rules map[string][]synonymRule
}

type synonymRule struct {
	side
	meant []side
	boost float64
}

// side is one text of a rule, analysed.
type side struct {
	text    string
	terms   []string
	offsets []int // positions of the terms, relative to the first
}

// addSynonyms attaches the alternatives of every run of typed words to its words.
// Only the words as typed trigger rules, not the longer words they may be the start
// of.
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
			for j := range table.rules[term] {
				if rule := &table.rules[term][j]; startsStretch(words[i:], rule.terms) {
					c.hang(rule, words[i:])
				}
			}
		}
	}
	return nil
}

// hang attaches the alternatives of a rule to the words of its run.
func (c *Compiler) hang(rule *synonymRule, words []word) {
	for i := range rule.meant {
		m := &rule.meant[i]
		if strings.EqualFold(rule.text, m.text) || slices.Equal(rule.terms, m.terms) {
			continue
		}
		for j := range rule.terms {
			if c.hung >= MaxSearchAlternatives || len(words[j].synonyms) >= MaxAlternatives {
				return
			}
			c.hung++
			words[j].add(alternative{terms: m.terms, offsets: m.offsets, span: len(rule.terms), boost: rule.boost, silent: j > 0})
		}
	}
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

// add attaches an alternative to a word. A duplicate keeps the lower boost, and a
// word is not a synonym of itself.
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
	known := fieldKey{t.field.Path, t.variant, autocomplete}
	if table := c.synonyms[known]; table != nil {
		return table, nil
	}
	chain, err := c.chainOf(t, autocomplete)
	if err != nil {
		return nil, err
	}
	sets := c.settings.Synonyms
	holds := func(i int) bool { return !sets[i].HasFields || slices.Contains(sets[i].Fields, t.field.Path) }
	key := synonymKey{chain, setsOf(len(sets), holds)}
	table, _ := c.cache.get(c.settings, c.schema, key)
	if table == nil {
		table = &synonymTable{rules: map[string][]synonymRule{}}
		for i := range sets {
			if !holds(i) {
				continue
			}
			for _, rule := range sets[i].Rules {
				c.addRule(table, chain, rule, sets[i].Boost)
			}
		}
		c.cache.put(c.settings, c.schema, key, table, nil)
	}
	if c.synonyms == nil {
		c.synonyms = map[fieldKey]*synonymTable{}
	}
	c.synonyms[known] = table
	return table, nil
}

// setsOf encodes which of n sets apply.
func setsOf(n int, holds func(int) bool) string {
	var sets []byte
	for i := range n {
		if !holds(i) && sets == nil {
			sets = bytes.Repeat([]byte{'+'}, n)
		}
		if sets != nil && !holds(i) {
			sets[i] = '-'
		}
	}
	return string(sets)
}

// addRule adds a rule. It drops a rule with a text in which the chain finds no
// word.
func (c *Compiler) addRule(table *synonymTable, chain *analysis.Chain, rule settings.SynonymRule, boost float64) {
	from, ok := c.sides(chain, rule.From)
	meant, both := c.sides(chain, rule.To)
	if len(rule.Equivalent) > 0 {
		from, ok = c.sides(chain, rule.Equivalent)
		meant, both = from, ok
	}
	if !ok || !both {
		return
	}
	for _, typed := range from {
		table.rules[typed.terms[0]] = append(table.rules[typed.terms[0]], synonymRule{side: typed, meant: meant, boost: boost})
	}
}

// sides analyses the texts of one side of a rule. It returns false when one of them
// has no word.
func (c *Compiler) sides(chain *analysis.Chain, texts []string) ([]side, bool) {
	sides := make([]side, 0, len(texts))
	for _, text := range texts {
		s := side{text: text}
		first := int32(0)
		for _, token := range chain.Analyze(c.buffer, beginningOf(text)) {
			offset := int(token.Position - first)
			if n := len(s.terms); n == 0 {
				first, offset = token.Position, 0
			} else if offset == s.offsets[n-1] {
				continue // another reading of the word
			} else if n == MaxWords {
				break
			}
			s.terms, s.offsets = append(s.terms, string(token.Term)), append(s.offsets, offset)
		}
		if len(s.terms) == 0 {
			return nil, false
		}
		sides = append(sides, s)
	}
	return sides, true
}

// isExcluded reports whether the settings exclude a term from typo tolerance.
func (c *Compiler) isExcluded(t target, autocomplete bool, term string) bool {
	if c.settings == nil || len(c.settings.TypoExclusions) == 0 {
		return false
	}
	known := fieldKey{t.field.Path, t.variant, autocomplete}
	terms, ok := c.excluded[known]
	if !ok {
		terms = c.excludedTerms(t, autocomplete)
		if c.excluded == nil {
			c.excluded = map[fieldKey]map[string]bool{}
		}
		c.excluded[known] = terms
	}
	return terms[term]
}

func (c *Compiler) excludedTerms(t target, autocomplete bool) map[string]bool {
	chain, err := c.chainOf(t, autocomplete)
	if err != nil {
		return nil // the words of the query already went through the same chain
	}
	lists := c.settings.TypoExclusions
	holds := func(i int) bool { return !lists[i].HasFields || slices.Contains(lists[i].Fields, t.field.Path) }
	key := synonymKey{chain, setsOf(len(lists), holds)}
	if _, terms := c.cache.get(c.settings, c.schema, key); terms != nil {
		return terms
	}
	terms := map[string]bool{}
	for i := range lists {
		if !holds(i) {
			continue
		}
		for _, text := range lists[i].Words {
			for _, token := range chain.Analyze(c.buffer, beginningOf(text)) {
				terms[string(token.Term)] = true
			}
		}
	}
	c.cache.put(c.settings, c.schema, key, nil, terms)
	return terms
}
