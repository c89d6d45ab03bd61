// Package segmenter finds the words of languages that do not put spaces between
// words, or not only there: Chinese, Japanese, Korean and Thai.
//
// Each language is loaded on first use and then shared by any number of users.
//
//   - Chinese: the cheapest path through a word list with costs from word
//     frequencies; Traditional characters are converted to Simplified.
//   - Japanese: morphological analysis with the IPA dictionary; words are
//     reduced to their base form, particles and other grammatical words dropped.
//   - Korean: particles and common verb endings are removed from each spaced
//     unit; compounds of known nouns, and of Korean with foreign words or
//     numbers, are kept whole and in parts.
//   - Thai: the path through a word list with the fewest unknown characters,
//     never cutting inside a character cluster.
//
// A compound takes as many positions as it has parts, and the whole is at the
// position of its first part. So both a phrase of the parts and the whole word
// match it.
package segmenter

import (
	_ "embed"
	"sync"

	"github.com/quiresearch/quire/internal/analysis/tokenizer"
)

//go:embed data/zh.zst
var packedChinese []byte

//go:embed data/hant.zst
var packedTraditional []byte

//go:embed data/th.zst
var packedThai []byte

//go:embed data/ko.zst
var packedKorean []byte

// Tokenizers returns the constructors of tokenizers for locales with their own
// segmentation, keyed by tag.
func Tokenizers() map[string]func() (tokenizer.Tokenizer, error) {
	chinese := sync.OnceValues(func() (tokenizer.Tokenizer, error) { return newChinese() })
	return map[string]func() (tokenizer.Tokenizer, error){
		"ja":      func() (tokenizer.Tokenizer, error) { return newJapanese() },
		"ko":      func() (tokenizer.Tokenizer, error) { return newKorean() },
		"zh":      chinese,
		"zh-Hant": chinese,
	}
}

// Breaker returns the breaker for scripts written without spaces.
func Breaker() (tokenizer.Breaker, error) { return newThai() }
