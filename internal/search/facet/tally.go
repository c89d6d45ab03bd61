package facet

import (
	"cmp"
	"slices"

	"github.com/quiresearch/quire/internal/segment/columns"
)

// tally counts how many documents have a number in each of many buckets, which may overlap,
// without checking every bucket for every document.
//
// The ends of all buckets cut the ordinals into stretches. Only the stretches that a document
// touches matter: it is in a bucket when one of them is. The first touched stretch in a bucket
// is the one whose predecessor among the touched stretches, if any, lies before the bucket. So
// tally counts pairs of consecutive touched stretches, and a bucket sums the pairs whose second
// stretch lies in it and whose first lies before it.
type tally struct {
	stretch []uint16    // by ordinal, from 1 on
	width   uint32      // number of stretches, plus the 0 for none
	buckets [][2]uint16 // half-open ranges of stretches
	dense   []int64     // by first stretch times width plus second stretch, if that is small
	sparse  map[uint32]int64
	touched []uint16
}

// maxDense is the largest number of pairs that are counted in an array.
const maxDense = 1 << 16

func newTally(column *columns.Ordinals, buckets []Bounds) *tally {
	ranges := rangesOf(column, buckets)
	var cuts []uint32
	for _, r := range ranges {
		if r[0] < r[1] {
			cuts = append(cuts, r[0], r[1])
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	t := &tally{stretch: make([]uint16, column.Len()), width: uint32(len(cuts)) + 2, buckets: make([][2]uint16, len(ranges))}
	at := 0
	for ordinal := range t.stretch {
		for at < len(cuts) && cuts[at] <= uint32(ordinal) {
			at++
		}
		t.stretch[ordinal] = uint16(at + 1)
	}
	for i, r := range ranges {
		if r[0] < r[1] {
			from, _ := slices.BinarySearch(cuts, r[0])
			to, _ := slices.BinarySearch(cuts, r[1])
			t.buckets[i] = [2]uint16{uint16(from + 2), uint16(to + 2)}
		}
	}
	if t.width*t.width <= maxDense {
		t.dense = make([]int64, t.width*t.width)
	} else {
		t.sparse = make(map[uint32]int64)
	}
	return t
}

// touch records the ordinals of the current document.
func (t *tally) touch(ordinals []uint32) {
	for _, ordinal := range ordinals {
		if s := t.stretch[ordinal]; len(t.touched) == 0 || t.touched[len(t.touched)-1] != s {
			t.touched = append(t.touched, s)
		}
	}
}

// next counts the current document and begins another.
func (t *tally) next() {
	if len(t.touched) == 0 {
		return
	}
	if !slices.IsSorted(t.touched) {
		slices.Sort(t.touched)
		t.touched = slices.Compact(t.touched)
	}
	before := uint16(0)
	for _, s := range t.touched {
		pair := uint32(before)*t.width + uint32(s)
		if t.dense != nil {
			t.dense[pair]++
		} else {
			t.sparse[pair]++
		}
		before = s
	}
	t.touched = t.touched[:0]
}

// add adds the counts to the totals of the buckets.
func (t *tally) add(totals []int64) {
	var pairs []uint32
	for pair, n := range t.dense {
		if n > 0 {
			pairs = append(pairs, uint32(pair))
		}
	}
	for pair := range t.sparse {
		pairs = append(pairs, pair)
	}
	slices.Sort(pairs) // by first stretch
	order := make([]int, len(t.buckets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.buckets[a][0], t.buckets[b][0]) })
	sums := make(fenwick, t.width+1)
	for _, i := range order {
		b := t.buckets[i]
		if b[0] == b[1] {
			continue
		}
		for len(pairs) > 0 && pairs[0]/t.width < uint32(b[0]) {
			n := t.sparse[pairs[0]]
			if t.dense != nil {
				n = t.dense[pairs[0]]
			}
			sums.add(pairs[0]%t.width, n)
			pairs = pairs[1:]
		}
		totals[i] += sums.below(uint32(b[1])) - sums.below(uint32(b[0]))
	}
}

// fenwick is a Fenwick tree: a sequence of numbers whose prefix sums are quick to compute.
type fenwick []int64

func (f fenwick) add(at uint32, n int64) {
	for at++; int(at) < len(f); at += at & -at {
		f[at] += n
	}
}

// below returns the sum of the numbers before an index.
func (f fenwick) below(at uint32) (sum int64) {
	for ; at > 0; at -= at & -at {
		sum += f[at]
	}
	return sum
}
