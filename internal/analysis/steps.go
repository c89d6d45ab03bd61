package analysis

import (
	"math"

	"github.com/quiresearch/quire/internal/analysis/charfilter"
	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
)

// Steps measure the work of those parts of a definition that can be costly:
// regular expressions, synonyms that add words to words, grams of grams. One
// step takes about ten nanoseconds. Chains without such parts take none.
const (
	// SearchSteps is the budget for all texts of one search.
	SearchSteps = 1 << 26

	documentSteps = 2 << 20 // of a document, regardless of its length
	stepsPerByte  = 16
)

// DocumentSteps returns the budget for analysing a document with this many
// bytes of text.
func DocumentSteps(bytes int) int64 { return documentSteps + stepsPerByte*int64(bytes) }

// Limit sets the budget of steps for all following texts. When it is used up,
// patterns replace nothing and synonyms and grams add nothing. A buffer without
// a limit gives every text SearchSteps.
func (b *Buffer) Limit(steps int64) { b.steps, b.limits = steps, true }

// IsExhausted reports whether a text exceeded the limit.
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

// isCounted reports whether a filter outputs more tokens than it receives.
func isCounted(f tokenfilter.Filter) bool {
	switch f.(type) {
	case *tokenfilter.Synonyms, tokenfilter.EdgeNgram, tokenfilter.Ngram:
		return true
	}
	return false
}

// weigh records whether the chain has parts whose steps are counted. The cost
// of grams of words alone is proportional to the text.
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

// Bound returns an upper bound of the steps for any text of this length, or
// math.MaxInt64 if none is known without reading the text.
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
