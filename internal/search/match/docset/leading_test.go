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
			from := 0
			if r.IntN(2) == 0 {
				from = l.Search(sorted[r.IntN(documents)].number)
			}
			if from > 0 && from < l.Len() && sorted[from-1].number == sorted[from].number {
				t.Fatalf("round %d: place %d is within a run", round, from)
			}
			docs, runs := l.Docs(from, n, false), l.Docs(from, n, true)
			if len(docs) != min(n, l.Len()-from) {
				t.Fatalf("round %d: %d documents, want %d", round, len(docs), n)
			}
			for _, some := range [][]uint32{docs, runs} {
				for i, doc := range some {
					if doc != sorted[from+i].doc {
						t.Fatalf("round %d: document %d is %d, want %d", round, from+i, doc, sorted[from+i].doc)
					}
				}
			}
			end := from + len(runs)
			if end > from && end < documents && sorted[end-1].number == sorted[end].number {
				t.Fatalf("round %d: %d documents cut a run", round, end)
			}
			if from+n <= l.Len() && end < from+n && sorted[end].number != sorted[l.Len()-1].number {
				t.Fatalf("round %d: %d of %d documents, though the run of the last is complete", round, end, n)
			}
		}
	}
}
