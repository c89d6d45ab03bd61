package window

import (
	"slices"
	"testing"
)

func TestBatchTakesWhatScoresAboveLeast(t *testing.T) {
	var b Batch
	b.Grow(1)
	var marked Bits
	var sums Sums
	for at, sum := range map[uint32]float64{3: 1.5, 64: 2.5, 100: 2, 4095: 7} {
		marked.Set(at)
		sums[at] = sum
	}
	sums[5] = 9 // not marked
	if !b.Take(Span, &marked, &sums, 2) {
		t.Error("documents that score too little are not reported")
	}
	if !slices.Equal(b.Docs, []uint32{Span + 64, Span + 4095}) || !slices.Equal(b.Sums, []float64{2.5, 7}) {
		t.Errorf("took %v with %v", b.Docs, b.Sums)
	}
	if want := (Sums{5: 9}); sums != want {
		t.Error("the sums of marked documents are not zero")
	}
	sums[64] = 3
	b.Reset()
	if b.Take(0, &Bits{1: 1}, &sums, 2) {
		t.Error("a document is reported that does not score too little")
	}
}

func TestBatchFillsWithScoresOfZero(t *testing.T) {
	var b Batch
	b.Grow(1)
	docs, sums := b.Memory()
	copy(docs, []uint32{8, 9})
	copy(sums, []float64{1, 2})
	b.Truncate(2)
	if !slices.Equal(b.Docs, []uint32{8, 9}) || !slices.Equal(b.Sums, []float64{1, 2}) {
		t.Fatalf("the batch is %v with %v", b.Docs, b.Sums)
	}
	b.Fill([]uint32{4, 5, 6})
	if !slices.Equal(b.Docs, []uint32{4, 5, 6}) || !slices.Equal(b.Sums, []float64{0, 0, 0}) {
		t.Errorf("filled, the batch is %v with %v", b.Docs, b.Sums)
	}
	sums[0] = 1
	b.FillMarked(Span, &Bits{0: 0b101})
	if !slices.Equal(b.Docs, []uint32{Span, Span + 2}) || !slices.Equal(b.Sums, []float64{0, 0}) {
		t.Errorf("filled with marked documents, the batch is %v with %v", b.Docs, b.Sums)
	}
}
