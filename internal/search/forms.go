package search

import (
	"weak"

	"github.com/maypok86/otter/v2"

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
	cache *otter.Cache[formKey, *suggest.Index]
}

type formKey struct {
	snapshot weak.Pointer[snapshot.Snapshot]
	settings weak.Pointer[settings.Settings]
	column   string
	locale   string
}

func newFormCache() *formCache {
	return &formCache{cache: otter.Must(&otter.Options[formKey, *suggest.Index]{
		MaximumWeight: formCacheSize,
		Weigher:       func(_ formKey, x *suggest.Index) uint32 { return uint32(x.Bytes() + 128) },
	})}
}

// get returns the index of all values the segments of the snapshot know.
func (c *formCache) get(s *session, f *suggestField, column string) *suggest.Index {
	key := formKey{weak.Make(s.view.Snapshot), weak.Make(s.view.Settings), column, s.locale + "\x00" + chainLocale(f.field, plan.Variant(f.field, s.locale))}
	if x, ok := c.cache.GetIfPresent(key); ok {
		return x
	}
	var parts []facet.Part
	for _, segment := range s.view.Snapshot.Segments {
		if ordinals := segment.Reader.Ordinals(column); ordinals != nil {
			parts = append(parts, facet.Part{Column: ordinals, Counts: ordinals.Counts()})
		}
	}
	counts := facet.Merge(parts)
	values := make([]suggest.Value, len(counts))
	for i, count := range counts {
		values[i] = suggest.Value{Value: count.Value, Label: f.declared.Label(string(count.Value), s.locale, f.field.DefaultLocale)}
	}
	x := suggest.Build(values, f.normalize)
	c.cache.Set(key, x)
	return x
}
