package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/internal/search/plan"
)

// coverStep matches the documents for which the weights of the matching steps add up to at
// least least.
//
// With the weights 5 (rare word), 2 and 1 and a least of 6, a document that holds the rare word
// needs one of the others, and a document without it never matches.
type coverStep struct {
	orStep
	weights []float64 // by step
	least   float64
	held    Sums // all zero between runs
	memo    memo
}

func (b *binder) cover(ctx context.Context, n *plan.Cover) (step, error) {
	s := &coverStep{least: n.Least}
	for i, clause := range n.Clauses {
		inner, err := b.bind(ctx, clause, 0)
		if err != nil {
			return nil, err
		}
		if _, never := inner.(noStep); !never {
			s.steps, s.weights = append(s.steps, inner), append(s.weights, n.Weights[i])
		}
	}
	if len(s.steps) == 0 {
		return noStep{}, nil
	}
	return s, nil
}

func (s *coverStep) run(base uint32, in, out *Bits, sums *Sums) {
	if sums != nil && s.memo.recall(base, in, out) {
		return
	}
	*out = Bits{}
	for i, c := range s.steps {
		if s.found.misses(c, base) {
			continue
		}
		c.run(base, in, &s.tmp, nil)
		out.Or(&s.tmp)
		for j, w := range s.tmp {
			for ; w != 0; w &= w - 1 {
				s.held[j<<6+bits.TrailingZeros64(w)] += s.weights[i]
			}
		}
	}
	for i, w := range out {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			if s.held[at] < s.least {
				out[i] &^= w & -w
			}
			s.held[at] = 0
		}
	}
	if sums == nil {
		s.memo.keep(base, out)
		s.found = lastWindow{base, true}
	}
}

func (s *coverStep) bound(_, _ uint32) float64 { return 0 }
