package match

import (
	"container/list"
	"encoding/binary"
	"math"
	"sync"

	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
)

// FilterCache keeps the sets of filters by segment. Segments never change, so
// a set holds as long as its segment; what was not asked for longest goes
// first. Any number of goroutines may use it; a nil cache keeps nothing.
type FilterCache struct {
	maxSets  int
	maxBytes int64
	meters   *metrics.Set

	mu      sync.Mutex
	entries map[cacheKey]*list.Element
	recent  list.List // of *cacheEntry, latest first
	bytes   int64
}

type cacheKey struct {
	segment *segment.Reader
	filter  string
}

type cacheEntry struct {
	key   cacheKey
	sets  []*Set
	bytes int64
}

// NewFilterCache returns a cache of at most so many filters and bytes.
func NewFilterCache(maxFilters int, maxBytes int64, meters *metrics.Set) *FilterCache {
	return &FilterCache{maxSets: maxFilters, maxBytes: maxBytes, meters: meters, entries: map[cacheKey]*list.Element{}}
}

func (c *FilterCache) lookup(s *segment.Reader, n plan.Node) []*Set {
	if c == nil {
		return nil
	}
	key, ok := filterKey(n)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.entries[cacheKey{s, key}]
	meter := c.meters.QueryCache()
	if word, ok := n.(*plan.Expand); ok {
		if meter = c.meters.PrefixCache(); word.Edits > 0 {
			meter = c.meters.TypoCache()
		}
	}
	if element == nil {
		meter.Miss(1)
		return nil
	}
	meter.Hit(1)
	c.recent.MoveToFront(element)
	return element.Value.(*cacheEntry).sets
}

func (c *FilterCache) store(s *segment.Reader, n plan.Node, sets []*Set) {
	if c == nil {
		return
	}
	key, ok := filterKey(n)
	if !ok {
		return
	}
	entry := &cacheEntry{key: cacheKey{s, key}, sets: sets, bytes: int64(len(key)) + 128}
	for _, set := range sets {
		entry.bytes += set.Bytes()
	}
	if entry.bytes > c.maxBytes/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[entry.key] != nil {
		return
	}
	c.entries[entry.key] = c.recent.PushFront(entry)
	c.bytes += entry.bytes
	for c.bytes > c.maxBytes || len(c.entries) > c.maxSets {
		c.evict(c.recent.Back())
		c.meters.QueryCache().Evict(1)
	}
	c.meters.QueryCacheBytes(c.bytes)
}

// Forget drops the sets of a segment that is no longer searched.
func (c *FilterCache) Forget(s *segment.Reader) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for element := c.recent.Front(); element != nil; {
		next := element.Next()
		if element.Value.(*cacheEntry).key.segment == s {
			c.evict(element)
		}
		element = next
	}
	c.meters.QueryCacheBytes(c.bytes)
}

func (c *FilterCache) evict(element *list.Element) {
	entry := c.recent.Remove(element).(*cacheEntry)
	delete(c.entries, entry.key)
	c.bytes -= entry.bytes
}

// filterKey writes a node that only narrows as text that two nodes share
// exactly when they match the same documents of every segment. Others have
// no key.
func filterKey(n plan.Node) (string, bool) {
	key, ok := appendKey(nil, n)
	return string(key), ok
}

func appendKey(key []byte, n plan.Node) ([]byte, bool) {
	text := func(s string) {
		key = binary.AppendUvarint(key, uint64(len(s)))
		key = append(key, s...)
	}
	switch n := n.(type) {
	case *plan.Everything:
		key = append(key, '*')
	case *plan.Nothing:
		key = append(key, '-')
	case *plan.Term:
		key = append(key, 't')
		text(n.Structure)
		text(n.Text)
	case *plan.TermSet:
		key = append(key, 's')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Terms)))
		for _, t := range n.Terms {
			text(t)
		}
	case *plan.TermRange:
		key = append(key, 'r')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Intervals)))
		for _, i := range n.Intervals {
			key = append(key, flags(i.From != nil, i.To != nil, i.FromExclusive, i.ToExclusive))
			if i.From != nil {
				text(*i.From)
			}
			if i.To != nil {
				text(*i.To)
			}
		}
	case *plan.NumberRange:
		key = append(key, 'n')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Intervals)))
		for _, i := range n.Intervals {
			key = binary.BigEndian.AppendUint64(key, uint64(i.Min))
			key = binary.BigEndian.AppendUint64(key, uint64(i.Max))
		}
	case *plan.Distance:
		key = append(key, 'd')
		text(n.Structure)
		for _, v := range []float64{n.Lat, n.Lon, n.Radius} {
			key = binary.BigEndian.AppendUint64(key, math.Float64bits(v))
		}
	case *plan.Expand:
		key = append(key, 'e', flags(n.Prefix, false, false, false), byte(n.Edits), byte(n.Fixed))
		text(n.Structure)
		text(n.Text)
	case *plan.And:
		if len(n.Optional) > 0 {
			return nil, false
		}
		return appendKeys(append(key, '&'), n.Clauses)
	case *plan.Or:
		return appendKeys(append(key, '|'), n.Clauses)
	case *plan.Not:
		return appendKeys(append(key, '!'), n.Clauses)
	case *plan.Nested:
		key = append(key, '(')
		text(n.Path)
		return appendKey(key, n.Clause)
	default:
		return nil, false
	}
	return key, true
}

func appendKeys(key []byte, nodes []plan.Node) ([]byte, bool) {
	key = binary.AppendUvarint(key, uint64(len(nodes)))
	for _, n := range nodes {
		var ok bool
		if key, ok = appendKey(key, n); !ok {
			return nil, false
		}
	}
	return key, true
}

func flags(all ...bool) byte {
	var f byte
	for i, set := range all {
		if set {
			f |= 1 << i
		}
	}
	return f
}
