package facet

import (
	"bytes"
	"container/heap"
	"slices"

	"github.com/quiresearch/quire/internal/segment/columns"
)

// Count is how often a value occurs. Value is encoded as in the column and valid as long as the
// segments are.
type Count struct {
	Value []byte
	Count int64
}

// Part holds the counts of one segment, by ordinal.
type Part struct {
	Column *columns.Ordinals
	Counts []uint32
}

// Merge adds up the counts of segments.
func Merge(parts []Part) Counts {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return p.Column == nil || len(p.Counts) == 0 })
	if len(parts) == 1 {
		return countsOf(parts[0])
	}
	if len(parts) > 1 {
		if largest := dominant(parts); largest >= 0 {
			big := parts[largest]
			return big.with(slices.Delete(parts, largest, largest+1))
		}
	}
	return Listed(mergeHeap(parts))
}

// dominant returns the index of the part with the most values if all others together have few
// in comparison, otherwise -1.
func dominant(parts []Part) int {
	largest, values := 0, 0
	for i, p := range parts {
		values += len(p.Counts)
		if len(p.Counts) > len(parts[largest].Counts) {
			largest = i
		}
	}
	most := len(parts[largest].Counts)
	if others := values - most; most < 8*others && others > fewValues {
		return -1
	}
	return largest
}

// fewValues is how many values the other parts may always have in total.
const fewValues = 512

// mergeHeap merges all parts with a heap.
func mergeHeap(parts []Part) []Count {
	h := make(partHeap, 0, len(parts))
	for _, p := range parts {
		w := &walker{part: p, ordinal: -1}
		if w.next() {
			h = append(h, w)
		}
	}
	heap.Init(&h)
	var merged []Count
	for len(h) > 0 {
		w := h[0]
		count := int64(w.part.Counts[w.ordinal])
		if n := len(merged); n > 0 && bytes.Equal(merged[n-1].Value, w.value) {
			merged[n-1].Count += count
		} else {
			merged = append(merged, Count{Value: w.value, Count: count})
		}
		if w.next() {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	return merged
}

// walker steps through the counted values of one segment.
type walker struct {
	part    Part
	ordinal int
	value   []byte
}

func (w *walker) next() bool {
	for w.ordinal++; w.ordinal < len(w.part.Counts); w.ordinal++ {
		if w.part.Counts[w.ordinal] > 0 {
			w.value = w.part.Column.Value(uint32(w.ordinal))
			return true
		}
	}
	return false
}

type partHeap []*walker

func (h partHeap) Len() int           { return len(h) }
func (h partHeap) Less(i, j int) bool { return bytes.Compare(h[i].value, h[j].value) < 0 }
func (h partHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *partHeap) Push(x any)        { *h = append(*h, x.(*walker)) }
func (h *partHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
