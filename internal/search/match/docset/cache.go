package docset

import (
	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/segment"
)

// Cache keeps sets by segment and key. Segments never change, so a set stays valid as long as
// its segment is open and is dropped when the segment closes.
type Cache struct {
	sets   *cache.Cache[*segment.Reader, string, *Set]
	asked  *cache.Cache[*segment.Reader, string, uint64] // see Seen
	meters *metrics.Set
}

// keyBytes is the approximate memory of the key of a set.
const keyBytes = 64

// askedShare: the keys of Seen may take 1/askedShare of the memory of sets, in addition to
// that.
const askedShare = 16

// NewCache returns an empty cache bounded in sets and bytes; meters may be nil.
func NewCache(sets int, bytes int64, meters *metrics.Set) *Cache {
	return &Cache{
		sets:   cache.New[*segment.Reader, string, *Set](cache.Options{MaxEntries: sets, MaxBytes: bytes}, meters.QueryCache()),
		asked:  cache.New[*segment.Reader, string, uint64](cache.Options{MaxEntries: sets, MaxBytes: max(1, bytes/askedShare)}, nil),
		meters: meters,
	}
}

// Get returns the set of a key in a segment, nil when there is none.
func (c *Cache) Get(r *segment.Reader, key string) *Set {
	set, _ := c.sets.Get(r, key)
	return set
}

// Put stores a set.
func (c *Cache) Put(r *segment.Reader, key string, set *Set) {
	if c.sets.Put(r, key, set, int64(len(key))+set.Bytes()) {
		r.WhenClosed(c.sets, func() {
			c.sets.Drop(r)
			c.meters.QueryCacheBytes(c.sets.Bytes())
		})
	}
	c.meters.QueryCacheBytes(c.sets.Bytes())
}

// Fits reports whether the cache can hold a bitset of so many documents.
func (c *Cache) Fits(documents uint32) bool { return c.sets.Fits(keyBytes + int64(documents/8)) }

// Seen reports whether another search asked for the key before, and records the first search
// that did. A set that recurs is worth building and keeping.
func (c *Cache) Seen(r *segment.Reader, key string, search uint64) bool {
	if first, ok := c.asked.Get(r, key); ok {
		return first != search
	}
	if c.asked.Put(r, key, search, int64(len(key))) {
		r.WhenClosed(c.asked, func() { c.asked.Drop(r) })
	}
	return false
}
