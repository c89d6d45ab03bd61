package analysis

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
	"github.com/quiresearch/quire/internal/analysis/tokenizer"
	"github.com/quiresearch/quire/internal/locale"
)

// Errors of Chain. A definition validated on this node never causes them; one
// stored by a node with more language data may.
var (
	ErrLocaleUnsupported = errors.New("locale is not supported")
	ErrNoCompoundData    = errors.New("locale has no compound data")
	ErrChainInvalid      = errors.New("analysis chain is invalid")
)

// Options hold the language data of a node beyond the built-in rules. All of it
// is loaded on first use and shared. The zero value serves every locale whose
// rules need no data. Keys are canonical tags.
type Options struct {
	// Segmenters are the tokenizers of locales with their own segmentation: ja,
	// ko, zh, zh-Hant. Such a locale without its segmenter is not supported.
	Segmenters map[string]func() (tokenizer.Tokenizer, error)

	// Breaker splits runs of scripts written without spaces (Thai, Lao,
	// Khmer, Burmese) inside the Unicode tokenizer.
	Breaker func() (tokenizer.Breaker, error)

	// Decompounders split compounds, by locale.DataTag.
	Decompounders map[string]func() (tokenfilter.Splitter, error)

	// Stemmers come with locale data, such as the full-form list of is. They take
	// precedence over built-in ones.
	Stemmers map[string]func() (stem.Stemmer, error)

	// Stopwords come with locale data, such as those of is. They take precedence
	// over built-in lists.
	Stopwords map[string]func() ([]string, error)
}

// Builder builds chains. It may be used by any number of goroutines.
type Builder struct {
	options Options
	unicode func() (tokenizer.Tokenizer, error)
	owners  map[string]uint8 // numbers of stemmers by tag

	mu        sync.Mutex // guards the fields below; held while data are loaded
	stemmers  map[string]stem.Stemmer
	splitters map[string]tokenfilter.Splitter
	segments  map[string]tokenizer.Tokenizer
	stopwords map[string]*tokenfilter.Stopwords
}

// NewBuilder returns a builder for a node with this data. It loads nothing.
func NewBuilder(options Options) *Builder {
	b := &Builder{
		options:   options,
		owners:    map[string]uint8{},
		stemmers:  map[string]stem.Stemmer{},
		splitters: map[string]tokenfilter.Splitter{},
		segments:  map[string]tokenizer.Tokenizer{},
		stopwords: map[string]*tokenfilter.Stopwords{},
	}
	for i, tag := range locale.Tags() {
		b.owners[tag] = uint8(i + 1)
	}
	b.unicode = sync.OnceValues(func() (tokenizer.Tokenizer, error) {
		if options.Breaker == nil {
			return tokenizer.Unicode{}, nil
		}
		breaker, err := options.Breaker()
		if err != nil {
			return nil, fmt.Errorf("load word breaks: %w", err)
		}
		return tokenizer.Unicode{Breaker: breaker}, nil
	})
	return b
}

// Supports reports whether this node can analyse a locale: it has rules for
// exactly this tag and the data the rules need.
func (b *Builder) Supports(tag string) bool {
	tag = locale.Canonical(tag)
	switch {
	case !locale.Supported(tag):
		return false
	case definition.HasSegmenter(tag):
		return b.options.Segmenters[tag] != nil
	case tag == "is":
		return b.options.Stemmers[tag] != nil
	}
	return true
}

// Canonical returns the canonical spelling of a tag and reports whether this
// node supports it.
func (b *Builder) Canonical(tag string) (string, bool) {
	tag = locale.Canonical(tag)
	return tag, b.Supports(tag)
}

// Decompounds reports whether this node can split the compounds of a locale.
func (b *Builder) Decompounds(tag string) bool {
	return locale.Compounding(tag) && b.options.Decompounders[locale.DataTag(tag)] != nil
}

// Capabilities returns the capabilities that definitions are validated against.
func (b *Builder) Capabilities() definition.Capabilities {
	return definition.Capabilities{Locale: b.Canonical, Compounding: locale.Compounding, Decompounds: b.Decompounds}
}

// Chain builds the chain for values of a locale. Named resources must have been
// replaced by their content, as definition.Schema does. The chain is not
// cached; see Chains.
func (b *Builder) Chain(spec *definition.Chain, tag string, mode Mode) (*Chain, error) {
	return b.chain(spec, tag, mode, newParts())
}

func (b *Builder) chain(spec *definition.Chain, tag string, mode Mode, shared *parts) (*Chain, error) {
	tag = locale.Canonical(tag)
	if !b.Supports(tag) {
		return nil, fmt.Errorf("%w: %q", ErrLocaleUnsupported, tag)
	}
	c := &Chain{locale: tag}
	for _, f := range spec.CharFilters {
		filter, err := shared.charFilter(f)
		if err != nil {
			return nil, err
		}
		c.charFilters = append(c.charFilters, filter)
	}
	var err error
	if c.tokenizer, err = b.tokenizer(spec.Tokenizer, tag); err != nil {
		return nil, err
	}
	for _, f := range spec.Filters {
		if err := b.addFilter(c, f, mode, shared); err != nil {
			return nil, err
		}
	}
	c.noteSurfaces()
	c.weigh()
	return c, nil
}

// noteSurfaces makes the chain record how words are spelled: before the first
// stemming and, in chains without stemming, where sounds differ from letters.
// Grams are not words and have no surface form.
func (c *Chain) noteSurfaces() {
	at := -1
	for i, f := range c.filters {
		switch f.(type) {
		case tokenfilter.EdgeNgram, tokenfilter.Ngram, tokenfilter.Truncate:
			return
		case tokenfilter.Stemming:
			if at < 0 {
				at = i
			}
		}
	}
	if at < 0 && (c.locale == "ja" || c.locale == "ko") {
		at = len(c.filters)
	}
	if at >= 0 {
		c.filters = slices.Insert(c.filters, at, tokenfilter.Filter(tokenfilter.Surface{}))
	}
}

func (b *Builder) tokenizer(t *definition.Tokenizer, tag string) (tokenizer.Tokenizer, error) {
	switch {
	case t == nil && definition.HasSegmenter(tag):
		return load(b, b.segments, b.options.Segmenters, tag)
	case t == nil, t.ICU != nil:
		return b.unicode()
	case t.Whitespace != nil:
		return tokenizer.Whitespace{}, nil
	case t.Keyword != nil:
		return tokenizer.Keyword{}, nil
	case t.Letter != nil:
		return tokenizer.Letter{}, nil
	}
	return nil, fmt.Errorf("%w: tokenizer of no kind", ErrChainInvalid)
}

// load returns the cached result of a function of the options, calling it on
// first use.
func load[T any](b *Builder, loaded map[string]T, from map[string]func() (T, error), tag string) (T, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if have, ok := loaded[tag]; ok {
		return have, nil
	}
	made, err := from[tag]()
	if err != nil {
		return made, fmt.Errorf("load data of locale %s: %w", tag, err)
	}
	loaded[tag] = made
	return made, nil
}
