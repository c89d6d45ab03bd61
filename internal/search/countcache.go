package search

import (
	"weak"

	"github.com/maypok86/otter/v2"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/settings"
)

// countCache keeps the counts of facets between requests, bounded by bytes.
// The key names the snapshot, so that counts are never used beyond what they
// were counted on, and does not keep it in memory.
type countCache struct {
	cache  *otter.Cache[countKey, []facet.Count] // nil: nothing is kept
	most   int64                                 // bytes of one entry
	meters *metrics.Cache
}

// countKey is everything counts depend on.
type countKey struct {
	snapshot weak.Pointer[snapshot.Snapshot]
	schema   weak.Pointer[definition.Schema]
	settings weak.Pointer[settings.Settings]
	locale   string
	column   string
	hits     string
	query    string
	filters  string
	kept     string
}

func newCountCache(size int64, meters *metrics.Set) *countCache {
	c := &countCache{meters: meters.FacetCache()}
	if size <= 0 {
		return c
	}
	c.most = size / 8
	c.cache = otter.Must(&otter.Options[countKey, []facet.Count]{
		MaximumWeight: uint64(size),
		Weigher: func(k countKey, v []facet.Count) uint32 {
			return uint32(len(v)*countBytes + len(k.query) + len(k.filters) + len(k.locale) + len(k.column) + 256)
		},
		OnDeletion: func(e otter.DeletionEvent[countKey, []facet.Count]) {
			if e.WasEvicted() {
				c.meters.Evict(1)
			}
		},
	})
	return c
}

// countBytes is the memory of one count: a slice and a number.
const countBytes = 32

func (c *countCache) get(key countKey) ([]facet.Count, bool) {
	if c.cache == nil {
		return nil, false
	}
	counts, ok := c.cache.GetIfPresent(key)
	if ok {
		c.meters.Hit(1)
	} else {
		c.meters.Miss(1)
	}
	return counts, ok
}

func (c *countCache) put(key countKey, counts []facet.Count) {
	if c.cache != nil && int64(len(counts))*countBytes <= c.most {
		c.cache.Set(key, counts)
	}
}

// cacheKey names the counts of a facet over a population.
func (s *session) cacheKey(p *facetPlan, pop *population, values *collect.Values) countKey {
	key := countKey{
		snapshot: weak.Make(s.view.Snapshot), schema: weak.Make(s.view.Schema), settings: weak.Make(s.view.Settings), locale: s.locale,
		column: p.column, query: string(s.request.QueryText), kept: pop.key,
	}
	if values != nil && values.When == nil {
		key.hits = values.Path
	}
	if !pop.all {
		key.filters = string(s.request.FiltersText)
	}
	return key
}
