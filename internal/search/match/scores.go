package match

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/plan"
)

// Scores returns the scores of those of the given documents, or list values, that a plan
// matches.
func (v *View) Scores(ctx context.Context, segment int, n plan.Node, docs []uint32) (map[uint32]float64, error) {
	var b binder
	b.init(v, segment, true)
	root, err := b.bind(ctx, n, 1)
	if err != nil {
		return nil, err
	}
	docs = slices.Clone(docs)
	slices.Sort(docs)
	scores := make(map[uint32]float64, len(docs))
	var sums Sums
	for i := 0; i < len(docs); {
		base := docs[i] &^ (Span - 1)
		var in, out Bits
		for ; i < len(docs) && docs[i]-base < Span; i++ {
			in.Set(docs[i] - base)
		}
		root.run(base, &in, &out, &sums)
		for _, at := range out.Append(nil) {
			scores[base+uint32(at)] = sums[at]
			sums[at] = 0
		}
	}
	return scores, nil
}
