// Package stem reduces words to the part their inflected forms share.
//
// For gives the stemmer of a locale. A Stemmer takes a word in lower case
// as the locale's normalizer leaves it and appends its stem. Stemmers hold
// no state of their own: working memory is a Scratch, one per user, and any
// number of users may share a Stemmer. Cache stands in front of slow ones.
//
// Every stemmer is total: any bytes go in, and the stem of a word that is not
// of the language is most often the word.
package stem

import "github.com/blevesearch/snowballstem"

// Stemmer appends the stem of word to dst. It does not change word.
type Stemmer interface {
	AppendStem(scratch *Scratch, dst, word []byte) []byte
}

// Scratch is the working memory of stemmers. Its zero value is ready; it has
// one user at a time.
type Scratch struct {
	runes   []rune
	bytes   []byte
	letters letters
	env     *snowballstem.Env
}
