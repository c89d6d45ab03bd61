package decompound

import (
	"fmt"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/vellum"

	"github.com/quiresearch/quire/internal/analysis/stem"
)

// WriteWords writes a list of words in the format that New reads, folded,
// sorted and without duplicates, and returns their number. Words that cannot be
// parts are left out.
func WriteWords(w io.Writer, words []string) (int, error) {
	kept := make([]string, 0, len(words))
	for _, word := range words {
		folded := stem.Fold(word)
		n := utf8.RuneCountInString(folded)
		if n >= minPart && n <= maxPart && onlyLetters(folded) {
			kept = append(kept, folded)
		}
	}
	slices.Sort(kept)
	kept = slices.Compact(kept)
	b, err := vellum.New(w, nil)
	if err != nil {
		return 0, err
	}
	for _, word := range kept {
		if err := b.Insert([]byte(word), 0); err != nil {
			return 0, fmt.Errorf("insert %q: %w", word, err)
		}
	}
	return len(kept), b.Close()
}

func onlyLetters(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}
