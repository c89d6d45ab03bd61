// Package stem reduces words to the part that their inflected forms share.
//
// For returns the stemmer of a locale. A Stemmer takes a lower-case word in the
// form of the locale's normalizer and appends its stem. Stemmers have no state:
// their working memory is a Scratch, one per user, and any number of users may
// share a Stemmer. Cache caches the results of slow stemmers.
//
// Every stemmer accepts any bytes; the stem of a word that is not in its
// language is usually the word itself.
package stem

import "github.com/blevesearch/snowballstem"

// Stemmer appends the stem of word to dst. It does not modify word.
type Stemmer interface {
	AppendStem(scratch *Scratch, dst, word []byte) []byte
}

// Scratch is the reusable memory of stemmers. Its zero value is ready to use;
// it has one user at a time.
type Scratch struct {
	runes   []rune
	bytes   []byte
	letters letters
	env     *snowballstem.Env
}
