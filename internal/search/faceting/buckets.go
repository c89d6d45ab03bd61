package faceting

import (
	"context"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/query"
)

// facetItems returns whether list values are the hits, and the list values that a facet counts,
// nil when it counts documents.
func (r *Request) facetItems(ctx context.Context, p *Facet, pop *population, values *collect.Values) (bool, []*bitset.Bitset, error) {
	if values != nil && values.When == nil {
		items, err := r.itemsOf(ctx, pop, values.Path)
		return true, items, err
	}
	if p.field.List == "" {
		return false, nil, nil
	}
	items, err := r.itemsOf(ctx, pop, p.field.List)
	return false, items, err
}

// prepareBuckets returns a counting of the ranges of a facet over all segments, which fills in
// result.
func (r *Request) prepareBuckets(ctx context.Context, p *Facet, pop *population, values *collect.Values, result *query.FacetResult) (*counting, error) {
	hitList, items, err := r.facetItems(ctx, p, pop, values)
	if err != nil {
		return nil, err
	}
	show := func(totals []int64) {
		result.HasBuckets = true
		for i, bucket := range p.request.Ranges {
			result.Buckets = append(result.Buckets, query.Bucket{From: bucket.From, To: bucket.To, Count: totals[i]})
		}
	}
	if p.chain != nil {
		totals, err := r.countChain(ctx, p, pop, items, hitList)
		return &counting{finish: func() { show(totals) }}, err
	}
	if items == nil {
		if err := r.load(ctx, pop); err != nil {
			return nil, err
		}
	}
	totals := make([]int64, len(p.bounds))
	c := &counting{parts: make([]facet.Part, len(r.Snapshot.Segments)), segments: make([]*facet.Counting, len(r.Snapshot.Segments))}
	var partial [][]int64
	whole := func(cost int, count func(ctx context.Context, totals []int64)) {
		of := make([]int64, len(p.bounds))
		partial = append(partial, of)
		c.wholeCost += cost
		c.whole = append(c.whole, func(ctx context.Context) error {
			count(ctx, of)
			return ctx.Err()
		})
	}
	for i, segment := range r.Snapshot.Segments {
		column := segment.Reader.Ordinals(p.column)
		if column == nil {
			continue
		}
		if items != nil {
			whole(items[i].Count(), func(ctx context.Context, totals []int64) {
				if hitList {
					facet.HitBuckets(ctx, column, items[i], p.holders(segment), p.bounds, totals)
				} else {
					facet.ItemBuckets(ctx, column, items[i], parentsOf(segment), p.bounds, totals)
				}
			})
			continue
		}
		var set *bitset.Bitset // nil: every document
		var size int
		if !pop.all || segment.Live != nil || segment.Reader.Parents() != nil {
			set, size = r.documents(pop, i)
		}
		switch {
		case column.Multi():
			whole(int(segment.Reader.NumDocs()), func(ctx context.Context, totals []int64) {
				facet.Buckets(ctx, column, set, p.bounds, totals)
			})
		case set == nil:
			c.parts[i] = facet.Part{Column: column, Counts: column.Counts()}
		default:
			c.parts[i].Column, c.segments[i] = column, facet.CountDocuments(column, set, size)
		}
	}
	c.finish = func() {
		for _, part := range c.parts {
			if part.Column != nil {
				facet.SumBuckets(part, p.bounds, totals)
			}
		}
		for _, of := range partial {
			for i, n := range of {
				totals[i] += n
			}
		}
		show(totals)
		c.parts, c.segments = nil, nil
	}
	return c, nil
}
