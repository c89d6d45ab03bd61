package token

import (
	"slices"

	"github.com/quiresearch/quire/internal/analysis/stem"
)

// Stream is the tokens of one text and the memory they live in.
type Stream struct {
	Tokens []Token

	// Positions is the number of positions in the text, including gaps.
	Positions int32

	// Removed is the last word of the text if a filter removed it as a stopword,
	// nil otherwise: a typed stopword may be the beginning of another word.
	Removed []byte

	// Steps is the remaining work for filters beyond one pass over the tokens.
	// Reset does not change it.
	Steps int64

	// Stems caches stems between texts.
	Stems stem.Cache

	spare []Token
	arena []byte
}

// Memory that a Stream keeps between texts, even short ones.
const (
	keptTokens = 1 << 15
	keptBytes  = 1 << 20
)

// Reset removes all tokens and keeps the memory, except for memory that an
// unusually long text needed and the texts since have not, and memory of a text
// of more than a megabyte.
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

// Add appends a word at the next position. It reports false if the stream is
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
	// Set field by field: copying a whole Token costs more while the garbage
	// collector runs.
	s.Tokens = s.Tokens[:n+1]
	t := &s.Tokens[n]
	t.Term, t.surface, t.spelled = term, nil, 0
	t.Start, t.End, t.Position = int32(start), int32(end), s.Positions
	t.Kind, t.Shape = kind, shape
	s.Positions++
	return true
}

// Space returns an empty slice with capacity for n bytes that lives as long as
// the tokens. Keep keeps the part that was filled.
func (s *Stream) Space(n int) []byte {
	if cap(s.arena)-len(s.arena) < n {
		// Existing terms keep the previous chunk alive.
		s.arena = make([]byte, 0, max(2*cap(s.arena), n, 4096))
	}
	return s.arena[len(s.arena):len(s.arena):cap(s.arena)]
}

// Keep turns term, written into the slice returned by Space, into a lasting
// term. A term that outgrew the slice is kept as it is.
func (s *Stream) Keep(term []byte) []byte {
	free := s.arena[len(s.arena):cap(s.arena)]
	if len(term) > 0 && len(free) > 0 && &term[0] == &free[0] {
		s.arena = s.arena[:len(s.arena)+len(term)]
	}
	return Cut(term[:len(term):len(term)], MaxTermBytes)
}

// Rewrite returns the current tokens and starts an empty list that the caller
// fills with Append. The returned tokens are valid until the next Rewrite.
func (s *Stream) Rewrite() []Token {
	old := s.Tokens
	s.Tokens, s.spare = s.spare[:0], old
	return old
}

// Append appends a token. It reports false if the stream is full.
func (s *Stream) Append(t Token) bool {
	if len(s.Tokens) >= MaxTokens {
		return false
	}
	s.Tokens = append(s.Tokens, t)
	return true
}
