package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
)

// How much of a walk was counted before.
const (
	nothingKept = "nothing kept"
	partKept    = "a part kept"
	behindKept  = "behind what is kept"
	allKept     = "all kept"
)

// count counts up to a random number of matches of a scanner before a range is walked, and
// returns which part of the range need not be searched again.
func (m *textMaker) count(t *testing.T, s *Scanner, from, to uint32) string {
	t.Helper()
	if _, _, err := s.Count(t.Context(), 1<<m.IntN(10)); err != nil {
		t.Fatal(err)
	}
	kept := &s.scratch.counted
	if !slices.IsSorted(kept.docs) {
		t.Fatal("counted documents do not rise")
	}
	switch {
	case kept.to == 0:
		return nothingKept
	case kept.to <= from:
		return behindKept
	case kept.to < to:
		return partKept
	}
	return allKept
}

// TestConjunctionsAreWalkedBehindWhatWasCounted compares conjunctions whose matches were
// counted, up to some number, with an exhaustive walk.
func TestConjunctionsAreWalkedBehindWhatWasCounted(t *testing.T) {
	walked := map[string]int{}
	for seed := range uint64(6) {
		m := &textMaker{Rand: rand.New(rand.NewPCG(seed, 81)), values: []int{0, 0, 3}[seed%3], counts: true, length: definition.LengthModerate}
		v := m.view(t)
		for request := range 60 {
			scoring := &plan.Scoring{Weight: float64(1 + m.IntN(3)), Length: m.length, Words: 3}
			and := &plan.And{}
			for _, i := range m.Perm(len(windowWords))[:2+m.IntN(3)] {
				and.Clauses = append(and.Clauses, &plan.Term{Structure: titleField, Text: windowWords[i], Scoring: scoring})
			}
			var filters []plan.Node
			if m.IntN(3) == 0 {
				filters = m.filters()
			}
			m.compare(t, v, fmt.Sprintf("seed %d, request %d", seed, request), and, filters, walked)
		}
	}
	for _, way := range []string{nothingKept, partKept, behindKept, allKept} {
		if walked[way] < 5 {
			t.Errorf("%d ranges were walked with %s", walked[way], way)
		}
	}
}

// TestFewMatchesAreKept counts more matches than are kept.
func TestFewMatchesAreKept(t *testing.T) {
	var c counted
	all := make([]uint32, maxCounted)
	for i := range all {
		all[i] = uint32(i)
	}
	c.start()
	c.addAll(all[:maxCounted-10])
	c.reach(maxCounted - 10)
	c.addAll(all[maxCounted-10 : maxCounted-5])
	c.addAll(all[:6])
	c.reach(1 << 20)
	c.addAll(all[:1])
	if c.finish(1 << 20); c.to != (maxCounted-10)&^(Span-1) || len(c.docs) != int(c.to) {
		t.Errorf("%d matches are kept, before document %d", len(c.docs), c.to)
	}
}
