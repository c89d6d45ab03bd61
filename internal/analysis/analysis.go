// Package analysis turns a text and its locale into the words that are
// indexed and looked up.
//
// A Builder knows which locales this node can analyse. It makes a Chain from
// what a definition says, or from what the engine builds by itself, and the
// locale of the value; Chains keeps those of one schema:
//
//	b := analysis.NewBuilder(analysis.Options{})
//	chains := analysis.NewChains(b)
//	index, err := chains.IndexChain(field, false, "en")
//	var buf analysis.Buffer
//	for _, t := range index.Analyze(&buf, "The running shoes") { … }
//
// A Chain never changes and is shared by any number of goroutines; each
// brings a Buffer of its own. Tokens are valid until the Buffer is used again.
//
// Invariants:
//
//	A1  A locale without rules is refused, never analysed as another.
//	A2  The query chain of a definition's chain makes, of a whole word, a term that the
//	    index chain makes of the same word.
//	A3  What comes out is bounded by what goes in (token.MaxTokens,
//	    token.MaxTermBytes, charfilter.MaxGrowth), and so is the work of patterns,
//	    synonyms and grams of grams (Buffer.Limit).
package analysis

import (
	"github.com/quiresearch/quire/internal/analysis/charfilter"
	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
	"github.com/quiresearch/quire/internal/analysis/tokenizer"
)

// Token is one word of a text. Tokens of the same Position are readings of
// one word and count as one.
type Token = token.Token

// Mode says which side of a search a chain serves.
type Mode uint8

// Index chains make the terms of documents, Query chains those of searches.
const (
	Index Mode = iota
	Query
)

// Buffer is the working memory of analysis: one per goroutine, used again and
// again. Its zero value is ready.
type Buffer struct {
	text   charfilter.Text
	stream token.Stream
	steps  int64 // left, see Limit
	limits bool
}

// Positions is the number of word positions the text analysed last takes,
// gaps of removed words included, also those at its end.
func (b *Buffer) Positions() int32 { return b.stream.Positions }

// Removed is the last word of the text analysed last where it was removed as a
// stopword, "" otherwise.
func (b *Buffer) Removed() string { return string(b.stream.Removed) }

// Chain is the steps from text to tokens. It never changes.
type Chain struct {
	locale      string
	charFilters []charfilter.Filter
	tokenizer   tokenizer.Tokenizer
	filters     []tokenfilter.Filter
	whole       []tokenfilter.Filter // those that apply to a whole value
	isWeighed   bool                 // its steps are counted, see Buffer.Limit
}

// Analyze returns the tokens of text, by position. They and their terms are
// valid until the next use of buf. Start and End of a token are byte offsets
// in text, through all char filters.
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

// Normalize returns the normalized whole value of text: char filters, then
// the chain's normalize and asciiFolding filters over all of it as one token.
// It is at most token.MaxTermBytes long and valid until the next use of buf.
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

// CountWords counts the words of tokens: those at one position count once.
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
