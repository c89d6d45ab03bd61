package analysis

import (
	"fmt"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
	"github.com/quiresearch/quire/internal/locale"
)

// MaxGrams bounds maxGram: longer grams are the whole word for nearly every
// word, and their cost is quadratic.
const MaxGrams = 256

// addFilter appends the filter for f in a mode: on the query side, synonyms and
// decompound are left out and edgeNgram cuts words to the longest prefix.
func (b *Builder) addFilter(c *Chain, f definition.TokenFilter, mode Mode, shared *parts) error {
	add := func(filter tokenfilter.Filter) { c.filters = append(c.filters, filter) }
	switch {
	case f.Normalize != nil:
		filter := tokenfilter.NewNormalize(c.locale, !f.Normalize.FoldsCase())
		c.whole = append(c.whole, filter)
		if mode == Query {
			filter = tokenfilter.NewNormalizeTyped(c.locale, !f.Normalize.FoldsCase())
		}
		add(filter)
	case f.ASCIIFolding != nil:
		add(tokenfilter.NewASCIIFolding(f.ASCIIFolding.KeepsOriginal()))
		c.whole = append(c.whole, tokenfilter.NewASCIIFolding(false))
	case f.Stopwords != nil:
		filter, err := b.stopwordFilter(f.Stopwords, c.locale, shared)
		if err != nil {
			return err
		}
		if filter != nil {
			add(filter)
		}
	case f.Stemming != nil:
		filter, ok, err := b.stemming(f.Stemming.Locale, c.locale)
		if err != nil {
			return err
		}
		if ok {
			add(filter)
		}
	case f.EdgeNgram != nil:
		lo, hi, err := grams(f.EdgeNgram)
		if err != nil {
			return err
		}
		if mode == Query {
			add(tokenfilter.Truncate{Max: hi})
		} else {
			add(tokenfilter.EdgeNgram{Min: lo, Max: hi})
		}
	case f.Ngram != nil:
		lo, hi, err := grams(f.Ngram)
		if err != nil {
			return err
		}
		add(tokenfilter.Ngram{Min: lo, Max: hi})
	case f.Synonyms != nil:
		if mode == Index {
			add(shared.synonymsOf(f.Synonyms.Rules))
		}
	case f.Decompound != nil:
		if mode == Index {
			filter, ok, err := b.decompound(f.Decompound.Locale, c.locale)
			if err != nil {
				return err
			}
			if ok {
				add(filter)
			}
		}
	default:
		return fmt.Errorf("%w: filter of no kind", ErrChainInvalid)
	}
	return nil
}

func grams(n *definition.Ngram) (lo, hi int, err error) {
	lo, hi = n.Min(), n.Max()
	if lo < 1 || hi < lo {
		return 0, 0, fmt.Errorf("%w: grams of %d to %d code points", ErrChainInvalid, lo, hi)
	}
	return min(lo, MaxGrams), min(hi, MaxGrams), nil
}

// stopwordFilter returns the filter of a list, nil if the list is empty. Lists
// of locales are shared.
func (b *Builder) stopwordFilter(f *definition.Stopwords, tag string, shared *parts) (tokenfilter.Filter, error) {
	if f.Words != nil {
		if len(f.Words) == 0 {
			return nil, nil
		}
		return shared.stopwordsOf(f.Words), nil
	}
	if f.Named != nil {
		return nil, fmt.Errorf("%w: stopword list %q without its words", ErrChainInvalid, *f.Named)
	}
	if f.Locale != "" {
		tag = locale.Canonical(f.Locale)
		if !b.Supports(tag) {
			return nil, fmt.Errorf("%w: %q", ErrLocaleUnsupported, tag)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if filter := b.stopwords[tag]; filter != nil {
		return filter, nil
	}
	words := locale.Stopwords(tag)
	if from := b.options.Stopwords[tag]; from != nil {
		var err error
		if words, err = from(); err != nil {
			return nil, fmt.Errorf("load stopwords of locale %s: %w", tag, err)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	filter := tokenfilter.NewStopwords(words, tokenfilter.NewNormalizeTyped(tag, false))
	b.stopwords[tag] = filter
	return filter, nil
}

// stemming returns the filter of the named locale or that of the value. It
// reports false for a locale without stemming.
func (b *Builder) stemming(named, tag string) (tokenfilter.Filter, bool, error) {
	foreign := ""
	if named = locale.Canonical(named); named != "" && named != tag {
		tag, foreign = named, named
		if !b.Supports(tag) {
			return nil, false, fmt.Errorf("%w: %q", ErrLocaleUnsupported, tag)
		}
	}
	stemmer, ok := stem.For(tag)
	if b.options.Stemmers[tag] != nil {
		var err error
		if stemmer, err = load(b, b.stemmers, b.options.Stemmers, tag); err != nil {
			return nil, false, err
		}
		ok = true
	}
	if !ok {
		return nil, false, nil
	}
	return tokenfilter.NewStemming(stemmer, b.owners[tag], foreign), true, nil
}

// decompound returns the filter of the named locale or that of the value. It
// reports false for a locale without compounds.
func (b *Builder) decompound(named, tag string) (tokenfilter.Decompound, bool, error) {
	if named != "" {
		tag = locale.Canonical(named)
	}
	if !locale.Compounding(tag) {
		return tokenfilter.Decompound{}, false, nil
	}
	if !b.Decompounds(tag) {
		return tokenfilter.Decompound{}, false, fmt.Errorf("%w: %q", ErrNoCompoundData, tag)
	}
	splitter, err := load(b, b.splitters, b.options.Decompounders, locale.DataTag(tag))
	return tokenfilter.Decompound{Splitter: splitter}, err == nil, err
}
