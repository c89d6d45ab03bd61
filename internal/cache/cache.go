// Package cache keeps values in memory, bounded by number and by bytes. Every value
// belongs to an owner, such as an open segment, and is dropped with it:
//
//	c := cache.New[*segment.Reader, string, int](cache.Options{MaxBytes: 32 << 20}, meter)
//	value, ok := c.Get(reader, "key")
//	c.Put(reader, "key", value, bytes)
//	c.Drop(reader) // the reader is closed
//
// The least recently used values are evicted first. A dropped value does not count
// as evicted.
//
// Invariants:
//
//	CA1  The cached values never exceed a bound.
//	CA2  After Drop nothing of the owner is cached, and the owner is not referenced.
//
// A Cache is safe for concurrent use. A nil Cache caches nothing.
package cache

import (
	"container/list"
	"hash/maphash"
	"sync"

	"github.com/quiresearch/quire/internal/metrics"
)

// Options bound a cache. A bound of zero means unbounded.
type Options struct {
	MaxEntries int
	MaxBytes   int64
	// Whole keeps the cache in one shard, so that a single value may take all the
	// bytes; for values that are large and used rarely.
	Whole bool
}

// entryBytes is the memory of an entry besides its value.
const entryBytes = 192

// Caches for many values are split into shards, so that goroutines that look up
// different values do not wait for each other.
const (
	splits       = 16
	splitEntries = 64 * splits
	splitBytes   = 1 << 20
)

// Cache holds values by owner and key.
type Cache[O, K comparable, V any] struct {
	seed   maphash.Seed
	meter  *metrics.Cache
	shards []shard[O, K, V]
}

type shard[O, K comparable, V any] struct {
	maxEntries int
	maxBytes   int64

	mu     sync.Mutex
	owners map[O]map[K]*list.Element
	recent list.List // of *entry, latest first
	bytes  int64
}

type entry[O, K comparable, V any] struct {
	owner O
	key   K
	value V
	bytes int64
}

// New returns a cache; meter may be nil.
func New[O, K comparable, V any](options Options, meter *metrics.Cache) *Cache[O, K, V] {
	n := splits
	if options.Whole || options.MaxEntries > 0 && options.MaxEntries < splitEntries || options.MaxBytes > 0 && options.MaxBytes < splitBytes {
		n = 1
	}
	c := &Cache[O, K, V]{seed: maphash.MakeSeed(), meter: meter, shards: make([]shard[O, K, V], n)}
	for i := range c.shards {
		c.shards[i] = shard[O, K, V]{maxEntries: options.MaxEntries / n, maxBytes: options.MaxBytes / int64(n), owners: make(map[O]map[K]*list.Element)}
	}
	return c
}

func (c *Cache[O, K, V]) shard(key K) *shard[O, K, V] {
	if len(c.shards) == 1 {
		return &c.shards[0]
	}
	return &c.shards[maphash.Comparable(c.seed, key)%splits]
}

// Get returns a value, and false when it is not cached.
func (c *Cache[O, K, V]) Get(owner O, key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	s := c.shard(key)
	s.mu.Lock()
	element := s.owners[owner][key]
	if element != nil {
		s.recent.MoveToFront(element)
		value, ok = element.Value.(*entry[O, K, V]).value, true
	}
	s.mu.Unlock()
	if ok {
		c.meter.Hit(1)
	} else {
		c.meter.Miss(1)
	}
	return value, ok
}

// Fits reports whether Put would cache a value of the given size.
func (c *Cache[O, K, V]) Fits(bytes int64) bool {
	return c != nil && (c.shards[0].maxBytes == 0 || bytes+entryBytes <= c.shards[0].maxBytes)
}

// Put caches a value of the given size, replacing the one under the key. It reports
// whether it is the first of its owner in its shard: the caller must then make sure
// that the owner is eventually dropped.
func (c *Cache[O, K, V]) Put(owner O, key K, value V, bytes int64) (isFirst bool) {
	if c == nil {
		return false
	}
	if !c.Fits(bytes) {
		return false
	}
	bytes += entryBytes
	s := c.shard(key)
	evicted := 0
	s.mu.Lock()
	if element := s.owners[owner][key]; element != nil {
		s.remove(element)
	}
	keys := s.owners[owner]
	if keys == nil {
		keys, isFirst = make(map[K]*list.Element), true
		s.owners[owner] = keys
	}
	keys[key] = s.recent.PushFront(&entry[O, K, V]{owner, key, value, bytes})
	s.bytes += bytes
	for s.maxBytes > 0 && s.bytes > s.maxBytes || s.maxEntries > 0 && s.recent.Len() > s.maxEntries {
		s.remove(s.recent.Back())
		evicted++
	}
	s.mu.Unlock()
	c.meter.Evict(evicted)
	return isFirst
}

func (s *shard[O, K, V]) remove(element *list.Element) {
	e := s.recent.Remove(element).(*entry[O, K, V])
	keys := s.owners[e.owner]
	delete(keys, e.key)
	if len(keys) == 0 {
		delete(s.owners, e.owner)
	}
	s.bytes -= e.bytes
}

// Drop removes the values of an owner that is gone.
func (c *Cache[O, K, V]) Drop(owner O) {
	if c == nil {
		return
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for _, element := range s.owners[owner] {
			s.remove(element)
		}
		s.mu.Unlock()
	}
}

// Bytes returns the size of the cached values.
func (c *Cache[O, K, V]) Bytes() (bytes int64) {
	if c == nil {
		return 0
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		bytes += s.bytes
		s.mu.Unlock()
	}
	return bytes
}

// Len returns the number of cached values.
func (c *Cache[O, K, V]) Len() (entries int) {
	if c == nil {
		return 0
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		entries += s.recent.Len()
		s.mu.Unlock()
	}
	return entries
}
