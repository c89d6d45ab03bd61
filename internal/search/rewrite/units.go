package rewrite

import (
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/interpret"
)

// unitCache caches the spellings of the units of a schema, by locale.
type unitCache struct {
	mu   sync.Mutex
	kept map[unitKey]*units
}

type unitKey struct {
	schema *definition.Schema
	locale string
}

// units are the fields of a schema on which numbers are interpreted, and the words
// for their units in one locale.
type units struct {
	vocabulary *interpret.Vocabulary
	fields     []interpret.Field
}

// maxUnits bounds the number of entries; an arbitrary one is evicted.
const maxUnits = 256

func newUnitCache() *unitCache { return &unitCache{kept: make(map[unitKey]*units)} }

func (c *unitCache) of(schema *definition.Schema, locale string) *units {
	key := unitKey{schema, locale}
	c.mu.Lock()
	found := c.kept[key]
	c.mu.Unlock()
	if found != nil {
		return found
	}
	found = new(units)
	var declared, plain []string
	for _, f := range schema.Fields() {
		if f.Unit != "" && f.Type.IsNumber() && !f.IsWildcard {
			found.fields = append(found.fields, interpret.Field{ResolvedField: f})
			declared = append(declared, f.Unit)
		} else if f.Type.IsNumber() && !f.IsWildcard {
			plain = append(plain, f.Path)
		}
	}
	found.vocabulary = interpret.NewVocabulary(locale, declared, plain)
	c.mu.Lock()
	defer c.mu.Unlock()
	for old := range c.kept {
		if len(c.kept) < maxUnits {
			break
		}
		delete(c.kept, old)
	}
	c.kept[key] = found
	return found
}
