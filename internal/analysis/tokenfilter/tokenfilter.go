// Package tokenfilter rewrites the words of a text: they are normalized,
// dropped, stemmed, folded, cut into grams, joined by synonyms and by the parts of
// compounds.
//
// A Filter rewrites a whole token.Stream at once and keeps its invariants. It
// is shared by any number of users.
package tokenfilter

import "github.com/quiresearch/quire/internal/analysis/token"

// Filter rewrites the tokens of s.
type Filter interface {
	Apply(s *token.Stream)
}

// Splitter finds the parts of compounds.
type Splitter interface {
	// AppendParts appends the start and end of every part of word, in bytes,
	// pair by pair. A word that is not a compound has none.
	AppendParts(dst []int, word []byte) []int
}
