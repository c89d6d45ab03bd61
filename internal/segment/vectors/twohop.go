package vectors

import (
	"context"
	"math"
)

// A two-hop walk is the filtered search of ACORN-1: Patel, Kraft, Guestrin and
// Zaharia, "ACORN: Performant and Predicate-Agnostic Search Over Vector Embeddings
// and Structured Data", 2024, https://arxiv.org/abs/2403.04871. It moves over
// accepted nodes only. If a neighbour is rejected, the walk considers the
// neighbours of that neighbour instead, so that a filter does not cut the graph
// into pieces. Rejected nodes cost one bit test; only accepted ones are compared
// with the query.
//
// Points are at 0, 1, 2, … on a line, and each is linked to the two next points on
// either side. A filter keeps the multiples of 3, the query is at 8, and the walk
// starts at 0:
//
//	at  accepted links  behind rejected links       compared with the query
//	0   none            1 → 3, 2 → 3                3
//	3   none            4 → 6, 5 → 6                6
//	6   none            7 → 9, 8 → 9                9
//	9   none            10 → 12, 11 → 12            12
//
// 9 and 6 are the nearest; 12 is farther than both and is not followed. None of the
// points that are not multiples of 3 was compared.
//
// A walk over accepted nodes ends too early if the nearest of them are far from the
// query and from each other, along the border of a region that does not contain the
// query. Therefore the walk first looks behind the nodes of level 1 around the
// query, accepted or not: its probes. The number of accepted ones among these
// predicts how hard the search will be, and strategy depends on it.

// strategy is a way to find the nearest accepted nodes.
type strategy uint8

const (
	exhaustive strategy = iota // compare with every accepted node
	plain                      // walk through all nodes and keep the accepted
	plainNear                  // the same, starting at accepted nodes around the query: there are many
	twoHop                     // walk over accepted nodes
	twoHopFar                  // the same, broader: nothing around the query is accepted
)

func (s strategy) String() string {
	return [...]string{"exhaustive", "plain", "plain near", "two-hop", "far two-hop"}[s]
}

const (
	// The fraction that a filter keeps near the query is estimated from this many
	// nodes of level 1: with the default links, each of them represents sixteen.
	surroundings    = 64
	surroundingsFar = 256
	// From this many accepted ones on, a plain walk is no slower than a two-hop
	// walk that finds as much.
	denseAround = 20
	// A two-hop walk is broader, by these factors, than a walk through a column of
	// only the accepted nodes.
	hopFactor = 2
	farFactor = 3
	// A two-hop walk misses more than a plain walk if it keeps fewer candidates
	// than this per requested hit.
	keptPerHit = 20
	// If vectors are not clustered, a two-hop walk visits more nodes than this per
	// candidate that it keeps, and misses some: a plain walk takes over.
	hopVisits = 14
	// Up to this many accepted nodes, a scan is preferred to a far walk: it takes
	// at most twice the time and finds all.
	farLimit = 150_000
)

// strategy chooses how to find the k nearest. For all walks except a plain one, it
// sets starts and probes.
func (r *Reader) strategy(s *scratch, k, breadth, accepted int) strategy {
	switch {
	case !r.walks(accepted, k, breadth):
		return exhaustive
	case !s.filtered || accepted >= len(r.docs)/10*9 || hopFactor*breadthOf(accepted) < keptPerHit*k:
		return plain
	}
	how := strategyAround(r.surround(s, surroundings))
	if how == twoHopFar {
		if accepted <= farLimit || r.isRemote(s, accepted) {
			return exhaustive
		}
		r.surround(s, surroundingsFar)
	}
	return how
}

// strategyAround chooses by the number of accepted nodes around the query.
func strategyAround(near int) strategy {
	switch {
	case near >= denseAround:
		return plainNear
	case near > 0:
		return twoHop
	}
	return twoHopFar
}

// isRemote estimates from a sample how many nodes are nearer to the query than
// every accepted one, and reports whether these are more than a walk may visit. In
// that case the nearest accepted nodes are in all directions, and a walk finds only
// some of them.
func (r *Reader) isRemote(s *scratch, accepted int) bool {
	step := max(1, len(r.docs)/chunk)
	s.list = s.list[:0]
	for node := 0; node < len(r.docs); node += step {
		s.list = append(s.list, uint32(node))
	}
	r.nearness(s, s.list)
	nearest := float32(math.Inf(-1))
	for i, node := range s.list {
		if s.accepts(node) {
			nearest = max(nearest, s.raws[i])
		}
	}
	nearer := 0
	for _, raw := range s.raws {
		if raw > nearest {
			nearer++
		}
	}
	return nearer*step > accepted/visitsPart
}

// surround sets probes to the n nodes of level 1 nearest to the query and starts to
// the accepted ones among them, both nearest first, and returns the number of
// starts.
func (r *Reader) surround(s *scratch, n int) int {
	r.descend(s, n, math.MaxInt, false)
	sortNearest(s.queue)
	s.starts, s.probes = s.starts[:0], s.probes[:0]
	for _, c := range s.queue {
		s.probes = append(s.probes, c.node())
		if r.stands(s, c.node()) {
			s.starts = append(s.starts, c.node())
		}
	}
	return len(s.starts)
}

// walkAccepted walks over accepted nodes: from starts, and from those that it finds
// behind the probes. It returns false when it ended with fewer candidates than it
// keeps, because it visited too many nodes or all that it could reach.
func (r *Reader) walkAccepted(ctx context.Context, s *scratch, w walk) (bool, error) {
	s.seen.clear()
	s.queue, s.close = s.queue[:0], s.close[:0]
	probes := s.probes[:min(w.probes, len(s.probes))]
	for _, node := range probes {
		s.seen.add(node)
	}
	r.nearness(s, s.starts)
	for i, node := range s.starts {
		x := nearOf(node, s.raws[i])
		if s.seen.add(node) { // probes are expanded anyway
			s.queue.push(x)
		}
		s.found.add(x, w.breadth)
		if w.closest > 0 {
			s.close.add(x, w.closest)
		}
	}
	for i, node := range probes {
		if i%64 == 0 {
			if err := ctx.Err(); err != nil {
				return false, err
			}
		}
		if i+1 < len(probes) {
			r.graph.fetch(probes[i+1])
		}
		r.expand(s, w, node)
	}
	quiet := 0
	for steps := 0; len(s.queue) > 0; steps++ {
		if steps%64 == 0 {
			if err := ctx.Err(); err != nil {
				return false, err
			}
		}
		at := s.queue.pop()
		if len(s.found) >= w.breadth && (s.found[0] > at || quiet > w.patience) {
			return true, nil
		}
		if quiet++; r.expand(s, w, at.node()) {
			quiet = 0
		}
		if len(s.seen.nodes) > w.visits {
			return false, nil
		}
	}
	return len(s.found) >= w.breadth, nil
}

// expand compares the accepted nodes around a node with the query and reports
// whether the nearest ones changed.
func (r *Reader) expand(s *scratch, w walk, node uint32) (changed bool) {
	r.hop(s, node)
	// One of these two is next: prefetch its links.
	nearest := near(0)
	if len(s.queue) > 0 {
		nearest = s.queue[0]
		r.graph.fetch(nearest.node())
	}
	r.nearness(s, s.fresh)
	if x := s.nearestFresh(); x > nearest {
		r.graph.fetch(x.node())
	}
	for i, n := range s.fresh {
		x := nearOf(n, s.raws[i])
		if len(s.found) >= w.breadth && x <= s.found[0] {
			continue
		}
		s.queue.push(x)
		s.found.add(x, w.breadth)
		if w.closest > 0 && s.close.add(x, w.closest) {
			changed = true
		}
	}
	return changed
}

// hop sets fresh to the unseen accepted nodes that a node links to. If these are
// few, it adds accepted nodes behind its rejected neighbours, until there are as
// many as a node has links. A rejected node counts as seen once hop has looked
// behind it.
func (r *Reader) hop(s *scratch, node uint32) {
	g := r.graph
	s.fresh, s.list, s.rejected = s.fresh[:0], s.list[:0], s.rejected[:0]
	links, _, _ := g.split(node)
	s.sort(links)
	for level := g.levels(node); level > 0; level-- {
		s.sort(g.links(node, level)) // upper levels lead out of a narrow cluster
	}
	r.visit(s, s.list)
	const ahead = 4
	for _, n := range s.rejected[:min(ahead, len(s.rejected))] {
		g.fetch(n)
	}
	count := len(s.list)
	for i, n := range s.rejected {
		if count >= g.limit(0) {
			return
		}
		if i+ahead < len(s.rejected) {
			g.fetch(s.rejected[i+ahead])
		}
		if !s.seen.add(n) {
			continue
		}
		links, _, twins := g.split(n)
		if twins && r.stands(s, n) {
			s.fresh = append(s.fresh, n)
			count++
		}
		s.list = s.list[:0]
		for _, behind := range links {
			if s.accepts(behind) {
				s.list = append(s.list, behind)
			}
		}
		r.visit(s, s.list)
		count += len(s.list)
	}
}

// sort adds accepted nodes to list and unseen rejected ones to rejected.
func (s *scratch) sort(nodes []uint32) {
	for _, n := range nodes {
		if s.accepts(n) {
			s.list = append(s.list, n)
		} else if !s.seen.has(n) {
			s.rejected = append(s.rejected, n)
		}
	}
}
