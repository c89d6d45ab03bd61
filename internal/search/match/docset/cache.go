package docset

import (
	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/segment"
)

// Cache keeps sets by segment and key. Segments never change, so a set holds as
// long as its segment is open and goes when that closes.
type Cache struct {
	sets   *cache.Cache[*segment.Reader, string, *Set]
	meters *metrics.Set
}

// NewCache returns an empty cache of so many sets and bytes; meters may be nil.
func NewCache(sets int, bytes int64, meters *metrics.Set) *Cache {
	options := cache.Options{MaxEntries: sets, MaxBytes: bytes}
	return &Cache{cache.New[*segment.Reader, string, *Set](options, meters.QueryCache()), meters}
}

// Get returns the set of a key in a segment, nil when there is none.
func (c *Cache) Get(r *segment.Reader, key string) *Set {
	set, _ := c.sets.Get(r, key)
	return set
}

// Put keeps a set.
func (c *Cache) Put(r *segment.Reader, key string, set *Set) {
	if c.sets.Put(r, key, set, int64(len(key))+set.Bytes()) {
		r.WhenClosed(c.sets, func() {
			c.sets.Drop(r)
			c.meters.QueryCacheBytes(c.sets.Bytes())
		})
	}
	c.meters.QueryCacheBytes(c.sets.Bytes())
}

// seenMark begins the keys of Seen.
const seenMark = "?"

// Seen reports whether it was called for the key before, and remembers that it
// was: a set that comes up again is worth building and keeping.
func (c *Cache) Seen(r *segment.Reader, key string) bool {
	key = seenMark + key
	if _, seen := c.sets.Get(r, key); seen {
		return true
	}
	if c.sets.Put(r, key, &Set{}, int64(len(key))) {
		r.WhenClosed(c.sets, func() { c.sets.Drop(r) })
	}
	return false
}
