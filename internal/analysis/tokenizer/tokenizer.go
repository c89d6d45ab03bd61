// Package tokenizer cuts a text into words.
//
// Unicode follows the word boundaries of UAX 29, with a table of its own for
// ASCII; Whitespace, Keyword and Letter are the simple ones of the interface.
// Tokenizers of languages that need a dictionary live in packages of their own
// and have the same shape.
//
// A Tokenizer is shared by any number of users.
package tokenizer

import "github.com/quiresearch/quire/internal/analysis/token"

// Tokenizer adds the words of text to s in order. Terms may be slices of text.
type Tokenizer interface {
	Tokenize(s *token.Stream, text []byte)
}

// Breaker finds the words in a run of a script that is written without spaces.
type Breaker interface {
	// AppendBreaks appends the byte offsets in run at which words end, in
	// order; the last one is len(run).
	AppendBreaks(dst []int, run []byte) []int
}
