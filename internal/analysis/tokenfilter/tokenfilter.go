// Package tokenfilter rewrites the words of a text: it normalizes, drops, stems
// and folds them, cuts them into grams, and adds synonyms and the parts of
// compounds.
//
// A Filter rewrites a whole token.Stream at once and preserves its invariants.
// It is shared by any number of users.
package tokenfilter

import "github.com/quiresearch/quire/internal/analysis/token"

// Filter rewrites the tokens of s.
type Filter interface {
	Apply(s *token.Stream)
}

// Splitter splits compounds.
type Splitter interface {
	// AppendParts appends the start and end of every part of word, in bytes, pair
	// by pair. It appends nothing for a word that is not a compound.
	AppendParts(dst []int, word []byte) []int
}
