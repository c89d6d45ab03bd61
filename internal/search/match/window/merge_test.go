package window

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// scoredBatch returns a batch of some documents below most.
func scoredBatch(r *rand.Rand, n int, most uint32) *Batch {
	b := new(Batch)
	docs := rising(r, n, most)
	b.Reserve(n)
	b.Fill(docs)
	for i := range b.Sums {
		b.Sums[i] = float64(float32(r.IntN(40)+1) / 4)
	}
	return b
}

func TestMergeKernelsAgree(t *testing.T) {
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		x, y := scoredBatch(r, r.IntN(90), 200), scoredBatch(r, r.IntN(90), 200+uint32(seed%3)*2000)
		least := float64(r.IntN(60)-10) / 4
		sums := map[uint32]float64{}
		for _, b := range []*Batch{x, y} {
			for i, doc := range b.Docs {
				sums[doc] += b.Sums[i]
			}
		}
		var docs []uint32
		for doc, sum := range sums {
			if sum > least {
				docs = append(docs, doc)
			}
		}
		slices.Sort(docs)
		var got Batch
		if got.Merge(x, y, least); !slices.Equal(got.Docs, docs) {
			t.Fatalf("seed %d: merged to %v, want %v", seed, got.Docs, docs)
		}
		for i, doc := range got.Docs {
			if got.Sums[i] != sums[doc] {
				t.Fatalf("seed %d: document %d has %v, want %v", seed, doc, got.Sums[i], sums[doc])
			}
		}
		if len(x.Docs) == 0 || len(y.Docs) == 0 {
			continue
		}
		n := len(x.Docs) + len(y.Docs)
		l := &lists{x.Docs, y.Docs, x.Sums, y.Sums}
		docs, into := make([]uint32, n), make([]float64, n)
		otherDocs, otherInto := make([]uint32, n), make([]float64, n)
		i, j, kept := mergeGeneric(l, least, docs, into)
		i2, j2, kept2 := merge(l, least, otherDocs, otherInto)
		if i != i2 || j != j2 || kept != kept2 {
			t.Fatalf("seed %d: read %d and %d, wrote %d, want %d, %d, %d", seed, i2, j2, kept2, i, j, kept)
		}
		if !slices.Equal(docs[:kept], otherDocs[:kept]) || !slices.Equal(into[:kept], otherInto[:kept]) {
			t.Fatalf("seed %d: kernels write different documents", seed)
		}
	}
}

func TestKeepAboveKernelsAgree(t *testing.T) {
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		b := scoredBatch(r, r.IntN(100), 300)
		rest, least := float64(r.IntN(8))/4, float64(r.IntN(50)-4)/4
		docs, sums := make([]uint32, len(b.Docs)+1), make([]float64, len(b.Docs)+1)
		n := keepAboveGeneric(b.Docs, b.Sums, rest, least, docs, sums)
		other, otherSums := make([]uint32, len(b.Docs)+1), make([]float64, len(b.Docs)+1)
		other[len(b.Docs)], otherSums[len(b.Docs)] = 7, 7
		if m := KeepAbove(b.Docs, b.Sums, rest, least, other[:len(b.Docs)], otherSums[:len(b.Docs)]); m != n ||
			!slices.Equal(docs[:n], other[:n]) || !slices.Equal(sums[:n], otherSums[:n]) {
			t.Fatalf("seed %d: %v, want %v", seed, other[:m], docs[:n])
		}
		if other[len(b.Docs)] != 7 || otherSums[len(b.Docs)] != 7 {
			t.Fatalf("seed %d: written behind the last place", seed)
		}
		if b.KeepAbove(rest, least); !slices.Equal(b.Docs, docs[:n]) || !slices.Equal(b.Sums, sums[:n]) {
			t.Fatalf("seed %d, in place: %v, want %v", seed, b.Docs, docs[:n])
		}
	}
}

func TestReserveKeepsDocuments(t *testing.T) {
	b := scoredBatch(rand.New(rand.NewPCG(1, 1)), 20, 100)
	docs, sums := slices.Clone(b.Docs), slices.Clone(b.Sums)
	b.Reserve(1 << 14)
	if memory, _ := b.Memory(); len(memory) < 1<<14 || !slices.Equal(b.Docs, docs) || !slices.Equal(b.Sums, sums) {
		t.Errorf("%v with %v in memory for %d", b.Docs, b.Sums, len(memory))
	}
}
