package facet

import (
	"bytes"
	"container/heap"

	"github.com/quiresearch/quire/internal/segment/columns"
)

// Union holds the distinct values of a column over all segments, numbered in ascending order.
// It never changes and is valid as long as the segments are.
type Union struct {
	columns []*columns.Ordinals // by segment; nil without the column
	values  []standing
	numbers [][]uint32 // by segment, the number of each ordinal's value
}

// standing is one occurrence of a value.
type standing struct{ segment, ordinal uint32 }

// NewUnion returns the union of the values of columns, which are nil for segments without one.
func NewUnion(of []*columns.Ordinals) *Union {
	u := &Union{columns: of, numbers: make([][]uint32, len(of))}
	var h unionHeap
	for i, column := range of {
		if column == nil || column.Len() == 0 {
			continue
		}
		u.numbers[i] = make([]uint32, column.Len())
		h = append(h, unionWalker{standing{uint32(i), 0}, column.Value(0)})
	}
	heap.Init(&h)
	var last []byte
	for len(h) > 0 {
		w := &h[0]
		if len(u.values) == 0 || !bytes.Equal(last, w.value) {
			u.values = append(u.values, w.standing)
			last = w.value
		}
		u.numbers[w.segment][w.ordinal] = uint32(len(u.values) - 1)
		if w.ordinal++; w.ordinal < of[w.segment].Len() {
			w.value = of[w.segment].Value(w.ordinal)
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	return u
}

// Len returns the number of values.
func (u *Union) Len() int { return len(u.values) }

// Bytes returns the approximate memory in use.
func (u *Union) Bytes() int {
	bytes := 8 * len(u.values)
	for _, numbers := range u.numbers {
		bytes += 4 * len(numbers)
	}
	return bytes
}

// Value returns the value with a number.
func (u *Union) Value(number int) []byte {
	at := u.values[number]
	return u.columns[at.segment].Value(at.ordinal)
}

// Sum adds up the counts of segments. The result is indexed by the numbers of values.
func (u *Union) Sum(parts []Part) []uint32 {
	counts := make([]uint32, len(u.values))
	for i, part := range parts {
		for ordinal, n := range part.Counts {
			counts[u.numbers[i][ordinal]] += n
		}
	}
	return counts
}

type unionWalker struct {
	standing
	value []byte
}

type unionHeap []unionWalker

func (h unionHeap) Len() int           { return len(h) }
func (h unionHeap) Less(i, j int) bool { return bytes.Compare(h[i].value, h[j].value) < 0 }
func (h unionHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *unionHeap) Push(x any)        { *h = append(*h, x.(unionWalker)) }
func (h *unionHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
