package search

import (
	"context"
	"sync"
	"weak"

	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/suggest"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/settings"
)

// formCacheSize bounds the memory of normalized values in bytes.
const formCacheSize = 64 << 20

// formCache keeps the normalized forms of the values of suggested fields, per
// snapshot.
type formCache struct {
	kept    *cache.Cache[*snapshot.Snapshot, formKey, *made[suggest.Index]]
	changed func()

	mu sync.Mutex // of looking for an entry and keeping it
}

type formKey struct {
	settings weak.Pointer[settings.Settings]
	column   string
	locale   string
}

func newFormCache(changed func()) *formCache {
	return &formCache{changed: changed, kept: cache.New[*snapshot.Snapshot, formKey, *made[suggest.Index]](
		cache.Options{MaxBytes: formCacheSize, Whole: true}, nil)}
}

func (c *formCache) entry(of *snapshot.Snapshot, key formKey) *made[suggest.Index] {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.kept.Get(of, key)
	if !ok {
		entry = newMade[suggest.Index]()
		c.keep(of, key, entry, 0)
	}
	return entry
}

func (c *formCache) keep(of *snapshot.Snapshot, key formKey, entry *made[suggest.Index], bytes int) {
	if c.kept.Put(of, key, entry, int64(bytes)) {
		of.WhenReleased(c.kept, func() {
			c.kept.Drop(of)
			c.changed()
		})
	}
	c.changed()
}

// get returns the index of all values the segments of the snapshot know.
func (c *formCache) get(ctx context.Context, s *session, f *suggestField, column string) (*suggest.Index, error) {
	of := s.view.Snapshot
	key := formKey{weak.Make(s.view.Settings), column, s.locale + "\x00" + chainLocale(f.field, plan.Variant(f.field, s.locale))}
	entry := c.entry(of, key)
	index, isNew, err := entry.get(ctx, func(ctx context.Context) (*suggest.Index, error) {
		var parts []facet.Part
		for _, segment := range of.Segments {
			if ordinals := segment.Reader.Ordinals(column); ordinals != nil {
				parts = append(parts, facet.Part{Column: ordinals, Counts: ordinals.Counts()})
			}
		}
		counts := facet.Merge(parts)
		values := make([]suggest.Value, len(counts))
		for i, count := range counts {
			values[i] = suggest.Value{Value: count.Value, Label: f.declared.Label(string(count.Value), s.locale, f.field.DefaultLocale)}
		}
		return suggest.Build(ctx, values, f.normalize)
	})
	if isNew {
		c.keep(of, key, entry, index.Bytes())
	}
	return index, err
}
