package tokenfilter

import (
	"bytes"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// Stopwords drops the words of a list. The other words keep their positions, so
// a dropped word leaves a gap.
type Stopwords struct {
	words   map[string]struct{}
	longest int
	starts  [256]uint32 // by first byte: a bit for every length; longer words share the last bit
	fold    *foldTable
}

// NewStopwords returns a filter for words, which are compared without case. The
// filters in before, normalize of the chain, determine the other forms in which
// the words may arrive.
func NewStopwords(words []string, before ...Filter) *Stopwords {
	f := &Stopwords{words: make(map[string]struct{}, len(words)), fold: folding()}
	var s token.Stream
	for _, w := range words {
		w = strings.TrimSpace(w)
		if w == "" {
			continue
		}
		folded := f.fold.appendFold(nil, []byte(w))
		f.add(folded)
		f.add(bytes.ReplaceAll(folded, []byte("'"), []byte("’"))) // don't and don’t
		s.Reset()
		s.Add([]byte(w), 0, len(w), token.Word, 0)
		if loose := norm.NFD.String(w); loose != w {
			s.Add([]byte(loose), 0, len(loose), token.Word, 0)
		}
		for _, b := range before {
			b.Apply(&s)
		}
		for _, t := range s.Tokens {
			f.add(f.fold.appendFold(nil, t.Term))
		}
	}
	return f
}

func (f *Stopwords) add(word []byte) {
	if len(word) == 0 {
		return
	}
	f.words[string(word)] = struct{}{}
	f.starts[word[0]] |= 1 << min(len(word), 31)
	f.longest = max(f.longest, len(word))
}

// Apply drops the stopwords.
func (f *Stopwords) Apply(s *token.Stream) {
	kept := s.Tokens[:0]
	for i := range s.Tokens {
		if t := &s.Tokens[i]; !f.holds(s, t) {
			kept = append(kept, *t)
		} else if i == len(s.Tokens)-1 {
			s.Removed = t.Term
		}
	}
	s.Tokens = kept
}

func (f *Stopwords) holds(s *token.Stream, t *token.Token) bool {
	if len(t.Term) > 4*f.longest {
		return false // folding shortens, but never by this much
	}
	if t.Shape == 0 {
		t.Shape = token.ShapeOf(t.Term)
	}
	if t.Shape&token.ShapeFolded != 0 || t.Shape&token.ShapeASCII != 0 && t.Shape&token.ShapeUpper == 0 {
		if len(t.Term) == 0 || f.starts[t.Term[0]]&(1<<min(len(t.Term), 31)) == 0 {
			return false // most words, without hashing them
		}
		_, found := f.words[string(t.Term)]
		return found
	}
	if _, found := f.words[string(t.Term)]; found {
		return true
	}
	_, found := f.words[string(f.fold.appendFold(s.Space(len(t.Term)+16), t.Term))]
	return found
}
