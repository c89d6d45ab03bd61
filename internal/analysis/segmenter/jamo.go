package segmenter

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// Conjoining jamo: a lead, a vowel and often a tail form one syllable.
const (
	firstLead, lastLead   = 0x1100, 0x1112
	firstVowel, lastVowel = 0x1161, 0x1175
	firstTail, lastTail   = 0x11A8, 0x11C2
	vowels, tails         = 21, 28
)

// syllables returns a Korean text with syllables in place of conjoining jamo. Some
// systems write file names in jamo, but the list of nouns and the endings hold
// syllables.
//
// origins maps each byte offset of the result, including its end, to the offset in
// text. It is nil if the result is text itself. The result lives as long as the tokens
// of s.
func syllables(s *token.Stream, text []byte) (composed []byte, origins []int32) {
	if !holdsVowel(text) {
		return text, nil
	}
	out := s.Space(len(text))
	origins = make([]int32, 0, len(text)+1)
	for at := 0; at < len(text); {
		syllable, size := firstSyllable(text[at:])
		if size == 0 {
			out, origins = append(out, text[at]), append(origins, int32(at))
			at++
			continue
		}
		out = utf8.AppendRune(out, syllable)
		for len(origins) < len(out) {
			origins = append(origins, int32(at))
		}
		at += size
	}
	s.Keep(out)
	return out, append(origins, int32(len(text)))
}

// holdsVowel reports whether a text holds a conjoining vowel.
func holdsVowel(text []byte) bool {
	for {
		at := bytes.IndexByte(text, 0xE1)
		if at < 0 {
			return false
		}
		if r, _ := utf8.DecodeRune(text[at:]); r >= firstVowel && r <= lastVowel {
			return true
		}
		text = text[at+1:]
	}
}

// firstSyllable returns the syllable that the jamo at the beginning of a text form and
// their length in bytes, which is 0 if there is none.
func firstSyllable(text []byte) (syllable rune, size int) {
	lead, n := utf8.DecodeRune(text)
	if lead < firstLead || lead > lastLead {
		return 0, 0
	}
	vowel, m := utf8.DecodeRune(text[n:])
	if vowel < firstVowel || vowel > lastVowel {
		return 0, 0
	}
	syllable, size = '가'+((lead-firstLead)*vowels+vowel-firstVowel)*tails, n+m
	if tail, n := utf8.DecodeRune(text[size:]); tail >= firstTail && tail <= lastTail {
		return syllable + tail - firstTail + 1, size + n
	}
	return syllable, size
}

// withUnit adds a unit as another reading of the word at index at, unless it is a
// reading of it already, and returns the tokens. Earlier versions indexed units of
// conjoining jamo whole, so their documents hold the whole units.
func withUnit(tokens []token.Token, at int, unit token.Token) []token.Token {
	if at == len(tokens) || len(tokens) >= token.MaxTokens {
		return tokens
	}
	for _, t := range tokens[at:] {
		if t.Position == tokens[at].Position && bytes.Equal(t.Term, unit.Term) {
			return tokens
		}
	}
	unit.Position = tokens[at].Position
	return slices.Insert(tokens, at+1, unit)
}
