package score

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/match/window"
)

func TestBatchesScoreAsSingleDocuments(t *testing.T) {
	var values [256]float64
	for i := range values {
		values[i] = float64(i)
	}
	table := NewTable(&values, 40, Form{Length: definition.LengthModerate, Words: 2})
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		lengths := make([]byte, 1+r.IntN(window.Span))
		for i := range lengths {
			lengths[i] = byte(r.Uint32())
		}
		var docs, frequencies []uint32
		for doc := range lengths {
			if r.IntN(3) == 0 && len(docs) < 256 {
				docs = append(docs, uint32(doc))
				f := 1 + r.Uint32N(4)
				if r.IntN(40) == 0 {
					f = r.Uint32N(300) + 1
				}
				frequencies = append(frequencies, f)
			}
		}
		weight, threshold := r.Float32()*5, r.Float32()*2
		if seed%3 == 0 {
			threshold = -1
		}
		var want []uint32
		var wantSums []float64
		var all window.Sums
		for i, doc := range docs {
			v := weight * table.Part(frequencies[i], lengths[doc])
			all[doc] += float64(v) + 1
			if v > threshold {
				want, wantSums = append(want, doc), append(wantSums, float64(v))
			}
		}
		out, sums := make([]uint32, 300), make([]float64, 300)
		p := func() *Postings { return &Postings{docs, frequencies, lengths} }
		n := table.ScoreAbove(p(), weight, threshold, out, sums)
		if !slices.Equal(out[:n], want) || !slices.Equal(sums[:n], wantSums) {
			t.Fatalf("seed %d: %v, want %v", seed, out[:n], want)
		}
		n = table.scoreAbove(p(), weight, threshold, out, sums)
		if !slices.Equal(out[:n], want) || !slices.Equal(sums[:n], wantSums) {
			t.Fatalf("seed %d, one by one: %v, want %v", seed, out[:n], want)
		}
		var one, other window.Sums
		var marked window.Bits
		for _, doc := range docs {
			one[doc], other[doc] = 1, 1
		}
		table.AddWindow(p(), weight, 0, one[:])
		table.AddMarked(p(), weight, 0, other[:], marked[:])
		for doc := range one {
			// Adding to one sum and adding up one score differ in the last bit.
			if d := one[doc] - all[doc]; d > 1e-12 || d < -1e-12 || one[doc] != other[doc] {
				t.Fatalf("seed %d: document %d has %v and %v, want %v", seed, doc, one[doc], other[doc], all[doc])
			}
			if marked.Has(uint32(doc)) != slices.Contains(docs, uint32(doc)) {
				t.Fatalf("seed %d: document %d is marked wrongly", seed, doc)
			}
		}
	}
}

// TestDocumentsThatDoNotRiseStayWithinTheSums passes a kernel documents that are
// not ascending, as a damaged block may hold.
func TestDocumentsThatDoNotRiseStayWithinTheSums(t *testing.T) {
	if !hasWide {
		t.Skip("the processor has no vectors as wide as the kernel's")
	}
	var values [256]float64
	table := NewTable(&values, 40, Form{Length: definition.LengthModerate, Words: 2})
	memory, lengths := make([]float64, 3*window.Span), make([]byte, 4*window.Span)
	docs, frequencies := make([]uint32, 48), make([]uint32, 48)
	for i := range docs {
		docs[i], frequencies[i] = uint32(2*i), 1
	}
	docs[20], docs[21], docs[37] = window.Span+7, 2*window.Span-1, 1<<31
	sums := memory[window.Span : 2*window.Span : 2*window.Span]
	table.AddWindow(&Postings{docs, frequencies, lengths[:window.Span]}, 1, 0, sums)
	for i, v := range memory {
		if (i < window.Span || i >= 2*window.Span) && v != 0 {
			t.Fatalf("a sum outside of the window is %v, at %d", v, i-window.Span)
		}
	}
	if sums[0] == 0 || sums[94] == 0 {
		t.Error("documents of the window are not added")
	}
}
