package vectors

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/simd"
)

// walk holds the limits of a walk.
type walk struct {
	how      strategy
	starts   int  // ground-level nodes at which a plain walk begins
	probes   int  // nodes around the query that a two-hop walk looks behind first
	breadth  int  // candidates kept
	patience int  // steps without a change among the nearest before the walk ends
	closest  int  // how many those nearest are
	visits   int  // maximum number of nodes visited
	again    bool // repeat with the rows if the codes leave doubt
}

// descend goes down to level 1 and leaves in the queue the n nearest nodes that it
// met there (only accepted ones if filtered), and the nearest of all. Several
// starts find the right one of several narrow clusters, which hardly link to each
// other.
func (r *Reader) descend(s *scratch, n, visits int, filtered bool) {
	g := r.graph
	s.fresh = append(s.fresh[:0], g.entry)
	r.nearness(s, s.fresh)
	at := nearOf(g.entry, s.raws[0])
	s.close = s.close[:0]
	for level := g.top; level > 0; level-- {
		keep := n
		if level > 1 {
			keep = min(n, starts)
		}
		s.begin(at)
		for len(s.queue) > 0 && len(s.seen.nodes) <= visits/8 {
			next := s.queue.pop()
			if next > at {
				at = next
			}
			if len(s.close) >= keep && s.close[0] > next {
				break
			}
			s.fresh = s.fresh[:0]
			r.visit(s, g.links(next.node(), level))
			r.nearness(s, s.fresh)
			for i, node := range s.fresh {
				x := nearOf(node, s.raws[i])
				if len(s.close) >= keep && x <= s.close[0] {
					continue
				}
				s.queue.push(x)
				if !filtered || r.stands(s, node) {
					s.close.add(x, keep)
				}
			}
		}
	}
	s.begin(at)
}

// visit adds the nodes of links that were not seen before to fresh. It prefetches
// their codes, which are scattered in memory, while it goes through the links.
func (r *Reader) visit(s *scratch, links []uint32) {
	s.fresh = slices.Grow(s.fresh, len(links))
	into := s.fresh[len(s.fresh):cap(s.fresh)]
	n := simd.Unseen(s.seen.words, links, into, r.codes.codes, r.codes.stride(), r.codes.scale)
	s.fresh = s.fresh[:len(s.fresh)+n]
	s.seen.nodes = append(s.seen.nodes, into[:n]...)
}

// nearestFresh returns the nearest node of fresh, 0 when there is none.
func (s *scratch) nearestFresh() near {
	at := 0
	for i, raw := range s.raws {
		if raw > s.raws[at] {
			at = i
		}
	}
	if len(s.fresh) == 0 {
		return 0
	}
	return nearOf(s.fresh[at], s.raws[at])
}

// begin resets the queue and seen to the given node and the nodes in close.
func (s *scratch) begin(at near) {
	s.seen.clear()
	s.queue = s.queue[:0]
	for _, c := range s.close {
		s.seen.add(c.node())
		s.queue.push(c)
	}
	if s.seen.add(at.node()) {
		s.queue.push(at)
	}
}

// beginAround leaves in the queue what descend would: the nearest node and accepted
// ones, here those of starts.
func (r *Reader) beginAround(s *scratch, w walk) {
	s.fresh = append(s.fresh[:0], s.probes[0])
	s.fresh = append(s.fresh, s.starts[:min(w.starts, len(s.starts))]...)
	r.nearness(s, s.fresh)
	s.close = s.close[:0]
	for i, node := range s.fresh[1:] {
		s.close.push(nearOf(node, s.raws[i+1]))
	}
	s.begin(nearOf(s.fresh[0], s.raws[0]))
}

// walk follows the graph towards the query. It returns false when it ended with
// fewer candidates than it keeps, because it visited too many nodes, or all that it
// could reach but not all there are.
func (r *Reader) walk(ctx context.Context, s *scratch, w walk) (bool, error) {
	g := r.graph
	if w.how == plainNear {
		r.beginAround(s, w)
	} else {
		r.descend(s, w.starts, w.visits, s.filtered)
	}
	s.close = s.close[:0]
	for _, at := range s.queue {
		if r.stands(s, at.node()) {
			s.found.push(at)
		}
	}
	quiet := 0
	for steps := 0; len(s.queue) > 0; steps++ {
		if steps%64 == 0 {
			if err := ctx.Err(); err != nil {
				return false, err
			}
		}
		at := s.queue.pop()
		if full := len(s.found) >= w.breadth; full && s.found[0] > at {
			return true, nil
		} else if full && quiet > w.patience {
			return true, nil
		}
		if s.accepts(at.node()) {
			quiet++
		} else {
			quiet = max(0, quiet-rejected) // accepted nodes may begin beyond it
		}
		s.fresh = s.fresh[:0]
		links, _, _ := g.split(at.node())
		r.visit(s, links)
		if w.starts > 1 {
			// The upper levels lead out of a narrow cluster.
			for level := g.levels(at.node()); level > 0; level-- {
				r.visit(s, g.links(at.node(), level))
			}
		}
		if len(s.seen.nodes) > w.visits {
			return false, nil
		}
		// One of these two is next: prefetch its links.
		nearest := near(0)
		if len(s.queue) > 0 {
			nearest = s.queue[0]
			g.fetch(nearest.node())
		}
		r.nearness(s, s.fresh)
		if x := s.nearestFresh(); x > nearest {
			g.fetch(x.node())
		}
		for i, n := range s.fresh {
			x := nearOf(n, s.raws[i])
			if len(s.found) >= w.breadth && x <= s.found[0] {
				continue
			}
			s.queue.push(x)
			if s.filtered && !r.stands(s, n) {
				continue
			}
			s.found.add(x, w.breadth)
			if w.closest > 0 && s.close.add(x, w.closest) {
				quiet = 0
			}
		}
	}
	return len(s.seen.nodes) >= len(r.docs)-g.twins, nil
}
