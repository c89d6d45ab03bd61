package interpret

import (
	"context"
	"strings"

	"github.com/quiresearch/quire/query"
)

// maxValueWords is the maximum number of words looked up as one value.
const maxValueWords = 3

// Dictionary holds the values of the fields that are recognized in text.
type Dictionary interface {
	// Find returns every field and spelling whose normalized whole value or label
	// equals the text.
	Find(ctx context.Context, text string) ([]Alternative, error)
}

// Values returns the field values found in the parts of a text. At each part it
// takes the longest value of up to three adjacent words that are not taken, as typed
// or without trailing punctuation.
func Values(ctx context.Context, parts []query.TextPart, taken func(i int) bool, dictionary Dictionary) ([]Interpretation, error) {
	var interpretations []Interpretation
	var failure error
	forEachRun(parts, taken, func(from, to int) {
		for i := from; i < to && failure == nil; {
			used := 0
			for size := min(maxValueWords, to-i); size > 0 && used == 0; size-- {
				words := make([]string, size)
				for j := range words {
					words[j] = parts[i+j].Text
				}
				text := strings.Join(words, " ")
				found, err := dictionary.Find(ctx, text)
				if plain := unpunctuated(text); err == nil && len(found) == 0 && plain != text && plain != "" {
					found, err = dictionary.Find(ctx, plain)
				}
				if err != nil {
					failure = err
					return
				}
				if len(found) > 0 {
					used = size
					interpretations = append(interpretations, Interpretation{Words: words, First: i, Last: i + size - 1, IsValue: true, Alternatives: found})
				}
			}
			i += max(used, 1)
		}
	})
	return interpretations, failure
}
