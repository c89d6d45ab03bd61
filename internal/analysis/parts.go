package analysis

import (
	"fmt"
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis/charfilter"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
)

// parts caches what is built from the lists, sets, mappings and patterns of a
// definition, so that the chains of all fields and locales share it. It may be
// used by any number of goroutines.
type parts struct {
	mu        sync.Mutex // guards the fields below
	synonyms  map[*definition.SynonymRule]*tokenfilter.Synonyms
	stopwords map[*string]*tokenfilter.Stopwords
	mappings  map[*definition.Mapping]*charfilter.Mapping
	patterns  map[definition.PatternReplace]*charfilter.PatternReplace
}

func newParts() *parts {
	return &parts{
		synonyms:  map[*definition.SynonymRule]*tokenfilter.Synonyms{},
		stopwords: map[*string]*tokenfilter.Stopwords{},
		mappings:  map[*definition.Mapping]*charfilter.Mapping{},
		patterns:  map[definition.PatternReplace]*charfilter.PatternReplace{},
	}
}

// once returns the cached value of a key, building it if necessary.
func once[K comparable, V any](p *parts, kept map[K]V, key K, make func() V) V {
	p.mu.Lock()
	defer p.mu.Unlock()
	have, ok := kept[key]
	if !ok {
		have = make()
		kept[key] = have
	}
	return have
}

func (p *parts) charFilter(f definition.CharFilter) (charfilter.Filter, error) {
	switch {
	case f.HTMLStrip != nil:
		return charfilter.HTMLStrip{}, nil
	case f.Mapping != nil:
		return once(p, p.mappings, f.Mapping, func() *charfilter.Mapping { return charfilter.NewMapping(f.Mapping.Mappings) }), nil
	case f.PatternReplace != nil:
		return p.pattern(f.PatternReplace)
	}
	return nil, fmt.Errorf("%w: char filter of no kind", ErrChainInvalid)
}

func (p *parts) pattern(f *definition.PatternReplace) (charfilter.Filter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if have := p.patterns[*f]; have != nil {
		return have, nil
	}
	made, err := charfilter.NewPatternReplace(f.Pattern, f.Replacement)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChainInvalid, err)
	}
	p.patterns[*f] = made
	return made, nil
}

func (p *parts) synonymsOf(rules []definition.SynonymRule) *tokenfilter.Synonyms {
	if len(rules) == 0 {
		return tokenfilter.NewSynonyms()
	}
	return once(p, p.synonyms, &rules[0], func() *tokenfilter.Synonyms {
		filter := tokenfilter.NewSynonyms()
		for _, r := range rules {
			if r.Mapping != nil {
				filter.Mapping(r.Mapping.From, r.Mapping.To)
			} else {
				filter.Equivalent(r.Equivalent)
			}
		}
		return filter
	})
}

// stopwordsOf returns the filter of a non-empty list.
func (p *parts) stopwordsOf(words []string) *tokenfilter.Stopwords {
	return once(p, p.stopwords, &words[0], func() *tokenfilter.Stopwords { return tokenfilter.NewStopwords(words) })
}
