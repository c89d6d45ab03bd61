package vectors

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// Share runs work for every number below count, on the caller's goroutine and on
// any number of others, and returns the first error after all have ended.
type Share func(ctx context.Context, count int, work func(ctx context.Context, number int) error) error

const (
	// chunk is the number of rows compared between two checks of the context: at
	// most 16 MB.
	chunk = 1024
	// A scan of at least leastShared rows is cut into parts of about partRows. A
	// row takes 30 to 60 ns; another thread starts some 20 µs after it is
	// requested.
	partRows    = 2048
	leastShared = 3 * partRows
	// A scan prefetches aheadBytes of codes, but at most mostAhead rows: accepted rows
	// are too far apart for the processor to do it by itself.
	aheadBytes = 6 << 10
	mostAhead  = 16
)

// scanAll finds the k nearest by comparing the query with every accepted node:
// first with the codes, then with the rows of as many candidates as the codes may
// have in the wrong order. If that turns out not to be enough, a second pass
// compares with the rows of all nodes that the codes cannot rule out.
func (r *Reader) scanAll(ctx context.Context, s *scratch, k int) error {
	keep := max(4*k, 64)
	if r.codes.bits == 4 {
		keep = max(8*k, 160)
	}
	err := r.scan(ctx, s, keep, func(s *scratch, nodes []uint32) { r.addNearestByCode(s, nodes, keep) })
	if err != nil {
		return err
	}
	if len(s.found) < keep {
		return r.rescoreAll(ctx, s)
	}
	doubt, err := r.rescore(ctx, s, k)
	if err != nil || !doubt {
		return err
	}
	possible := s.possible
	return r.scan(ctx, s, k, func(s *scratch, nodes []uint32) {
		s.full = false
		r.nearness(s, nodes)
		s.fresh = s.fresh[:0]
		for i, node := range nodes {
			if !(s.raws[i] < possible) { // NaN counts as possible
				s.fresh = append(s.fresh, node)
			}
		}
		s.full = true
		r.nearness(s, s.fresh)
		s.addNearest(s.fresh, k)
	})
}

// addNearestByCode adds those of the nodes to found that are by their codes among the keep
// nearest so far and nearer than least. It reorders nodes.
//
// The product of a query and a code is multiplied by the step of the row, so with the widest
// step of all rows it is a bound of the nearness. Few nodes of a long scan reach the threshold
// so, and only their steps are read from memory.
func (r *Reader) addNearestByCode(s *scratch, nodes []uint32, keep int) {
	s.grow(len(nodes))
	r.codes.multiply(&s.side, nodes, s.products, r.codes.scanAhead())
	if threshold := s.bound(keep).raw(); threshold > 0 && r.options.Similarity != Euclidean {
		nodes = nodes[:r.codes.keepReaching(&s.side, nodes, s.products, r.widestStep(), threshold)]
	}
	r.codes.scaled(r.options.Similarity, &s.side, nodes, s.products, s.raws)
	s.addNearest(nodes, keep)
}

// widestStep returns the widest step of all rows, which the first call looks for. A page that
// cannot be read is tried again by the next.
func (r *Reader) widestStep() float32 {
	if kept := r.widest.Load(); kept != 0 {
		return math.Float32frombits(kept)
	}
	step := r.codes.widestStep()
	r.widest.Store(math.Float32bits(step))
	return step
}

// scanAhead returns how many rows ahead a scan prefetches.
func (z *quantized) scanAhead() int {
	return min(max(aheadBytes/z.stride(), walkAhead), mostAhead)
}

// addNearest adds those of the nodes to found that are among the keep nearest so far
// and nearer than least. Their nearness is in raws.
//
// Few nodes of a long scan are. The others cost one comparison with the threshold, the
// nearness of the farthest node in found, and do not enter the heap.
func (s *scratch) addNearest(nodes []uint32, keep int) {
	bound := s.bound(keep)
	threshold := bound.raw()
	for i, raw := range s.raws[:len(nodes)] {
		if raw < threshold { // ties and NaN are decided by near
			continue
		}
		if x := nearOf(nodes[i], raw); x > bound {
			s.found.add(x, keep)
			bound = s.bound(keep)
			threshold = bound.raw()
		}
	}
}

// bound returns what a node must be nearer than to be added to the keep nearest. The
// nearness of 0, for which every node is added, is NaN: nothing is less.
func (s *scratch) bound(keep int) near {
	if len(s.found) < keep {
		return s.least
	}
	return s.found[0] // nearer than least, as are all that were added
}

// scan collects the keep nearest of the accepted nodes in found. It calls look with
// some nodes at a time, and look adds to found of the scratch that it is given
// those nearer than least.
//
// A long scan is cut into parts, each with its own scratch. A part that has found
// keep nodes sets a bound for parts that start later: a node that is not nearer
// than its farthest one is not among the keep nearest.
func (r *Reader) scan(ctx context.Context, s *scratch, keep int, look func(s *scratch, nodes []uint32)) error {
	s.found, s.least = s.found[:0], 0
	if s.share == nil || s.accepted < leastShared {
		return r.scanRange(ctx, s, 0, len(r.docs), look)
	}
	parts := s.accepted / partRows
	words := (len(r.docs) + 63) / 64
	found := make([]worst, parts)
	var least atomic.Uint64
	err := s.share(ctx, parts, func(ctx context.Context, number int) error {
		part := r.takePart(s)
		part.least = near(least.Load())
		from, to := number*words/parts*64, min((number+1)*words/parts*64, len(r.docs))
		if err := r.scanRange(ctx, part, from, to, look); err != nil {
			return err
		}
		found[number] = slices.Clone(part.found)
		if len(part.found) == keep {
			raise(&least, uint64(part.found[0]))
		}
		part.query, part.side, part.nodes = nil, side{}, nil
		r.parts.Put(part)
		return nil
	})
	for _, part := range found {
		for _, n := range part {
			s.found.add(n, keep)
		}
	}
	return err
}

// raise makes a number at least as great as to.
func raise(number *atomic.Uint64, to uint64) {
	for held := number.Load(); held < to; held = number.Load() {
		if number.CompareAndSwap(held, to) {
			return
		}
	}
}

// takePart returns a scratch for a part of a scan.
func (r *Reader) takePart(s *scratch) *scratch {
	part, ok := r.parts.Get().(*scratch)
	if !ok {
		part = new(scratch)
	}
	part.query, part.side, part.filtered, part.nodes = s.query, s.side, s.filtered, s.nodes
	part.found = part.found[:0]
	return part
}

// scanRange calls look with the accepted nodes of a range, which must begin at a
// multiple of 64.
func (r *Reader) scanRange(ctx context.Context, s *scratch, from, to int, look func(s *scratch, nodes []uint32)) error {
	s.list = s.list[:0]
	for at := from; at < to; at += 64 {
		word := ^uint64(0)
		if s.filtered {
			word = s.nodes[at>>6]
		}
		for ; word != 0; word &= word - 1 {
			node := at + bits.TrailingZeros64(word)
			if node >= to {
				break
			}
			s.list = append(s.list, uint32(node))
		}
		if len(s.list) > chunk-64 {
			if err := ctx.Err(); err != nil {
				return err
			}
			look(s, s.list)
			s.list = s.list[:0]
		}
	}
	look(s, s.list)
	return nil
}
