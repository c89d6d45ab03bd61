package analysis

import (
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/locale"
)

// Chains caches the chains of the fields of a schema, each built on first use.
// It may be used by any number of goroutines.
type Chains struct {
	builder *Builder
	shared  *parts

	mu     sync.RWMutex // guards chains
	chains map[chainKey]*Chain
}

// maxChains bounds the cache; a field with a wildcard name resolves to any
// number of fields.
const maxChains = 8192

type chainKey struct {
	spec         *definition.Chain // nil: defined by the engine
	decompound   string
	autocomplete bool
	locale       string
	mode         Mode
}

// NewChains returns an empty cache of chains.
func NewChains(b *Builder) *Chains {
	return &Chains{builder: b, shared: newParts(), chains: map[chainKey]*Chain{}}
}

// IndexChain returns the chain that indexes values of a field in a locale, for
// its matching or its autocomplete usage. If the field lacks the usage, the
// chain is one the engine defines. An empty tag means en.
func (c *Chains) IndexChain(field *definition.ResolvedField, autocomplete bool, tag string) (*Chain, error) {
	return c.chain(field, autocomplete, tag, Index)
}

// QueryChain returns the query side of IndexChain.
func (c *Chains) QueryChain(field *definition.ResolvedField, autocomplete bool, tag string) (*Chain, error) {
	return c.chain(field, autocomplete, tag, Query)
}

func (c *Chains) chain(field *definition.ResolvedField, autocomplete bool, tag string, mode Mode) (*Chain, error) {
	usage := field.Matching
	if autocomplete {
		usage = field.Autocomplete
	}
	if tag == "" {
		tag = locale.Default
	}
	key := chainKey{autocomplete: autocomplete, locale: tag, mode: mode}
	if usage != nil {
		key.spec, key.decompound = usage.Chain, usage.Decompound
	}
	c.mu.RLock()
	chain := c.chains[key]
	c.mu.RUnlock()
	if chain != nil {
		return chain, nil
	}
	spec := key.spec
	if spec == nil {
		spec = definition.MatchingChain(key.decompound)
		if autocomplete {
			spec = definition.AutocompleteChain()
		}
	}
	chain, err := c.builder.chain(spec, tag, mode, c.shared)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if have := c.chains[key]; have != nil {
		return have, nil
	}
	if len(c.chains) < maxChains {
		c.chains[key] = chain
	}
	return chain, nil
}
