// Package segmenter finds the words of languages that do not put spaces
// between them, or not only between words: Chinese, Japanese, Korean and Thai.
//
// Each language is loaded on first use and then shared by any number of users.
//
//   - Chinese: the cheapest way through a word list, costs from word
//     frequencies; Traditional characters are read as Simplified.
//   - Japanese: morphological analysis with the IPA dictionary; words are put
//     into their base form, particles and other grammatical words dropped.
//   - Korean: particles and common verb endings are dropped from each spaced
//     unit; compounds of known nouns, and of Korean with foreign words or
//     numbers, are kept whole and in parts.
//   - Thai: the way through a word list with the fewest unknown characters,
//     never cutting inside a character cluster.
//
// A compound takes as many positions as it has parts: the whole stands at the
// position of its first part. So a phrase of the parts matches it, and so does
// the whole word.
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

// Tokenizers returns what makes the tokenizer of each locale with its own
// segmentation, by tag.
func Tokenizers() map[string]func() (tokenizer.Tokenizer, error) {
	chinese := sync.OnceValues(func() (tokenizer.Tokenizer, error) { return newChinese() })
	return map[string]func() (tokenizer.Tokenizer, error){
		"ja":      func() (tokenizer.Tokenizer, error) { return newJapanese() },
		"ko":      func() (tokenizer.Tokenizer, error) { return newKorean() },
		"zh":      chinese,
		"zh-Hant": chinese,
	}
}

// Breaker returns the splitter of scripts written without spaces.
func Breaker() (tokenizer.Breaker, error) { return newThai() }
