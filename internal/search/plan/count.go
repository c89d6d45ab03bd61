package plan

import (
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// Spans returns where the words of a text begin and end, in bytes, as the
// first field that a text clause or matcher searches finds them. Readings of
// one word share a span, that of the shortest: a compound reaches over the
// words behind it.
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

// CountWords returns how many words each field that a text clause searches,
// inside a nested list or outside of one (""), finds in a text.
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
