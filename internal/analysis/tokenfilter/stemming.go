package tokenfilter

import (
	"bytes"

	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/analysis/token"
)

// MaxWordBytes is the longest term that is stemmed or taken apart; no word of
// any language is longer, and what is costs its square.
const MaxWordBytes = 256

// Stemming replaces words by their stems. Numbers, and words that begin with
// a digit, stay as they are.
type Stemming struct {
	Stemmer stem.Stemmer
	Owner   uint8 // tells stemmers apart in the cache; not 0
}

// Apply stems every token.
func (f Stemming) Apply(s *token.Stream) {
	for i := range s.Tokens {
		t := &s.Tokens[i]
		if t.Kind == token.Number || t.Kind == token.Symbol || t.Term[0]-'0' < 10 || len(t.Term) > MaxWordBytes {
			continue
		}
		stemmed := s.Stems.AppendStem(f.Owner, f.Stemmer, s.Space(len(t.Term)+16), t.Term)
		if len(stemmed) == 0 || bytes.Equal(stemmed, t.Term) {
			continue
		}
		t.Term = s.Keep(stemmed)
		t.Shape = 0
	}
}
