package score

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
)

func TestBatchesScoreAsSingleDocuments(t *testing.T) {
	var values [256]float64
	for i := range values {
		values[i] = float64(i)
	}
	table := NewTable(&values, 40, Form{Length: definition.LengthModerate, Words: 2})
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		lengths := make([]byte, 1+r.IntN(4096))
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
		var all [4096]float64
		for i, doc := range docs {
			v := weight * table.Part(frequencies[i], lengths[doc])
			all[doc] += float64(v) + 1
			if v > threshold {
				want, wantSums = append(want, doc), append(wantSums, float64(v))
			}
		}
		out, sums := make([]uint32, 300), make([]float64, 300)
		n := table.Grade(weight, docs, frequencies, lengths, threshold, out, sums, 3)
		if !slices.Equal(out[3:n], want) || !slices.Equal(sums[3:n], wantSums) {
			t.Fatalf("seed %d: %v, want %v", seed, out[3:n], want)
		}
		n = table.grade(weight, docs, frequencies, lengths, threshold, out, sums, 0)
		if !slices.Equal(out[:n], want) || !slices.Equal(sums[:n], wantSums) {
			t.Fatalf("seed %d, one by one: %v, want %v", seed, out[:n], want)
		}
		var window [4096]float64
		for _, doc := range docs {
			window[doc] = 1
		}
		table.AddWindow(weight, docs, frequencies, lengths, 0, &window)
		for doc := range window {
			// Adding to one and adding one differ in the last bit.
			if d := window[doc] - all[doc]; d > 1e-12 || d < -1e-12 {
				t.Fatalf("seed %d: document %d has %v, want %v", seed, doc, window[doc], all[doc])
			}
		}
	}
}
