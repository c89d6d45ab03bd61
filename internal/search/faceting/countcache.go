package faceting

import (
	"slices"
	"weak"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/settings"
)

// countCache keeps the counts of facets between requests, bounded by bytes: per snapshot, and
// per segment when only filters narrow, because the next snapshot shares most of the segments.
// Counts are dropped with their snapshot or segment.
type countCache struct {
	whole    *cache.Cache[*snapshot.Snapshot, countKey, facet.Counts] // nil: nothing is cached
	segments *cache.Cache[*segment.Reader, segmentKey, []uint32]
	meter    *metrics.Cache // of segments
}

// countKey is everything that counts of a snapshot depend on.
type countKey struct {
	schema   weak.Pointer[definition.Schema]
	settings weak.Pointer[settings.Settings]
	locale   string
	column   string
	hits     string
	query    string
	filters  string
	kept     string
}

// segmentKey is everything that counts of a segment depend on when the query matches
// everything.
type segmentKey struct {
	live     weak.Pointer[bitset.Bitset]
	schema   weak.Pointer[definition.Schema]
	settings weak.Pointer[settings.Settings]
	locale   string
	column   string
	filters  string
	kept     string
}

func newCountCache(size int64, meters *metrics.Set) *countCache {
	c := &countCache{meter: meters.FacetSegments()}
	if size > 0 {
		c.whole = cache.New[*snapshot.Snapshot, countKey, facet.Counts](cache.Options{MaxBytes: size / 2, Whole: true}, meters.FacetCache())
		c.segments = cache.New[*segment.Reader, segmentKey, []uint32](cache.Options{MaxBytes: size / 2, Whole: true}, c.meter)
	}
	return c
}

func (c *countCache) get(of *snapshot.Snapshot, key countKey) (facet.Counts, bool) {
	return c.whole.Get(of, key)
}

func (c *countCache) put(of *snapshot.Snapshot, key countKey, counts facet.Counts) {
	if c.whole == nil {
		return
	}
	counts = counts.Smallest()
	bytes := counts.Bytes() + len(key.query) + len(key.filters) + len(key.locale) + len(key.column)
	if c.whole.Put(of, key, counts, int64(bytes)) {
		of.WhenReleased(c.whole, func() { c.whole.Drop(of) })
	}
}

func (c *countCache) putSegment(of *segment.Reader, key segmentKey, counts []uint32, changed func()) {
	bytes := 4*len(counts) + len(key.filters) + len(key.locale) + len(key.column)
	if c.segments.Put(of, key, counts, int64(bytes)) {
		of.WhenClosed(c.segments, func() {
			c.segments.Drop(of)
			changed()
		})
	}
	changed()
}

// cacheKey returns the key of the counts of a facet over a population.
func (r *Request) cacheKey(p *Facet, pop *population, values *collect.Values) countKey {
	key := countKey{
		schema: weak.Make(r.Schema), settings: weak.Make(r.Settings), locale: r.Locale,
		column: p.column, query: string(r.Search.QueryText), kept: pop.key,
	}
	if values != nil && values.When == nil {
		key.hits = values.Path
	}
	if !pop.all {
		key.filters = string(r.Search.FiltersText)
	}
	return key
}

// segmentKey returns the key of the counts of a facet over a population in one segment, and
// false when they depend on more than the segment.
func (r *Request) segmentKey(p *Facet, pop *population, of *snapshot.Segment) (segmentKey, bool) {
	if r.Counter.counts.segments == nil || !scope.IsEverything(r.Query) || p.field.List != "" || r.Search.Hits != nil {
		return segmentKey{}, false
	}
	key := segmentKey{
		live: weak.Make(of.Live), schema: weak.Make(r.Schema), settings: weak.Make(r.Settings), locale: r.Locale,
		column: p.column,
	}
	if !pop.all {
		key.filters, key.kept = string(r.Search.FiltersText), pop.key
	}
	return key, !slices.ContainsFunc(pop.filters, spansSegments)
}

// spansSegments reports whether the matches of a node in a segment depend on the other
// segments: terms that are near by surface forms of any segment, and the nearest vectors of all
// segments.
func spansSegments(n plan.Node) bool {
	switch n.(type) {
	case *plan.Word, *plan.Expand, *plan.Phrase, *plan.Knn, *plan.Fuse:
		return true
	}
	return slices.ContainsFunc(plan.Children(n), spansSegments)
}
