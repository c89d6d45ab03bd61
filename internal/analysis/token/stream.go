package token

import (
	"slices"

	"github.com/quiresearch/quire/internal/analysis/stem"
)

// Stream is the tokens of one text and the memory they live in.
type Stream struct {
	Tokens []Token

	// Positions is the number of positions the text takes, gaps included.
	Positions int32

	// Removed is the last word of the text where a filter removed it as a
	// stopword, nil otherwise: what is typed may be the start of another word.
	Removed []byte

	// Steps is the work that filters may still do beyond one pass over the
	// tokens. Reset leaves it as it is.
	Steps int64

	// Stems remembers stems between texts.
	Stems stem.Cache

	spare []Token
	arena []byte
}

// What a Stream keeps between texts even when they are short.
const (
	keptTokens = 1 << 15
	keptBytes  = 1 << 20
)

// Reset forgets all tokens and keeps the memory, except for what an unusually
// long text took and the texts since have not needed, and what a text of more
// than a megabyte took.
func (s *Stream) Reset() {
	if n := cap(s.Tokens) + cap(s.spare); n > 16*keptTokens || n > 2*keptTokens && len(s.Tokens) < keptTokens/8 {
		s.Tokens, s.spare = nil, nil
	}
	if n := cap(s.arena); n > 4*keptBytes || n > keptBytes && len(s.arena) < keptBytes/8 {
		s.arena = nil
	}
	s.Tokens = s.Tokens[:0]
	s.Positions, s.Removed = 0, nil
	s.arena = s.arena[:0]
}

// Add puts a word at the next position. It reports false when the stream is
// full.
func (s *Stream) Add(term []byte, start, end int, kind Kind, shape Shape) bool {
	if len(s.Tokens) >= MaxTokens {
		return false
	}
	if len(term) > MaxTermBytes {
		term, shape = Cut(term, MaxTermBytes), 0
	}
	n := len(s.Tokens)
	if n == cap(s.Tokens) {
		s.Tokens = slices.Grow(s.Tokens, 1)
	}
	// Field by field: a whole Token costs more while the collector runs.
	s.Tokens = s.Tokens[:n+1]
	t := &s.Tokens[n]
	t.Term, t.surface, t.spelled = term, nil, 0
	t.Start, t.End, t.Position = int32(start), int32(end), s.Positions
	t.Kind, t.Shape = kind, shape
	s.Positions++
	return true
}

// Space returns an empty slice with room for n bytes that lives as long as
// the tokens. Keep takes the part that was filled.
func (s *Stream) Space(n int) []byte {
	if cap(s.arena)-len(s.arena) < n {
		// Terms already handed out keep the chunk before this one alive.
		s.arena = make([]byte, 0, max(2*cap(s.arena), n, 4096))
	}
	return s.arena[len(s.arena):len(s.arena):cap(s.arena)]
}

// Keep makes term, filled into what Space returned, a lasting term. A term
// that outgrew its space is kept as it is.
func (s *Stream) Keep(term []byte) []byte {
	free := s.arena[len(s.arena):cap(s.arena)]
	if len(term) > 0 && len(free) > 0 && &term[0] == &free[0] {
		s.arena = s.arena[:len(s.arena)+len(term)]
	}
	return Cut(term[:len(term):len(term)], MaxTermBytes)
}

// Rewrite hands out the tokens as they are and starts an empty list that the
// caller fills by Append. The handed out tokens are valid until the next
// Rewrite.
func (s *Stream) Rewrite() []Token {
	old := s.Tokens
	s.Tokens, s.spare = s.spare[:0], old
	return old
}

// Append adds a token as it is. It reports false when the stream is full.
func (s *Stream) Append(t Token) bool {
	if len(s.Tokens) >= MaxTokens {
		return false
	}
	s.Tokens = append(s.Tokens, t)
	return true
}
