package tokenfilter

import (
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// EdgeNgram replaces every token with its prefixes of Min to Max code points,
// all at the position of the token. A shorter token is dropped.
type EdgeNgram struct{ Min, Max int }

// Apply makes the prefixes.
func (f EdgeNgram) Apply(s *token.Stream) {
	for _, t := range s.Rewrite() {
		term := t.Term
		end := 0
		t.Shape = 0
		for n := 1; n <= f.Max && end < len(term); n++ {
			end += runeLen(term[end:])
			if n >= f.Min {
				t.Term = term[:end]
				if !s.Append(t) {
					return
				}
			}
		}
	}
}

// Truncate is the query side of EdgeNgram: a token longer than Max code points
// is cut to the longest prefix that is indexed.
type Truncate struct{ Max int }

// Apply cuts long tokens.
func (f Truncate) Apply(s *token.Stream) {
	for i := range s.Tokens {
		t := &s.Tokens[i]
		if len(t.Term) <= f.Max {
			continue
		}
		end := 0
		for n := 0; n < f.Max && end < len(t.Term); n++ {
			end += runeLen(t.Term[end:])
		}
		if end < len(t.Term) {
			t.Term = t.Term[:end]
			t.Shape = 0
		}
	}
}

// Ngram replaces every token with its substrings of Min to Max code points, all
// at the position of the token.
type Ngram struct{ Min, Max int }

// Apply makes the substrings.
func (f Ngram) Apply(s *token.Stream) {
	for _, t := range s.Rewrite() {
		term := t.Term
		t.Shape = 0
		for start := 0; start < len(term); start += runeLen(term[start:]) {
			end := start
			for n := 1; n <= f.Max && end < len(term); n++ {
				end += runeLen(term[end:])
				if n >= f.Min {
					t.Term = term[start:end]
					if !s.Append(t) {
						return
					}
				}
			}
		}
	}
}

func runeLen(b []byte) int {
	if b[0] < utf8.RuneSelf {
		return 1
	}
	_, size := utf8.DecodeRune(b)
	return size
}
