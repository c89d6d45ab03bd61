package suggest

import "slices"

// Ranking is an Index with the count of each value.
type Ranking struct {
	*Index
	counts []uint32 // by value
	// best is a tournament tree over the entries: node i has the children 2i and
	// 2i+1, and the leaves stand for the entries themselves. Each node holds the
	// entry below it that ranks first. It is nil for a ranking that is used once.
	best []uint32
	held []uint32 // prefix sums: how many entries before each have a value that occurs; nil if best is
}

// Count returns a ranking by the counts of all values, for a single use.
func (x *Index) Count(counts []uint32) *Ranking { return &Ranking{Index: x, counts: counts} }

// Order returns a ranking by the counts of all values, for repeated use.
func (x *Index) Order(counts []uint32) *Ranking {
	r := x.Count(counts)
	n := len(x.owners)
	r.best = make([]uint32, 2*n)
	for i := range n {
		r.best[n+i] = uint32(i)
	}
	for i := n - 1; i > 0; i-- {
		r.best[i] = r.first(r.best[2*i], r.best[2*i+1])
	}
	r.held = make([]uint32, n+1)
	for i, owner := range x.owners {
		r.held[i+1] = r.held[i]
		if counts[owner>>1] > 0 {
			r.held[i+1]++
		}
	}
	return r
}

// Bytes returns the approximate memory in use, without that of the index.
func (r *Ranking) Bytes() int { return 4 * (len(r.counts) + len(r.best) + len(r.held)) }

// rank is the sort key of an entry: by descending count, then by value, the entry
// of a label after that of its value.
type rank uint64

func (r *Ranking) rank(entry uint32) rank {
	owner := r.owners[entry]
	return rank(^r.counts[owner>>1])<<32 | rank(owner)
}

func (p rank) count() uint32 { return ^uint32(p >> 32) }
func (p rank) value() int    { return int(uint32(p) >> 1) }
func (p rank) isLabel() bool { return p&1 == 1 }

func (r *Ranking) first(a, b uint32) uint32 {
	if r.rank(a) < r.rank(b) {
		return a
	}
	return b
}

// Match is a value that was found, and whether its label matched.
type Match struct {
	Value   int
	Count   int64
	ByLabel bool // the label, not the value, starts with the text
}

// Top returns the most common values of ranges that do not overlap, lowest first on
// a tie. It skips values that do not occur and known ones.
func (r *Ranking) Top(ranges []Range, limit int, known map[int]bool) []Match {
	var top []Match
	take := func(p rank) bool {
		n := len(top)
		switch {
		case p.count() == 0:
			return false
		case n > 0 && top[n-1].Value == p.value():
			top[n-1].ByLabel = top[n-1].ByLabel || p.isLabel()
		case known[p.value()]:
		case n == limit:
			return false
		default:
			top = append(top, Match{Value: p.value(), Count: int64(p.count()), ByLabel: p.isLabel()})
		}
		return true
	}
	if r.best != nil {
		r.descend(ranges, take)
		return top
	}
	// A value has at most two entries.
	for _, p := range r.lowest(ranges, 2*(limit+len(known))) {
		if !take(p) {
			break
		}
	}
	return top
}

// lowest returns the first limit ranks of ranges, in order.
func (r *Ranking) lowest(ranges []Range, limit int) []rank {
	var kept []rank // a heap with the last in order on top
	for _, in := range ranges {
		for entry := in.From; entry < in.To; entry++ {
			p := r.rank(uint32(entry))
			switch {
			case p.count() == 0:
			case len(kept) < limit:
				kept = append(kept, p)
				for i := len(kept) - 1; i > 0 && kept[i] > kept[(i-1)/2]; i = (i - 1) / 2 {
					kept[i], kept[(i-1)/2] = kept[(i-1)/2], kept[i]
				}
			case p < kept[0]:
				kept[0] = p
				sink(kept, 0, func(a, b rank) bool { return a > b })
			}
		}
	}
	slices.Sort(kept)
	return kept
}

// stretch is a range of entries yet to be visited, and the first of them in order.
type stretch struct {
	Range
	rank  rank
	entry uint32
}

// descend passes the entries of ranges to take in order, until take returns false.
func (r *Ranking) descend(ranges []Range, take func(rank) bool) {
	var left []stretch // a heap with the first in order on top
	before := func(a, b stretch) bool { return a.rank < b.rank }
	add := func(in Range) {
		if in.From >= in.To {
			return
		}
		entry := r.firstOf(in)
		left = append(left, stretch{in, r.rank(entry), entry})
		for i := len(left) - 1; i > 0 && before(left[i], left[(i-1)/2]); i = (i - 1) / 2 {
			left[i], left[(i-1)/2] = left[(i-1)/2], left[i]
		}
	}
	for _, in := range ranges {
		add(in)
	}
	for len(left) > 0 {
		s := left[0]
		if !take(s.rank) {
			return
		}
		last := len(left) - 1
		left[0] = left[last]
		left = left[:last]
		sink(left, 0, before)
		add(Range{s.From, int(s.entry)})
		add(Range{int(s.entry) + 1, s.To})
	}
}

// firstOf returns the entry of a range that ranks first.
func (r *Ranking) firstOf(in Range) uint32 {
	n := len(r.owners)
	best := uint32(in.From)
	for from, to := in.From+n, in.To+n; from < to; from, to = from/2, to/2 {
		if from%2 == 1 {
			best = r.first(best, r.best[from])
			from++
		}
		if to%2 == 1 {
			to--
			best = r.first(best, r.best[to])
		}
	}
	return best
}

// sink restores the heap order by moving an element down.
func sink[T any](h []T, i int, before func(a, b T) bool) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && before(h[child+1], h[child]) {
			child++
		}
		if !before(h[child], h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// Held returns the values of ranges that occur, in ascending order.
func (r *Ranking) Held(ranges []Range) []int {
	marked := make([]bool, r.values)
	count := 0
	for _, in := range ranges {
		for _, owner := range r.owners[in.From:in.To] {
			if value := owner >> 1; r.counts[value] > 0 && !marked[value] {
				marked[value] = true
				count++
			}
		}
	}
	held := make([]int, 0, count)
	for value, is := range marked {
		if is {
			held = append(held, value)
		}
	}
	return held
}

// CountHeld returns the number of values of ranges that occur.
func (r *Ranking) CountHeld(ranges []Range) int {
	count := 0
	switch {
	case len(r.owners) > r.values: // some values also have a label
		return len(r.Held(ranges))
	case r.held != nil:
		for _, in := range ranges {
			count += int(r.held[in.To] - r.held[in.From])
		}
	default:
		for _, in := range ranges {
			for _, owner := range r.owners[in.From:in.To] {
				if r.counts[owner>>1] > 0 {
					count++
				}
			}
		}
	}
	return count
}

// CountOf returns the count of a value.
func (r *Ranking) CountOf(value int) int64 { return int64(r.counts[value]) }
