package tokenfilter

import (
	"bytes"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// Decompound adds the parts of compounds at the position and with the offsets
// of the whole word, which is kept. A repeated part is added once.
type Decompound struct{ Splitter Splitter }

// Apply adds the parts.
func (f Decompound) Apply(s *token.Stream) {
	var space [32]int
	for _, t := range s.Rewrite() {
		if !s.Append(t) {
			return
		}
		if t.Kind != token.Word || t.Shape&token.ShapeDigit != 0 || len(t.Term) > MaxWordBytes {
			continue
		}
		first := len(s.Tokens)
		parts := f.Splitter.AppendParts(space[:0], t.Term)
		for i := 0; i+1 < len(parts); i += 2 {
			part := t
			part.Term = t.Term[parts[i]:parts[i+1]]
			part.Shape = 0
			if len(part.Term) == 0 || contains(s.Tokens[first-1:], part.Term) {
				continue
			}
			if !s.Append(part) {
				return
			}
		}
	}
}

func contains(tokens []token.Token, term []byte) bool {
	for i := range tokens {
		if bytes.Equal(tokens[i].Term, term) {
			return true
		}
	}
	return false
}
