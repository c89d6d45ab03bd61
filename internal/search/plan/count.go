package plan

import (
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// Spans returns the byte ranges of the words of a text, as found in the first field
// that a text clause or matcher searches. The readings of a word share one span,
// that of the shortest reading: a compound reaches over the words after it.
func (c *Compiler) Spans(clause query.Clause, text string) ([][2]int, error) {
	var t target
	switch clause := clause.(type) {
	case *query.TextClause:
		targets, err := c.targets(nil, clause, scope{})
		if err != nil {
			return nil, err
		}
		t = targets[0]
		for _, other := range targets {
			if !other.isAutocomplete() {
				t = other
				break
			}
		}
	case *query.FieldClause:
		f, err := c.resolve(clause.Field, scope{}, clause.At)
		if err != nil {
			return nil, err
		}
		if t, err = c.target(f, nil, clause.At); err != nil {
			return nil, err
		}
	}
	chain, err := c.chains.QueryChain(t.field, t.isAutocomplete(), analysisLocale(t.field, t.variant))
	if err != nil {
		return nil, problem.SearchAnalysisFailed.At(t.at, "name", t.field.Path).Because(err)
	}
	var spans [][2]int
	last := int32(-1)
	for _, token := range chain.Analyze(c.buffer, text) {
		span := [2]int{int(token.Start), int(token.End)}
		if token.Position != last {
			spans, last = append(spans, span), token.Position
		} else if at := len(spans) - 1; span[1]-span[0] < spans[at][1]-spans[at][0] {
			spans[at] = span
		}
	}
	return spans, nil
}

// CountWords returns the number of words of a text in each field that a text clause
// searches, inside a nested list or outside of any ("").
func (c *Compiler) CountWords(clause *query.TextClause, list, text string) ([]int, error) {
	targets, err := c.targets(nil, clause, scope{list: list})
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(targets))
	for i, t := range targets {
		words, err := c.analyse(t, text, t.isAutocomplete())
		if err != nil {
			return nil, err
		}
		counts[i] = len(words)
	}
	return counts, nil
}
