package search

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/segmenter"
	"github.com/quiresearch/quire/internal/locale"
)

// sentence returns the sample text of a locale from the scripts of analysis.
func sentence(t *testing.T, tag string) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", "analysis", "testdata", "locales", tag+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), " matching\n")
	text, _, _ := strings.Cut(rest, "\n----")
	return text
}

// TestHalfTypedWordsNeverVanish checks that every prefix, from three letters on, of
// every indexed word of a sentence finds the sentence, in every language.
func TestHalfTypedWordsNeverVanish(t *testing.T) {
	builder := analysis.NewBuilder(analysis.Options{Segmenters: segmenter.Tokenizers(), Breaker: segmenter.Breaker})
	starts := 0
	for _, tag := range locale.Tags() {
		if !builder.Supports(tag) {
			continue
		}
		text := sentence(t, tag)
		x := newIndex(t, fmt.Sprintf(`{"fields":{"id":{"type":"string","role":"id"},
			"text":{"type":"string","matching":{"decompound":"none"},"locales":{"locales":[%q],"defaultLocale":%[1]q}}}}`, tag))
		x.chains = analysis.NewChains(builder)
		document, err := json.Marshal(map[string]any{"id": "1", "text": map[string]string{tag: text}})
		if err != nil {
			t.Fatal(err)
		}
		x.add(t, []string{string(document)}, nil)
		field, _ := x.schema.Resolve("text")
		chain, err := x.chains.IndexChain(field, false, tag)
		if err != nil {
			t.Fatal(err)
		}
		var buffer analysis.Buffer
		words := map[string]bool{}
		for _, token := range chain.Analyze(&buffer, text) {
			// The text before an apostrophe is the word in Turkish and an article
			// elsewhere.
			word, _, has := strings.Cut(text[token.Start:token.End], "'")
			if !has || tag == "tr" {
				words[word] = true
			}
		}
		for word := range words {
			letters := []rune(word)
			for n := 3; n <= len(letters); n++ {
				typed := string(letters[:n])
				last, _ := utf8.DecodeLastRuneInString(typed)
				if !unicode.IsLetter(last) && !unicode.IsMark(last) {
					continue // it ends between two words
				}
				body, err := json.Marshal(map[string]any{"locale": tag, "query": []any{map[string]any{"type": "text", "text": typed, "typos": "off"}}})
				if err != nil {
					t.Fatal(err)
				}
				if starts++; x.mustSearch(t, string(body)).Total.Count == 0 {
					t.Errorf("%s: %q, the start of %q, finds nothing", tag, typed, word)
				}
			}
		}
	}
	if starts < 500 {
		t.Errorf("only %d starts were tried", starts)
	}
}
