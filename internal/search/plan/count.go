package plan

import "github.com/quiresearch/quire/query"

// CountWords returns how many words each field that a text clause searches,
// inside a nested list or outside of one (""), finds in a text.
func (c *Compiler) CountWords(clause *query.TextClause, list, text string) ([]int, error) {
	targets, err := c.targets(clause, scope{list: list})
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
