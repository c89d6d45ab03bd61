package vectors

import (
	"slices"

	"github.com/quiresearch/quire/internal/simd"
)

// insertion is the working memory of one goroutine.
type insertion struct {
	*construction
	seen    marks
	links   []uint32
	fresh   []uint32
	raws    []float32
	queue   best
	found   worst
	chosen  []uint32
	thinned []uint32
	ordered []near
	between [8]float32 // see isCovered

	coded  *coded // of the construction; nil once trusts gives codes up
	query  codeQuery
	step   float32 // largest quantization step of the candidates
	doubts int     // see trusts
}

func newInsertion(c *construction) *insertion {
	return &insertion{construction: c, seen: newMarks(c.len()), coded: c.coded}
}

func (w *insertion) insert(node uint32) {
	height := int(w.graph.height[node])
	w.mu.RLock()
	entry, top := w.entry, w.top
	w.mu.RUnlock()
	if top < height {
		// Only the few nodes that raise the graph wait for each other.
		w.mu.Lock()
		entry, top = w.entry, w.top
		if top < height {
			defer func() {
				w.entry, w.top = node, height
				w.mu.Unlock()
			}()
		} else {
			w.mu.Unlock()
		}
	}
	if top < 0 {
		return
	}
	at := nearOf(entry, w.nearness(node, entry))
	for level := top; level > height; level-- {
		at = w.descend(node, at, level)
	}
	for level := min(top, height); level >= 0; level-- {
		w.gather(node, at, level)
		sortNearest(w.ordered)
		if len(w.ordered) == 0 {
			continue
		}
		at = w.ordered[0]
		w.chosen = w.choose(w.chosen[:0], w.ordered, w.graph.m)
		l := w.lock(node)
		l.Lock()
		// Others may have linked to this node already; keep both.
		merged := append(w.links[:0], w.chosen...)
		for _, n := range w.graph.links(node, level) {
			merged = appendLink(merged, n, node, w.graph.limit(level))
		}
		w.graph.setLinks(node, level, merged)
		w.links = merged
		l.Unlock()
		for _, n := range w.chosen {
			w.connect(n, node, level)
		}
	}
}

// descend walks to the node on a level that is nearest to the node to.
func (w *insertion) descend(to uint32, at near, level int) near {
	for {
		w.links = w.copyLinks(w.links, at.node(), level)
		moved := false
		w.measure(to, w.links)
		for i, n := range w.links {
			if x := nearOf(n, w.raws[i]); x > at {
				at, moved = x, true
			}
		}
		if !moved {
			return at
		}
	}
}

// measure fills raws with the nearness of nodes to the node to.
func (w *insertion) measure(to uint32, nodes []uint32) {
	w.raws = slices.Grow(w.raws[:0], len(nodes))[:len(nodes)]
	w.nearnesses(to, nodes, w.raws)
}

// measureCodes is measure by code.
func (w *insertion) measureCodes(to uint32, nodes []uint32) {
	if w.query.node != to || w.query.values == nil {
		w.coded.prepare(&w.query, to)
	}
	w.raws = slices.Grow(w.raws[:0], len(nodes))[:len(nodes)]
	w.coded.nearnesses(&w.query, nodes, w.raws)
}

// order fills ordered with measured nodes.
func (w *insertion) order(nodes []uint32) {
	w.ordered = w.ordered[:0]
	for i, n := range nodes {
		w.ordered = append(w.ordered, nearOf(n, w.raws[i]))
	}
}

// gather fills ordered with the nodes on a level that are nearest to node, leaving
// out node.
func (w *insertion) gather(node uint32, from near, level int) {
	if w.coded != nil {
		w.walk(node, from, level, w.measureCodes)
		if w.trusts(node, w.found) {
			w.fresh = w.fresh[:0]
			for _, x := range w.found {
				w.fresh = append(w.fresh, x.node())
			}
			w.measure(node, w.fresh)
			w.order(w.fresh)
			return
		}
	}
	w.search(node, from, level)
	w.ordered = append(w.ordered[:0], w.found...)
}

// maxDoubts is how many more candidate lists codes may fail to order than they order.
const maxDoubts = 256

// trusts reports whether codes order the candidates found near a node. It gives codes
// up for the rest of the build once they have failed too often.
func (w *insertion) trusts(node uint32, found []near) bool {
	if w.coded.separate(node, found) {
		w.doubts = max(0, w.doubts-1)
		return true
	}
	if w.doubts++; w.doubts > maxDoubts {
		w.coded = nil
	}
	return false
}

// search fills found with the nodes of a level that are nearest to self by their
// vectors, leaving out self.
func (w *insertion) search(self uint32, from near, level int) {
	w.walk(self, from, level, w.measure)
}

// walk is search with either w.measure or w.measureCodes.
func (w *insertion) walk(self uint32, from near, level int, measure func(to uint32, nodes []uint32)) {
	w.seen.clear()
	breadth := w.options.breadth()
	w.queue, w.found = w.queue[:0], w.found[:0]
	w.fresh = append(w.fresh[:0], from.node())
	measure(self, w.fresh)
	from = nearOf(from.node(), w.raws[0])
	w.seen.add(self)
	w.seen.add(from.node())
	w.queue.push(from)
	if from.node() != self {
		w.found.push(from)
	}
	for len(w.queue) > 0 {
		at := w.queue.pop()
		if len(w.found) >= breadth && w.found[0] > at {
			return
		}
		w.links = w.copyLinks(w.links, at.node(), level)
		if level == 0 && len(w.queue) > 0 {
			w.graph.fetch(w.queue[0].node())
		}
		w.visit(w.links)
		measure(self, w.fresh)
		for i, n := range w.fresh {
			x := nearOf(n, w.raws[i])
			if w.found.add(x, breadth) {
				w.queue.push(x)
			}
		}
	}
}

// visit fills fresh with the nodes that were not seen before and prefetches their
// codes.
func (w *insertion) visit(nodes []uint32) {
	w.fresh = w.fresh[:0]
	if w.coded == nil {
		for _, n := range nodes {
			if w.seen.add(n) {
				w.fresh = append(w.fresh, n)
			}
		}
		return
	}
	w.fresh = slices.Grow(w.fresh, len(nodes))
	n := simd.Unseen(w.seen.words, nodes, w.fresh[:cap(w.fresh)], w.coded.codes, w.coded.stride(), w.coded.scale)
	w.fresh = w.fresh[:n]
	w.seen.nodes = append(w.seen.nodes, w.fresh...)
}

// apart is the factor for skipping candidates: a candidate is left out if it is
// nearer to another neighbour than to the node itself even after its squared
// distance to that neighbour is multiplied by apart. At slightly more than 1,
// searches visit about a tenth fewer nodes for the same recall.
const apart = 1.1

// choose picks neighbours in different directions (algorithm 4 of the HNSW paper): it
// skips a candidate that is nearer to one already picked than to the node itself, then
// fills up to half of the limit with skipped ones.
func (w *insertion) choose(into []uint32, ordered []near, limit int) []uint32 {
	if w.coded != nil {
		w.step = w.coded.widest(ordered)
	}
	for _, c := range ordered {
		if len(into) >= limit {
			return into
		}
		if !w.isCovered(c, into) {
			into = append(into, c.node())
		}
	}
	for _, c := range ordered {
		if len(into) >= limit/2 {
			break
		}
		into = appendLink(into, c.node(), none, limit)
	}
	return into
}

// isCovered reports whether a candidate is nearer to a picked neighbour than to the node
// that it is a candidate for, by the factor apart.
func (w *insertion) isCovered(c near, picked []uint32) bool {
	if w.coded != nil {
		return w.isCoveredByCodes(c, picked)
	}
	for len(picked) > 0 {
		some := picked[:min(len(picked), len(w.between))]
		picked = picked[len(some):]
		w.nearnesses(c.node(), some, w.between[:])
		for _, raw := range w.between[:len(some)] {
			if apart*raw > c.raw() {
				return true
			}
		}
	}
	return false
}

// isCoveredByCodes is isCovered by code, and by vector where the difference is within
// the margin of error.
func (w *insertion) isCoveredByCodes(c near, picked []uint32) bool {
	if len(picked) == 0 {
		return false
	}
	w.coded.prepare(&w.query, c.node())
	margin := w.coded.margin(w.step, c.raw())
	for len(picked) > 0 {
		some := picked[:min(len(picked), len(w.between))]
		picked = picked[len(some):]
		w.coded.nearnesses(&w.query, some, w.between[:])
		for i, raw := range w.between[:len(some)] {
			beyond := apart*raw - c.raw()
			if beyond < -margin {
				continue
			}
			if beyond > margin || apart*w.nearness(c.node(), some[i]) > c.raw() {
				return true
			}
		}
	}
	return false
}

// connect adds a link from n to node, thinning n's links when they are full.
func (w *insertion) connect(n, node uint32, level int) {
	l := w.lock(n)
	l.Lock()
	defer l.Unlock()
	links := w.graph.links(n, level)
	if slices.Contains(links, node) {
		return
	}
	limit := w.graph.limit(level)
	if len(links) < limit {
		w.graph.addLink(n, level, node)
		return
	}
	w.fresh = append(append(w.fresh[:0], links...), node)
	w.measure(n, w.fresh)
	w.order(w.fresh)
	sortNearest(w.ordered)
	w.thinned = w.choose(w.thinned[:0], w.ordered, limit)
	w.graph.setLinks(n, level, w.thinned)
}
