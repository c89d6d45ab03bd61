// Package analysis turns a text and its locale into the tokens that are indexed
// and searched for.
//
// A Builder knows which locales this node can analyse. It builds a Chain from a
// chain of a definition, or from one the engine defines itself, and the locale
// of the value. Chains caches the chains of one schema:
//
//	b := analysis.NewBuilder(analysis.Options{})
//	chains := analysis.NewChains(b)
//	index, err := chains.IndexChain(field, false, "en")
//	var buf analysis.Buffer
//	for _, t := range index.Analyze(&buf, "The running shoes") { … }
//
// A Chain never changes and is shared by any number of goroutines; each uses a
// Buffer of its own. Tokens are valid until the Buffer is used again.
//
// Invariants:
//
//	A1  A locale without rules is rejected, never analysed as another one.
//	A2  For a whole word, the query chain of a definition's chain makes a term that
//	    the index chain makes of the same word.
//	A3  The output is bounded by the input (token.MaxTokens, token.MaxTermBytes,
//	    charfilter.MaxGrowth), and so is the work of patterns, synonyms and grams
//	    of grams (Buffer.Limit).
package analysis

import (
	"github.com/quiresearch/quire/internal/analysis/charfilter"
	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
	"github.com/quiresearch/quire/internal/analysis/tokenizer"
)

// Token is one word of a text. Tokens with the same Position are readings of
// one word and count as one.
type Token = token.Token

// Mode is the side of a search that a chain serves.
type Mode uint8

// Index chains make the terms of documents, Query chains make those of
// searches.
const (
	Index Mode = iota
	Query
)

// Buffer is the reusable memory of analysis, one per goroutine. Its zero value
// is ready to use.
type Buffer struct {
	text   charfilter.Text
	stream token.Stream
	steps  int64 // left; see Limit
	limits bool
}

// Positions returns the number of word positions of the last text analysed,
// including gaps of removed words, even at its end.
func (b *Buffer) Positions() int32 { return b.stream.Positions }

// Removed returns the last word of the last text analysed if it was removed as
// a stopword, "" otherwise.
func (b *Buffer) Removed() string { return string(b.stream.Removed) }

// Chain is the sequence of steps from text to tokens. It never changes.
type Chain struct {
	locale      string
	charFilters []charfilter.Filter
	tokenizer   tokenizer.Tokenizer
	filters     []tokenfilter.Filter
	whole       []tokenfilter.Filter // the filters that apply to a whole value
	isWeighed   bool                 // its steps are counted; see Buffer.Limit
}

// Analyze returns the tokens of text, ordered by position. The tokens and their
// terms are valid until the next use of buf. Start and End of a token are byte
// offsets in text, mapped back through all char filters.
func (c *Chain) Analyze(buf *Buffer, text string) []Token {
	s := &buf.stream
	s.Reset()
	buf.rewrite(c, text)
	c.tokenizer.Tokenize(s, buf.text.Bytes())
	if c.isWeighed {
		buf.applyWeighed(c.filters)
	} else {
		for _, f := range c.filters {
			f.Apply(s)
		}
	}
	if buf.text.Changed() {
		for i := range s.Tokens {
			t := &s.Tokens[i]
			t.Start, t.End = buf.text.Original(t.Start, t.End)
		}
	}
	return s.Tokens
}

// Normalize returns the normalized form of text as a whole: it applies the char
// filters and then the normalize and asciiFolding filters of the chain to the
// text as one token. The result is at most token.MaxTermBytes long and valid
// until the next use of buf.
func (c *Chain) Normalize(buf *Buffer, text string) []byte {
	s := &buf.stream
	s.Reset()
	buf.rewrite(c, text)
	whole := buf.text.Bytes()
	s.Tokens = append(s.Tokens, Token{Term: whole, End: int32(len(whole))})
	s.Positions = 1
	for _, f := range c.whole {
		f.Apply(s)
	}
	if len(s.Tokens) == 0 {
		return nil
	}
	return token.Cut(s.Tokens[0].Term, token.MaxTermBytes)
}

// CountWords counts the words of tokens; tokens at the same position count
// once.
func CountWords(tokens []Token) int {
	words := 0
	last := int32(-1)
	for i := range tokens {
		if p := tokens[i].Position; p != last {
			words++
			last = p
		}
	}
	return words
}
