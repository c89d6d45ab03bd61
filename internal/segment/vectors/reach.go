package vectors

import (
	"context"
	"slices"
)

// reachAll makes every node except the twins reachable from the entry on the ground
// level. If vectors form narrow clusters, or a node is among the nearest of none of
// its neighbours, building leaves islands.
func (c *construction) reachAll(ctx context.Context, groups []group) error {
	r := &reach{insertion: newInsertion(c), reached: newMarks(c.len()), representatives: newMarks(c.len()), from: make([]uint32, c.len())}
	for i := range r.from {
		r.from[i] = none
	}
	for _, of := range groups {
		r.representatives.add(of.representative)
		for _, twin := range of.twins { // they hang on their representatives
			r.reached.add(twin)
			r.from[twin] = twin
		}
	}
	if c.top < 0 {
		return nil
	}
	r.flood(c.entry, none)
	for node := range uint32(c.len()) {
		if node%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !r.reached.has(node) {
			r.attach(node)
		}
	}
	return nil
}

// reach is the set of reached nodes, each with the node from which it was reached
// first.
type reach struct {
	*insertion
	reached         marks
	representatives marks // a link will still be added to their first twins
	from            []uint32
	border          []uint32
}

// flood marks a node and everything reachable from it as reached.
func (r *reach) flood(node, from uint32) {
	r.reached.add(node)
	r.from[node] = from
	r.border = append(r.border[:0], node)
	for len(r.border) > 0 {
		at := r.border[len(r.border)-1]
		r.border = r.border[:len(r.border)-1]
		for _, n := range r.graph.links(at, 0) {
			if r.reached.add(n) {
				r.from[n] = at
				r.border = append(r.border, n)
			}
		}
	}
}

// attach links a node, in both directions, with the nearest reached node that can
// take a link.
func (r *reach) attach(node uint32) {
	at := nearOf(r.entry, r.nearness(node, r.entry))
	for level := r.top; level > 0; level-- {
		at = r.descend(node, at, level)
	}
	if !r.reached.has(at.node()) {
		at = nearOf(r.entry, r.nearness(node, r.entry))
	}
	// Reached nodes link only to reached nodes, so all that is found is reached.
	r.search(node, at, 0)
	candidates := slices.Clone([]near(r.found))
	sortNearest(candidates)
	for _, to := range candidates {
		if r.link(to.node(), node) {
			r.link(node, to.node())
			r.flood(node, to.node())
			return
		}
	}
	for to := range uint32(r.len()) {
		if to != node && r.reached.has(to) && r.from[to] != to && r.link(to, node) {
			r.link(node, to)
			r.flood(node, to)
			return
		}
	}
}

// link adds a link, replacing the farthest one through which nothing was reached if
// necessary. It returns false when there is none.
func (r *reach) link(from, to uint32) bool {
	links := r.graph.links(from, 0)
	if slices.Contains(links, to) {
		return true
	}
	limit := r.graph.limit(0)
	if r.representatives.has(from) {
		limit = r.graph.limitWithTwins()
	}
	if len(links) < limit {
		r.graph.addLink(from, 0, to)
		return true
	}
	r.measure(from, links)
	farthest := -1
	for i, n := range links {
		if r.from[n] != from && (farthest < 0 || r.raws[i] < r.raws[farthest]) {
			farthest = i
		}
	}
	if farthest < 0 {
		return false
	}
	links[farthest] = to
	return true
}
