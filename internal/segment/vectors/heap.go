package vectors

import (
	"math"
	"slices"
)

// near is a node and its raw nearness in one number. The greater number is nearer;
// of equally near nodes the first node is greater, so results do not depend on the
// order of visits. A nearness that is NaN is nearest.
type near uint64

func nearOf(node uint32, raw float32) near {
	key := math.Float32bits(raw)
	switch {
	case raw > 0:
		key |= 1 << 31
	case raw < 0:
		key = ^key
	case raw == 0:
		key = 1 << 31
	default:
		key = math.MaxUint32
	}
	return near(key)<<32 | near(^node)
}

func (n near) node() uint32 { return ^uint32(n) }

func (n near) raw() float32 {
	key := uint32(n >> 32)
	if key>>31 != 0 {
		return math.Float32frombits(key &^ (1 << 31))
	}
	return math.Float32frombits(^key)
}

// sortNearest sorts the nearest first.
func sortNearest(all []near) {
	slices.Sort(all)
	slices.Reverse(all)
}

// nearest moves the n nearest to the front, in any order, and returns them
// (quickselect).
func nearest(all []near, n int) []near {
	from, to := 0, len(all)
	for to-from > 1 {
		// Partition [from, to) by the median of three.
		a, b, c := all[from], all[(from+to)/2], all[to-1]
		middle := max(min(a, b), min(max(a, b), c))
		i, j := from, to-1
		for i <= j {
			for all[i] > middle {
				i++
			}
			for middle > all[j] {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			to = j + 1
		case n >= i:
			from = i
		default:
			return all[:n]
		}
	}
	return all[:n]
}

// best is a heap with the nearest on top; worst is a heap with the farthest on top.
type best []near

func (h *best) push(x near) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up] >= x {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = x
	*h = s
}

func (h *best) pop() near {
	s := *h
	top, x := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for {
		down := 2*i + 1
		if down >= len(s) {
			break
		}
		if down+1 < len(s) && s[down+1] > s[down] {
			down++
		}
		if s[down] <= x {
			break
		}
		s[i] = s[down]
		i = down
	}
	if len(s) > 0 {
		s[i] = x
	}
	return top
}

type worst []near

func (h *worst) push(x near) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up] <= x {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = x
	*h = s
}

// replaceTop replaces the farthest by x.
func (h worst) replaceTop(x near) {
	i := 0
	for {
		down := 2*i + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1] < h[down] {
			down++
		}
		if h[down] >= x {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = x
}

// add keeps the limit nearest and reports whether x is among them.
func (h *worst) add(x near, limit int) bool {
	if len(*h) < limit {
		h.push(x)
		return true
	}
	if x <= (*h)[0] {
		return false
	}
	h.replaceTop(x)
	return true
}
