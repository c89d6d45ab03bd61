package analysis

import (
	"math"

	"github.com/quiresearch/quire/internal/analysis/charfilter"
	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
)

// Steps are the work of what a definition can make costly: expressions that match,
// synonyms that add words to words, grams of grams. One takes some ten nanoseconds.
// Chains without such parts take none.
const (
	// SearchSteps is what all texts of one search may take.
	SearchSteps = 1 << 26

	documentSteps = 2 << 20 // of a document, whatever its length
	stepsPerByte  = 16
)

// DocumentSteps returns what the analysis of a document with so many bytes of text
// may take.
func DocumentSteps(bytes int) int64 { return documentSteps + stepsPerByte*int64(bytes) }

// Limit bounds the steps of all texts from now on. When they are used up, patterns
// replace nothing and synonyms and grams add nothing. A buffer without a limit gives
// every text SearchSteps.
func (b *Buffer) Limit(steps int64) { b.steps, b.limits = steps, true }

// IsExhausted reports whether a text met the limit.
func (b *Buffer) IsExhausted() bool { return b.steps < 0 }

// rewrite applies the char filters.
func (b *Buffer) rewrite(c *Chain, text string) {
	if !b.limits {
		b.steps = SearchSteps
	}
	b.text.Reset(text)
	b.text.Steps = b.steps
	for _, f := range c.charFilters {
		f.Apply(&b.text)
	}
	b.steps = b.text.Steps
}

// applyWeighed applies token filters and counts their steps.
func (b *Buffer) applyWeighed(filters []tokenfilter.Filter) {
	s := &b.stream
	s.Steps = b.steps
	for _, f := range filters {
		isCounted := isCounted(f)
		if isCounted && s.Steps < 0 {
			continue
		}
		f.Apply(s)
		if isCounted {
			s.Steps -= int64(len(s.Tokens))
		}
	}
	b.steps = s.Steps
}

// isCounted reports whether a filter makes more tokens than it is given.
func isCounted(f tokenfilter.Filter) bool {
	switch f.(type) {
	case *tokenfilter.Synonyms, tokenfilter.EdgeNgram, tokenfilter.Ngram:
		return true
	}
	return false
}

// weigh notes whether the chain has parts whose steps are counted. Grams of words
// alone are in proportion to the text.
func (c *Chain) weigh() {
	grams := 0
	for _, f := range c.charFilters {
		if _, ok := f.(*charfilter.PatternReplace); ok {
			c.isWeighed = true
		}
	}
	for _, f := range c.filters {
		if _, ok := f.(*tokenfilter.Synonyms); ok {
			c.isWeighed = true
		} else if isCounted(f) {
			grams++
		}
	}
	c.isWeighed = c.isWeighed || grams > 1
}

// Bound returns a number of steps that no text of so many bytes takes more of;
// math.MaxInt64 where that is not known without reading the text.
func (c *Chain) Bound(length int) int64 {
	if !c.isWeighed {
		return 0
	}
	for _, f := range c.charFilters {
		switch f := f.(type) {
		case *charfilter.PatternReplace:
			if !f.IsQuick(length) {
				return math.MaxInt64
			}
			length = f.Grown(length)
		case *charfilter.Mapping:
			length = f.Grown(length)
		}
	}
	tokens, readings, steps := float64(length), 1.0, 0.0
	for _, f := range c.filters {
		grown := 1.0
		switch f := f.(type) {
		case *tokenfilter.Synonyms:
			grown = float64(1 + f.Largest())
			steps += tokens * readings
		case tokenfilter.EdgeNgram:
			grown = float64(f.Max - f.Min + 1)
		case tokenfilter.Ngram:
			grown = float64(f.Max - f.Min + 1)
		default:
			continue
		}
		tokens, readings = min(tokens*grown, token.MaxTokens), min(readings*grown, token.MaxTokens)
		steps += tokens
	}
	return int64(steps)
}
