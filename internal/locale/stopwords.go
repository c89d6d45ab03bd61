package locale

import (
	"embed"
	"strings"
)

// stopwords holds one file per language; NOTICE.md names their sources.
//
//go:embed stopwords
var stopwords embed.FS

// stopwordFile maps tags to file names where they differ.
var stopwordFile = map[string]string{"ms": "id", "bs": "hr", "nb": "no", "zh-Hant": "zh"}

// Stopwords returns the built-in stopwords of a locale, in lower case, as
// published. It is empty for a locale without a built-in list.
func Stopwords(tag string) []string {
	tag = Canonical(tag)
	name, ok := stopwordFile[tag]
	if !ok {
		name = tag
	}
	text, err := stopwords.ReadFile("stopwords/" + name + ".txt")
	if err != nil {
		return nil // no built-in list; TestEveryLocaleHasStopwords knows which locales may lack one
	}
	var words []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words = append(words, line)
	}
	return words
}
