package match

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
)

// TestMergedUnionsEqualSummedOnes computes unions of the same terms over the same windows in
// both ways.
func TestMergedUnionsEqualSummedOnes(t *testing.T) {
	found := 0
	for seed := range uint64(6) {
		m := &textMaker{Rand: rand.New(rand.NewPCG(seed, 71)), length: definition.LengthModerate}
		v := m.view(t)
		for range 20 {
			union := &plan.Or{}
			for _, i := range m.Perm(len(windowWords))[:2+m.IntN(4)] {
				scoring := &plan.Scoring{Weight: float64(1 + m.IntN(3)), Length: m.length, Words: 3}
				union.Clauses = append(union.Clauses, &plan.Term{Structure: titleField, Text: windowWords[i], Scoring: scoring})
			}
			if err := v.Prepare(t.Context(), union); err != nil {
				t.Fatal(err)
			}
			base := uint32(m.IntN(4)) * Span
			least := float64(m.IntN(30)) / 10
			var docs [2][]uint32
			var sums [2][]float64
			for way := range docs {
				s, err := v.Scanner(t.Context(), 0, union, nil, true)
				if err != nil {
					t.Fatal(err)
				}
				terms := termsOf(s.root)
				if len(terms) < 2 {
					s.Close()
					continue
				}
				end := s.endOfLook(base, s.mask.documents, 2)
				s.scratch.batch.Reset()
				if way == 0 {
					s.mergeTerms(terms, base, end, least)
				} else {
					u := s.newUnion(base, end, false)
					for _, term := range terms {
						term.addAll(base, end, u.sums, nil)
					}
					s.takeUnion(&u, least)
				}
				docs[way], sums[way] = slices.Clone(s.scratch.batch.Docs), slices.Clone(s.scratch.batch.Sums)
				s.Close()
			}
			if found += len(docs[0]); !slices.Equal(docs[0], docs[1]) || !slices.Equal(sums[0], sums[1]) {
				t.Fatalf("seed %d: %d documents merged and %d summed above %v differ", seed, len(docs[0]), len(docs[1]), least)
			}
		}
	}
	if found < 10_000 {
		t.Errorf("the unions have %d documents", found)
	}
}
