package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Cache counts the use of a cache. A nil *Cache counts nothing.
type Cache struct {
	hits, misses, evictions prometheus.Counter
}

func (s *Set) newCache(name string) *Cache {
	c := new(Cache)
	if v := s.counters["service."+name+".hits"]; v != nil {
		c.hits = v.WithLabelValues()
	}
	if v := s.counters["service."+name+".misses"]; v != nil {
		c.misses = v.WithLabelValues()
	}
	if v := s.counters["service."+name+".evictions"]; v != nil {
		c.evictions = v.WithLabelValues()
	}
	return c
}

// Hit counts entries found.
func (c *Cache) Hit(n int) {
	if c != nil && c.hits != nil {
		c.hits.Add(float64(n))
	}
}

// Miss counts entries not found.
func (c *Cache) Miss(n int) {
	if c != nil && c.misses != nil {
		c.misses.Add(float64(n))
	}
}

// Evict counts entries evicted to free memory.
func (c *Cache) Evict(n int) {
	if c != nil && c.evictions != nil {
		c.evictions.Add(float64(n))
	}
}

func (s *Set) cache(name string) *Cache {
	if s == nil {
		return nil
	}
	return s.caches[name]
}

// DocumentCache counts reads of documents.
func (s *Set) DocumentCache() *Cache { return s.cache("document.cache") }

// QueryCache counts reads of cached filters.
func (s *Set) QueryCache() *Cache { return s.cache("query.cache") }

// TermCache counts reads of term statistics.
func (s *Set) TermCache() *Cache { return s.cache("term.cache") }

// TypoCache counts words whose typo automaton was requested.
func (s *Set) TypoCache() *Cache { return s.cache("typo.cache") }

// PrefixCache counts words whose prefix automaton was requested.
func (s *Set) PrefixCache() *Cache { return s.cache("prefix.cache") }

// FacetCache counts reads of facet counts.
func (s *Set) FacetCache() *Cache { return s.cache("facet.cache") }

// FacetSegments counts requested per-segment counts.
func (s *Set) FacetSegments() *Cache { return s.cache("facet.segment") }

// QueryCacheBytes sets the size of the filter cache.
func (s *Set) QueryCacheBytes(bytes int64) { s.gauge("service.query.cache.bytes", float64(bytes)) }

// FacetStateBytes sets the size of the facet state of open readers.
func (s *Set) FacetStateBytes(bytes int64) { s.gauge("service.facet.state.bytes", float64(bytes)) }

// FacetWarm times a warm-up; outcome is success, superseded, stopped or error.
func (s *Set) FacetWarm(outcome string, took time.Duration) {
	s.observe("service.facet.warm", took, outcome)
}

// FacetWarmQueued sets the number of indexes waiting for a warm thread.
func (s *Set) FacetWarmQueued(indexes int) { s.gauge("service.facet.warm.queued", float64(indexes)) }
