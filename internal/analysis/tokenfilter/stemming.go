package tokenfilter

import (
	"bytes"

	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/analysis/token"
)

// MaxWordBytes is the longest term that is stemmed or decompounded. No word of
// any language is longer, and the cost of longer terms is quadratic.
const MaxWordBytes = 256

// Stemming replaces words with their stems. Numbers, and words that begin with
// a digit, stay unchanged.
type Stemming struct {
	stemmer stem.Stemmer
	owner   uint8      // distinguishes stemmers in the cache; not 0
	normal  normalizer // normalizes words to the form the stemmer expects; nil if they have it
}

// NewStemming returns the filter of a stemmer. The owner distinguishes stemmers
// in the cache and is not 0. If the words were not normalized by the rules of
// the stemmer's own locale, foreign names that locale.
func NewStemming(stemmer stem.Stemmer, owner uint8, foreign string) Stemming {
	f := Stemming{stemmer: stemmer, owner: owner}
	switch n := normalizers[foreign].(type) {
	case greek, letters, composing, indic, hindi, bengali, telugu:
		f.normal = n
	}
	return f
}

// Apply stems every token.
func (f Stemming) Apply(s *token.Stream) {
	for i := range s.Tokens {
		t := &s.Tokens[i]
		if t.Kind == token.Number || t.Kind == token.Symbol || t.Term[0]-'0' < 10 || len(t.Term) > MaxWordBytes {
			continue
		}
		if f.normal != nil {
			t.Shape = token.ShapeOf(t.Term)
			if f.normal.concerns(t.Term, t.Shape) {
				if normal := s.Keep(f.normal.appendNormal(s.Space(2*len(t.Term)+8), t.Term)); len(normal) > 0 {
					t.Term, t.Shape = normal, 0
				}
			}
		}
		stemmed := s.Stems.AppendStem(f.owner, f.stemmer, s.Space(len(t.Term)+16), t.Term)
		if len(stemmed) == 0 || bytes.Equal(stemmed, t.Term) {
			continue
		}
		t.Term = s.Keep(stemmed)
		t.Shape = 0
	}
}
