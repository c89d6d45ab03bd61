// Package tokenizer splits a text into words.
//
// Unicode follows the word boundaries of UAX 29, with a separate table for
// ASCII; Whitespace, Keyword and Letter are the simple tokenizers of the API.
// Tokenizers of languages that need a dictionary have packages of their own and
// implement the same interface.
//
// A Tokenizer is shared by any number of users.
package tokenizer

import "github.com/quiresearch/quire/internal/analysis/token"

// Tokenizer adds the words of text to s in order. Terms may be slices of text.
type Tokenizer interface {
	Tokenize(s *token.Stream, text []byte)
}

// Breaker finds the words in a run of a script written without spaces.
type Breaker interface {
	// AppendBreaks appends the byte offsets in run where words end, in ascending
	// order; the last one is len(run).
	AppendBreaks(dst []int, run []byte) []int
}
