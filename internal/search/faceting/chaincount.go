package faceting

import (
	"context"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
)

// countChain counts the ranges of a facet whose values come from a chain: the first target that
// has a value for a document supplies all of its values. If list values are the hits, every hit
// counts in the buckets of its document.
func (r *Request) countChain(ctx context.Context, p *Facet, pop *population, items []*bitset.Bitset, hitList bool) ([]int64, error) {
	if err := r.load(ctx, pop); err != nil {
		return nil, err
	}
	totals := make([]int64, len(p.bounds))
	sources := make([][]*bitset.Bitset, len(p.chain))
	for i := range p.chain {
		sets, err := r.sourceSets(ctx, &p.chain[i])
		if err != nil {
			return nil, err
		}
		sources[i] = sets
	}
	for i, segment := range r.Snapshot.Segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		weights := func(doc uint32) int64 { return 1 }
		if hitList {
			weights = func(doc uint32) int64 {
				first, last := segment.Block(doc)
				return int64(items[i].CountRange(first, last))
			}
		}
		set, _ := r.documents(pop, i)
		var numbers []int64
		for doc, turn := set.Next(0), 1; doc < set.Len(); doc, turn = set.Next(doc+1), turn+1 {
			if turn%256 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			numbers = numbers[:0]
			for k := range p.chain {
				column := segment.Reader.Ordinals(p.chain[k].Structure)
				if column == nil {
					continue
				}
				first, last := doc, doc
				if p.chain[k].List != "" {
					if first, last = segment.Block(doc); first == last {
						continue
					}
					last--
				}
				var ordinals []uint32
				for at := first; at <= last; at++ {
					if sources[k][i] == nil || sources[k][i].Get(at) {
						ordinals = column.Append(ordinals, at)
					}
				}
				for _, ordinal := range ordinals {
					if n, ok := layout.NumberOfKey(column.Value(ordinal)); ok {
						numbers = append(numbers, n)
					}
				}
				if len(numbers) > 0 {
					break
				}
			}
			for b, bounds := range p.bounds {
				for _, n := range numbers {
					if bounds.Contains(n) {
						totals[b] += weights(doc)
						break
					}
				}
			}
		}
	}
	return totals, nil
}

// sourceSets returns, by segment, the documents or list values to which a source of a chain
// applies; nil sets stand for all of them.
func (r *Request) sourceSets(ctx context.Context, source *collect.Source) ([]*bitset.Bitset, error) {
	if source.List != "" {
		var required []*plan.Nested
		if source.When != nil {
			required = append(required, &plan.Nested{Path: source.List, Clause: source.When})
		}
		return r.Collect.ValueSets(ctx, source.List, required)
	}
	if source.When == nil {
		return make([]*bitset.Bitset, len(r.Snapshot.Segments)), nil
	}
	return r.Collect.Sets(ctx, source.When)
}
