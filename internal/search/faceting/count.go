package faceting

import (
	"context"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
)

// prepare returns a counting of a facet over a population, which fills in result. It returns
// nil if an earlier counting in before also serves this facet.
func (r *Request) prepare(ctx context.Context, p *Facet, pop *population, values *collect.Values, before []*counting, result *query.FacetResult) (*counting, error) {
	result.Name = p.request.Name
	if p.request.Ranges != nil {
		return r.prepareBuckets(ctx, p, pop, values, result)
	}
	take := func(counts facet.Counts) { result.Values, result.TotalValues = r.show(counts, p) }
	for _, c := range before {
		if c.pop == pop && c.column == p.column {
			c.takers = append(c.takers, take)
			return nil, nil
		}
	}
	c, err := r.prepareValues(ctx, p, pop, values, take)
	if err == nil {
		c.column, c.pop = p.column, pop
	}
	return c, err
}

// show turns counts into the values that the answer lists.
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
func (r *Request) countValues(ctx context.Context, p *Facet, pop *population, values *collect.Values) (counts facet.Counts, err error) {
	c, err := r.prepareValues(ctx, p, pop, values, func(found facet.Counts) { counts = found })
	if err == nil {
		err = r.countTogether(ctx, c)
	}
	return counts, err
}

// prepareValues returns a counting of the values of a facet over all segments; take receives
// the counts.
func (r *Request) prepareValues(ctx context.Context, p *Facet, pop *population, values *collect.Values, take func(facet.Counts)) (*counting, error) {
	if pop.all && values == nil {
		r.Counter.usage.Note(r.Schema, use{usedCounts, p.field.Path, r.Locale})
	}
	cached := r.cacheKey(p, pop, values)
	if counts, ok := r.Counter.counts.get(r.Snapshot, cached); ok {
		c := &counting{takers: []func(facet.Counts){take}}
		c.finish = func() { c.give(counts) }
		return c, nil
	}
	isListed := values == nil && p.field.List == "" && pop.sets != nil && areListed(pop.sets)
	if isListed {
		return r.prepareFew(p, pop, cached, take), nil
	}
	c, err := r.prepareParts(ctx, p, pop, values)
	if err != nil {
		return nil, err
	}
	c.takers = append(c.takers, take)
	keep := c.finish
	c.finish = func() {
		keep()
		c.give(r.keep(cached, r.merge(p, c.parts)))
	}
	return c, nil
}

// prepareFew returns a counting of the values of a facet over documents that are listed in
// every segment. It counts them into lists of values, whose cost does not grow with the column,
// or by ranges if several cores share the work.
func (r *Request) prepareFew(p *Facet, pop *population, cached countKey, take func(facet.Counts)) *counting {
	c := &counting{takers: []func(facet.Counts){take}}
	for _, set := range pop.sets {
		docs, _ := set.List()
		c.listed += len(docs)
	}
	c.finish = func() { c.give(r.keep(cached, r.countFew(p, pop))) }
	if c.listed < 2*leastCost || c.listed < r.valuesOf(p)/2 {
		return c
	}
	c.cut = func() {
		c.listed = 0
		c.parts, c.segments = r.prepareListed(p, pop)
		c.finish = func() { c.give(r.keep(cached, r.merge(p, c.parts))) }
	}
	return c
}

// valuesOf returns how many values of a facet the segments have, summed over segments.
func (r *Request) valuesOf(p *Facet) (values int) {
	for _, segment := range r.Snapshot.Segments {
		if column := segment.Reader.Ordinals(p.column); column != nil {
			values += int(column.Len())
		}
	}
	return values
}

// merge adds up the counts of segments.
func (r *Request) merge(p *Facet, parts []facet.Part) facet.Counts {
	counts := facet.Merge(parts)
	if p.field.Hierarchy || r.Settings.FieldNamed(p.field.Path) != nil {
		return facet.Listed(counts.All()) // their order needs every value
	}
	return counts
}

// keep puts counts into the cache and returns them.
func (r *Request) keep(key countKey, counts facet.Counts) facet.Counts {
	r.Counter.counts.put(r.Snapshot, key, counts)
	return counts
}

// give passes the counts to the takers and drops what they were made from, as other facets may
// still be counted.
func (c *counting) give(counts facet.Counts) {
	for _, take := range c.takers {
		take(counts)
	}
	c.parts, c.segments = nil, nil
}

// countFew counts the values of a facet over documents that are listed in every segment.
func (r *Request) countFew(p *Facet, pop *population) facet.Counts {
	scratch := r.Counter.scratches.Get().(*facet.Scratch)
	parts := make([][]facet.Count, 0, len(pop.sets))
	for i, segment := range r.Snapshot.Segments {
		if column := segment.Reader.Ordinals(p.column); column != nil {
			docs, _ := pop.sets[i].List()
			parts = append(parts, scratch.Listed(column, docs))
		}
	}
	r.Counter.scratches.Put(scratch) // dropped if counting panics half way
	return facet.Listed(facet.Sum(parts))
}

// prepareParts returns a counting of the values of a facet in every segment.
func (r *Request) prepareParts(ctx context.Context, p *Facet, pop *population, values *collect.Values) (*counting, error) {
	switch {
	case values != nil && values.When == nil:
		return r.prepareHits(ctx, p, pop, values)
	case p.field.List != "":
		return r.prepareListValues(ctx, p, pop)
	}
	return r.prepareDocuments(ctx, p, pop)
}

// countEach returns a counting of the segments that have a column.
func (r *Request) countEach(column string, count func(i int, segment *snapshot.Segment, column *columns.Ordinals) *facet.Counting) *counting {
	segments := r.Snapshot.Segments
	c := &counting{
		parts: make([]facet.Part, len(segments)), segments: make([]*facet.Counting, len(segments)),
		finish: func() {},
	}
	for i, segment := range segments {
		if of := segment.Reader.Ordinals(column); of != nil {
			c.parts[i].Column = of
			c.segments[i] = count(i, segment, of)
		}
	}
	return c
}

// prepareHits returns a counting of list values that are hits.
func (r *Request) prepareHits(ctx context.Context, p *Facet, pop *population, values *collect.Values) (*counting, error) {
	items, err := r.itemsOf(ctx, pop, values.Path)
	if err != nil {
		return nil, err
	}
	return r.countEach(p.column, func(i int, segment *snapshot.Segment, column *columns.Ordinals) *facet.Counting {
		return facet.CountHits(column, items[i], p.holders(segment))
	}), nil
}

// prepareListValues returns a counting of the documents of a population by those of their list
// values that match the clauses.
func (r *Request) prepareListValues(ctx context.Context, p *Facet, pop *population) (*counting, error) {
	items, err := r.matchedOf(ctx, pop, p.field.List)
	if err != nil {
		return nil, err
	}
	if err := r.load(ctx, pop); err != nil {
		return nil, err
	}
	return r.countEach(p.column, func(i int, segment *snapshot.Segment, column *columns.Ordinals) *facet.Counting {
		var matched *bitset.Bitset
		if items != nil {
			matched = items[i]
		}
		documents, _ := r.documents(pop, i)
		return facet.CountValues(column, documents, matched, parentsOf(segment))
	}), nil
}

// prepareListed prepares counting the documents of a population that are listed in every
// segment.
func (r *Request) prepareListed(p *Facet, pop *population) ([]facet.Part, []*facet.Counting) {
	c := r.countEach(p.column, func(i int, segment *snapshot.Segment, column *columns.Ordinals) *facet.Counting {
		docs, _ := pop.sets[i].List()
		return facet.CountListed(column, docs, segment.Reader.NumDocs())
	})
	return c.parts, c.segments
}

// prepareDocuments returns a counting of the documents of a population, except in segments
// whose counts are already known.
func (r *Request) prepareDocuments(ctx context.Context, p *Facet, pop *population) (*counting, error) {
	counts := r.Counter.counts
	known := make([][]uint32, len(r.Snapshot.Segments))
	isKnown := make([]bool, len(r.Snapshot.Segments))
	needsSets := false
	for i, segment := range r.Snapshot.Segments {
		column := segment.Reader.Ordinals(p.column)
		if column == nil {
			continue
		}
		if pop.all && segment.Live == nil {
			known[i], isKnown[i] = column.Counts(), true // the column stores them
			counts.meter.Hit(1)
			continue
		}
		if key, ok := r.segmentKey(p, pop, segment); ok {
			known[i], isKnown[i] = counts.segments.Get(segment.Reader, key)
		}
		needsSets = needsSets || !isKnown[i]
	}
	if needsSets {
		if err := r.load(ctx, pop); err != nil {
			return nil, err
		}
	}
	c := r.countEach(p.column, func(i int, segment *snapshot.Segment, column *columns.Ordinals) *facet.Counting {
		if isKnown[i] {
			return nil
		}
		set, size := r.documents(pop, i)
		return facet.CountDocuments(column, set, size)
	})
	for i := range c.parts {
		c.parts[i].Counts = known[i]
	}
	c.finish = func() {
		for i, segment := range r.Snapshot.Segments {
			if c.segments[i] == nil {
				continue
			}
			if key, ok := r.segmentKey(p, pop, segment); ok {
				counts.putSegment(segment.Reader, key, c.parts[i].Counts, r.Counter.changed)
			}
		}
	}
	return c, nil
}

// parentsOf returns the root documents of a segment, which are all documents if it has no list
// values.
func parentsOf(segment *snapshot.Segment) *bitset.Bitset {
	if parents := segment.Reader.Parents(); parents != nil {
		return parents
	}
	return bitset.NewFull(segment.Reader.NumDocs())
}

// holders returns the documents that hold the values of a facet, with which the list values
// below them count; nil when list values hold the values themselves.
func (p *Facet) holders(segment *snapshot.Segment) *bitset.Bitset {
	if p.field.List != "" {
		return nil
	}
	return parentsOf(segment)
}

// liveParents returns the root documents of a segment that are not deleted. Callers must not
// change the set.
func (r *Request) liveParents(segment *snapshot.Segment) *bitset.Bitset {
	switch {
	case segment.Live == nil:
		return parentsOf(segment)
	case segment.Reader.Parents() == nil:
		return segment.Live
	}
	live := r.live[segment]
	if live == nil {
		live = parentsOf(segment).Clone()
		live.And(segment.Live)
		if r.live == nil {
			r.live = make(map[*snapshot.Segment]*bitset.Bitset)
		}
		r.live[segment] = live
	}
	return live
}
