package vectors

// near is a node and its raw nearness.
type near struct {
	node uint32
	raw  float32
}

// nearer orders by nearness, then by node, so that results do not depend on
// the order of visits.
func nearer(a, b near) bool {
	return a.raw > b.raw || a.raw == b.raw && a.node < b.node
}

func byNearness(a, b near) int {
	if nearer(a, b) {
		return -1
	}
	return 1
}

// nearest moves the n nearest to the front, in any order, and returns them.
func nearest(all []near, n int) []near {
	from, to := 0, len(all)
	for to-from > 1 {
		// The middle one of three parts what lies between from and to.
		a, b, c := all[from], all[(from+to)/2], all[to-1]
		if nearer(b, a) {
			a, b = b, a
		}
		if nearer(c, b) {
			if b = c; nearer(b, a) {
				b = a
			}
		}
		i, j := from, to-1
		for i <= j {
			for nearer(all[i], b) {
				i++
			}
			for nearer(b, all[j]) {
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

// best is a heap with the nearest on top; worst one with the farthest on top.
type best []near

func (h *best) push(x near) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !nearer(s[i], s[up]) {
			break
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
	*h = s
}

func (h *best) pop() near {
	s := *h
	x := s[0]
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && nearer(s[down+1], s[down]) {
			down++
		}
		if !nearer(s[down], s[i]) {
			break
		}
		s[i], s[down] = s[down], s[i]
		i = down
	}
	*h = s
	return x
}

type worst []near

func (h *worst) push(x near) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !nearer(s[up], s[i]) {
			break
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
	*h = s
}

// replaceTop puts x in place of the farthest.
func (h worst) replaceTop(x near) {
	h[0] = x
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h) {
			return
		}
		if down+1 < len(h) && nearer(h[down], h[down+1]) {
			down++
		}
		if !nearer(h[i], h[down]) {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}

// add keeps the limit nearest and reports whether x is among them.
func (h *worst) add(x near, limit int) bool {
	if len(*h) < limit {
		h.push(x)
		return true
	}
	if !nearer(x, (*h)[0]) {
		return false
	}
	h.replaceTop(x)
	return true
}
