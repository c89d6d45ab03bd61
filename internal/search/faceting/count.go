package faceting

import (
	"context"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
)

// countFacet counts one facet over a population.
func (r *Request) countFacet(ctx context.Context, p *Facet, pop *population, values *collect.Values) (query.FacetResult, error) {
	f := p.request
	result := query.FacetResult{Name: f.Name}
	if f.Ranges != nil {
		totals, err := r.countBuckets(ctx, p, pop, values)
		if err != nil {
			return result, err
		}
		result.HasBuckets = true
		for i, bucket := range f.Ranges {
			result.Buckets = append(result.Buckets, query.Bucket{From: bucket.From, To: bucket.To, Count: totals[i]})
		}
		return result, nil
	}
	counts, err := r.countValues(ctx, p, pop, values)
	if err != nil {
		return result, err
	}
	result.Values, result.TotalValues = r.show(counts, p)
	return result, nil
}

// show turns counts into what the answer lists.
func (r *Request) show(counts facet.Counts, p *Facet) ([]query.FacetValue, int) {
	f, field := p.request, p.field
	options := facet.Options{
		Limit: f.Limit, Order: f.Order, Render: facet.Renderer(field.Type),
		Declared: r.Settings.FieldNamed(field.Path), Locale: r.Locale, Fallback: field.DefaultLocale,
	}
	if !field.Hierarchy {
		return facet.List(counts, options)
	}
	variant := plan.Variant(field, r.Locale)
	path, ok := layout.LevelPath(f.Level, field.Separator)
	if f.Level != "" && !ok {
		return nil, 0
	}
	return facet.Tree(counts.All(), facet.TreeOptions{
		Options: options, Path: path, Depth: f.Depth, Separator: field.Separator,
		Fold: func(path string) string { return layout.Fold(variant, path, field.CaseFolding) },
	})
}

// countValues counts the values of a facet over all segments.
func (r *Request) countValues(ctx context.Context, p *Facet, pop *population, values *collect.Values) (facet.Counts, error) {
	if pop.all && values == nil {
		r.Counter.usage.Note(r.Schema, use{usedCounts, p.field.Path, r.Locale})
	}
	cached := r.cacheKey(p, pop, values)
	if counts, ok := r.Counter.counts.get(r.Snapshot, cached); ok {
		return counts, nil
	}
	counts, isFew := r.countFew(p, pop, values)
	if !isFew {
		parts, err := r.countParts(ctx, p, pop, values)
		if err != nil {
			return counts, err
		}
		if counts = facet.Merge(parts); p.field.Hierarchy || r.Settings.FieldNamed(p.field.Path) != nil {
			counts = facet.Listed(counts.All()) // their order needs every value
		}
	}
	if err := ctx.Err(); err != nil {
		return counts, err
	}
	r.Counter.counts.put(r.Snapshot, cached, counts)
	return counts, nil
}

// countFew counts the values of a facet of documents where few are to be
// counted in every segment, and reports false elsewhere.
func (r *Request) countFew(p *Facet, pop *population, values *collect.Values) (facet.Counts, bool) {
	if values != nil || p.field.List != "" || pop.sets == nil || !areListed(pop.sets) {
		return facet.Counts{}, false
	}
	scratch := r.Counter.scratches.Get().(*facet.Scratch)
	parts := make([][]facet.Count, 0, len(pop.sets))
	for i, segment := range r.Snapshot.Segments {
		if column := segment.Reader.Ordinals(p.column); column != nil {
			docs, _ := pop.sets[i].List()
			parts = append(parts, scratch.Listed(column, docs))
		}
	}
	r.Counter.scratches.Put(scratch) // one that a panic left in the middle of counting is let go
	return facet.Listed(facet.Sum(parts)), true
}

// countParts counts the values of a facet in every segment.
func (r *Request) countParts(ctx context.Context, p *Facet, pop *population, values *collect.Values) ([]facet.Part, error) {
	parts := make([]facet.Part, len(r.Snapshot.Segments))
	switch {
	case values != nil && values.When == nil:
		return parts, r.countHits(ctx, p, pop, values, parts)
	case p.field.List != "":
		return parts, r.countListValues(ctx, p, pop, parts)
	}
	return parts, r.countDocuments(ctx, p, pop, parts)
}

// countHits counts list values that are hits in every segment.
func (r *Request) countHits(ctx context.Context, p *Facet, pop *population, values *collect.Values, parts []facet.Part) error {
	items, err := r.itemsOf(ctx, pop, values.Path)
	if err != nil {
		return err
	}
	return r.eachSegment(ctx, func(i int, segment *snapshot.Segment) {
		if column := segment.Reader.Ordinals(p.column); column != nil {
			parts[i] = facet.Part{Column: column, Counts: facet.Hits(column, items[i], p.holders(segment))}
		}
	})
}

// countListValues counts the documents of a population by their list values, of
// which those count that the clauses ask for.
func (r *Request) countListValues(ctx context.Context, p *Facet, pop *population, parts []facet.Part) error {
	items, err := r.matchedOf(ctx, pop, p.field.List)
	if err != nil {
		return err
	}
	if !pop.all {
		if err := r.load(ctx, pop); err != nil {
			return err
		}
	}
	return r.eachSegment(ctx, func(i int, segment *snapshot.Segment) {
		column := segment.Reader.Ordinals(p.column)
		if column == nil {
			return
		}
		var matched *bitset.Bitset
		if items != nil {
			matched = items[i]
		}
		documents := liveParents(segment)
		if !pop.all {
			documents = pop.sets[i].Bits()
		}
		parts[i] = facet.Part{Column: column, Counts: facet.Values(column, documents, matched, parentsOf(segment))}
	})
}

// countDocuments counts the documents of a population in every segment, as far
// as their counts are not known already.
func (r *Request) countDocuments(ctx context.Context, p *Facet, pop *population, parts []facet.Part) error {
	counts := r.Counter.counts
	wanted := 0
	for i, segment := range r.Snapshot.Segments {
		column := segment.Reader.Ordinals(p.column)
		if column == nil {
			continue
		}
		parts[i].Column = column
		if pop.all && segment.Live == nil {
			parts[i].Counts = facet.Documents(column, nil) // the column keeps them
			counts.meter.Hit(1)
			continue
		}
		if key, ok := r.segmentKey(p, pop, segment); ok {
			parts[i].Counts, _ = counts.segments.Get(segment.Reader, key)
		}
		if parts[i].Counts == nil {
			wanted++
		}
	}
	if wanted == 0 {
		return nil
	}
	if err := r.load(ctx, pop); err != nil {
		return err
	}
	return r.eachSegment(ctx, func(i int, segment *snapshot.Segment) {
		if parts[i].Column == nil || parts[i].Counts != nil {
			return
		}
		parts[i].Counts = facet.Documents(parts[i].Column, pop.sets[i].Bits())
		if key, ok := r.segmentKey(p, pop, segment); ok {
			counts.putSegment(segment.Reader, key, parts[i].Counts, r.Counter.changed)
		}
	})
}

// facetItems returns the list values a facet counts, nil when it counts
// documents, and whether list values are the hits.
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

// countBuckets counts the ranges of a facet over all segments.
func (r *Request) countBuckets(ctx context.Context, p *Facet, pop *population, values *collect.Values) ([]int64, error) {
	hitList, items, err := r.facetItems(ctx, p, pop, values)
	if err != nil {
		return nil, err
	}
	if p.chain != nil {
		return r.countChain(ctx, p, pop, items, hitList)
	}
	if items == nil {
		if err := r.load(ctx, pop); err != nil {
			return nil, err
		}
	}
	partial := make([][]int64, len(r.Snapshot.Segments))
	err = r.eachSegment(ctx, func(i int, segment *snapshot.Segment) {
		column := segment.Reader.Ordinals(p.column)
		if column == nil {
			return
		}
		totals := make([]int64, len(p.bounds))
		switch {
		case items != nil && hitList:
			facet.HitBuckets(ctx, column, items[i], p.holders(segment), p.bounds, totals)
		case items != nil:
			facet.ItemBuckets(ctx, column, items[i], parentsOf(segment), p.bounds, totals)
		case pop.all && segment.Live == nil && segment.Reader.Parents() == nil:
			facet.Buckets(ctx, column, nil, p.bounds, totals)
		default:
			facet.Buckets(ctx, column, pop.sets[i].Bits(), p.bounds, totals)
		}
		partial[i] = totals
	})
	if err != nil {
		return nil, err
	}
	totals := make([]int64, len(p.bounds))
	for _, part := range partial {
		for i, n := range part {
			totals[i] += n
		}
	}
	return totals, nil
}

// parentsOf returns the documents of their own right, all of them where a
// segment has no list values.
func parentsOf(segment *snapshot.Segment) *bitset.Bitset {
	if parents := segment.Reader.Parents(); parents != nil {
		return parents
	}
	return bitset.NewFull(segment.Reader.NumDocs())
}

// holders returns the documents that hold the values of a facet, by which the
// list values below them count; nil for values that list values hold themselves.
func (p *Facet) holders(segment *snapshot.Segment) *bitset.Bitset {
	if p.field.List != "" {
		return nil
	}
	return parentsOf(segment)
}

// liveParents returns the documents of a segment that are not deleted.
func liveParents(segment *snapshot.Segment) *bitset.Bitset {
	if segment.Live == nil {
		return parentsOf(segment)
	}
	live := parentsOf(segment).Clone()
	live.And(segment.Live)
	return live
}

// parallelDocuments is how many documents make it worth to count segments
// side by side.
const parallelDocuments = 100_000

// eachSegment runs work for every segment, side by side when there is much to
// do.
func (r *Request) eachSegment(ctx context.Context, work func(i int, segment *snapshot.Segment)) error {
	segments := r.Snapshot.Segments
	if len(segments) < 2 || r.Snapshot.MaxDoc < parallelDocuments {
		for i, segment := range segments {
			if err := ctx.Err(); err != nil {
				return err
			}
			work(i, segment)
		}
		return ctx.Err()
	}
	return r.Collect.Each(ctx, len(segments), func(ctx context.Context, i int) error {
		work(i, segments[i])
		return ctx.Err()
	})
}
