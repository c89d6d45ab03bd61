package docset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A selection holds what sorting all documents puts first, in whatever order numbers come and
// however often they repeat.
func TestSelectionHoldsTheFirstDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for round := range 300 {
		documents, wanted := 1+r.IntN(3000), 1+r.IntN(200)
		numbers := make([]int64, documents)
		for i := range numbers {
			switch round % 4 {
			case 0:
				numbers[i] = r.Int64() - r.Int64()
			case 1:
				numbers[i] = r.Int64N(7)
			case 2:
				numbers[i] = int64(-i) // every document comes before all earlier ones
			default:
				numbers[i] = int64(i / 50)
			}
		}
		s, sorted := NewSelection(wanted), []led{}
		for i, number := range numbers {
			s.Add(uint32(i), number)
			sorted = append(sorted, led{number, uint32(i)})
		}
		slices.SortFunc(sorted, led.compare)
		l := s.Leading(documents)
		if l.Len() != min(wanted, documents) || l.Total() != documents {
			t.Fatalf("round %d: %d of %d documents, want %d", round, l.Len(), l.Total(), wanted)
		}
		for n := range l.Len() + 2 {
			first := l.First(n, false)
			if len(first) != min(n, l.Len()) {
				t.Fatalf("round %d: %d documents, want %d", round, len(first), n)
			}
			for i, doc := range first {
				if doc != sorted[i].doc {
					t.Fatalf("round %d: document %d is %d, want %d", round, i, doc, sorted[i].doc)
				}
			}
			runs := l.First(n, true)
			for i, doc := range runs {
				if doc != sorted[i].doc {
					t.Fatalf("round %d: document %d of runs is %d, want %d", round, i, doc, sorted[i].doc)
				}
			}
			end := len(runs)
			if end > 0 && end < documents && sorted[end-1].number == sorted[end].number {
				t.Fatalf("round %d: %d documents cut a run", round, end)
			}
			if cut := n <= l.Len() && end < n; cut && sorted[end].number != sorted[l.Len()-1].number {
				t.Fatalf("round %d: %d of %d documents, though the run of the last is complete", round, end, n)
			}
		}
	}
}
