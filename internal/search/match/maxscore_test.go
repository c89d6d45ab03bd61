package match

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
)

// terms returns words of the title that score by themselves, any or all of them.
func (m *textMaker) terms() plan.Node {
	var words []plan.Node
	for count := 1 + m.IntN(4); len(words) < count; {
		scoring := &plan.Scoring{Weight: float64(1 + m.IntN(3)), Length: m.length, Words: count}
		words = append(words, &plan.Term{Structure: titleField, Text: windowWords[m.IntN(len(windowWords))], Scoring: scoring})
	}
	switch {
	case len(words) == 1:
		return words[0]
	case m.IntN(4) == 0:
		return &plan.And{Clauses: words}
	}
	return &plan.Or{Clauses: words}
}

// filters returns filters of every width: ranges, words that do not score, list values.
func (m *textMaker) filters() (all []plan.Node) {
	if m.IntN(4) > 0 {
		from := int64(m.IntN(1 << m.IntN(9)))
		all = append(all, &plan.NumberRange{Structure: "price", Intervals: []plan.Interval{{Min: from, Max: from + int64(m.IntN(1<<m.IntN(11)))}}})
	}
	for range m.IntN(5) / 2 {
		all = append(all, &plan.Term{Structure: bodyField, Text: windowWords[m.IntN(len(windowWords))]})
	}
	if m.values > 0 && m.IntN(3) == 0 {
		all = append(all, &plan.Nested{Path: "values", Clause: &plan.Term{Structure: valueField, Text: windowWords[m.IntN(len(windowWords))]}})
	}
	return all
}

// TestFilteredTerms compares the hits of terms behind filters with an exhaustive walk, in the
// ways of TestTextsOverSeveralWindows.
func TestFilteredTerms(t *testing.T) {
	walked := map[string]int{}
	for seed := range uint64(8) {
		m := &textMaker{Rand: rand.New(rand.NewPCG(seed, 67)), length: definition.LengthModerate, values: []int{0, 2}[seed%2], documents: []int{0, 0, 300, 2500}[seed/2]}
		v := m.view(t)
		for request := range 60 {
			m.compare(t, v, fmt.Sprintf("seed %d, request %d", seed, request), m.terms(), m.filters(), walked)
		}
	}
	for _, s := range []string{unionBehindFilters, filteredUnion.String(), conjunctive.String(), denseConjunction.String()} {
		if walked[s] < 20 {
			t.Errorf("terms were walked as %v", walked)
		}
	}
}
