package vectors

import (
	"context"
	"math"

	"github.com/quiresearch/quire/internal/simd"
)

// rescore replaces the nearness of the candidates by that of their full vectors.
// Codes of 8 bits order them so well that only the first few are worth it; the
// others are dropped. It reports whether a node that was left out, now or before,
// may be among the k nearest given the error of the codes: then s.possible is the
// lowest nearness by codes that such a node can have.
func (r *Reader) rescore(ctx context.Context, s *scratch, k int) (doubt bool, err error) {
	candidates := []near(s.found)
	if window := 4*k + 32; r.codes.bits == 8 && window < len(candidates) {
		candidates = nearest(candidates, window)
	}
	s.found = candidates
	last := float32(math.Inf(1))
	for _, c := range candidates {
		last = min(last, c.raw())
	}
	s.before = append(s.before[:0], candidates...)
	if err := r.rescoreAll(ctx, s); err != nil {
		return false, err
	}
	off, shift := 0.0, 0.0 // expected error of one code, and mean error of all
	for i, c := range candidates {
		off = max(off, r.codes.off(r.options.Similarity, &s.side, c))
		shift += float64(c.raw()) - float64(s.before[i].raw())
	}
	shift /= float64(len(candidates))
	if len(candidates) < k {
		return false, nil
	}
	// Codes that separate the nearest from the rest have all of them in front. They
	// do not separate them when some come from the last third of the candidates
	// after the first k.
	kth := s.lowest(candidates, k)
	behind := s.lowest(s.before, len(candidates)-(len(candidates)-k)/3)
	late := 0
	for i, c := range candidates {
		if c.raw() >= kth && s.before[i].raw() < behind {
			late++
		}
	}
	edge := float64(kth) - shift
	s.possible = float32(edge - farthestOff*off)
	margin := doubtfulOff * off
	if r.codes.bits == 4 {
		margin = doubtfulOffFour * off
	}
	return late > k/50 || !(float64(last) <= edge-margin), nil // codes do not separate vectors too long for float32 either
}

// The error of codes may exceed the expected one. A second pass is worthwhile
// within doubtfulOff times the expected error, less with 4 bits, where more
// candidates are kept; the second pass then covers farthestOff times.
const (
	doubtfulOff     = 2
	doubtfulOffFour = 1
	farthestOff     = 6
)

// lowest returns the lowest nearness among the n nearest.
func (s *scratch) lowest(all []near, n int) float32 {
	s.queue = append(s.queue[:0], all...)
	low := float32(math.Inf(1))
	for _, c := range nearest(s.queue, n) {
		low = min(low, c.raw())
	}
	return low
}

func (r *Reader) rescoreAll(ctx context.Context, s *scratch) error {
	s.full = true
	for from := 0; from < len(s.found); from += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := s.found[from:min(from+chunk, len(s.found))]
		s.list = s.list[:0]
		for _, c := range part {
			s.list = append(s.list, c.node())
		}
		r.nearness(s, s.list)
		for i := range part {
			part[i] = nearOf(part[i].node(), s.raws[i])
		}
	}
	return nil
}

// hits returns the k nearest candidates in order.
func (r *Reader) hits(s *scratch, k int) []Hit {
	candidates := []near(s.found)
	if len(candidates) > k {
		candidates = nearest(candidates, k)
	}
	sortNearest(candidates)
	hits := make([]Hit, len(candidates))
	for i, c := range candidates {
		hits[i] = Hit{Doc: r.docs[c.node()], Score: r.options.Similarity.Score(c.raw())}
	}
	return hits
}

// rawNearness sets out[i] to the raw nearness of the query and row ids[i].
func rawNearness(o Options, rows []float32, ids []uint32, q []float32, out []float32) {
	if o.Similarity == Euclidean {
		simd.SquaredDistanceF32Rows(rows, ids, q, out)
		for i := range out[:len(ids)] {
			out[i] = -out[i]
		}
		return
	}
	simd.DotF32Rows(rows, ids, q, out)
}
