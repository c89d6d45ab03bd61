package segmenter

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// piece is a byte range of a unit that is entirely Hangul or contains none.
type piece struct {
	from, to int
	kind     token.Kind
}

// particlesAlone are the particles of one syllable that are never counters: 5일
// is a day and 3도 are degrees, but 3은 is the number with a particle.
const particlesAlone = "은 는 이 을 를 의 에 로 와"

// mixed adds a unit that is not only Hangul: foreign words and numbers with
// Korean before or after them. The unit loses its ending, and the rest is a
// compound of its pieces.
//
//	USB를       USB
//	2024년에는  2024년, of 2024 and 년
//	LG전자의    LG전자, of LG and 전자
//
//	USB를       USB
//	2024년에는  2024년, of 2024 and 년
//	LG전자의    LG전자, of LG and 전자
func (k *korean) mixed(s *token.Stream, u token.Token) {
	var buffer [8]piece
	all := appendPieces(buffer[:0], u.Term)
	if n := len(all); n > 1 && all[n-1].kind == token.Hangul {
		last := &all[n-1]
		last.to = last.from + k.withoutEnding(string(u.Term[last.from:last.to]), all[n-2].kind == token.Number)
		if last.from == last.to {
			all = all[:n-1]
		}
		u.Term, u.End = u.Term[:all[len(all)-1].to], u.Start+int32(all[len(all)-1].to)
		u.Shape = 0
	}
	u.Position = s.Positions
	if len(all) == 1 {
		u.Kind = all[0].kind
	}
	s.Append(u)
	if len(all) < 2 {
		s.Positions++
		return
	}
	for _, p := range all {
		s.Add(u.Term[p.from:p.to], int(u.Start)+p.from, int(u.Start)+p.to, p.kind, 0)
	}
}

// appendPieces appends the pieces of a unit, without the signs between them.
func appendPieces(dst []piece, term []byte) []piece {
	for at := 0; at < len(term); {
		first, _ := utf8.DecodeRune(term[at:])
		hangul := unicode.Is(unicode.Hangul, first)
		length := bytes.IndexFunc(term[at:], func(r rune) bool { return unicode.Is(unicode.Hangul, r) != hangul })
		if length < 0 {
			length = len(term) - at
		}
		p := piece{at, at + length, token.Hangul}
		at += length
		if !hangul {
			isSign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
			p.from += length - len(bytes.TrimLeftFunc(term[p.from:p.to], isSign))
			p.to = p.from + len(bytes.TrimRightFunc(term[p.from:p.to], isSign))
			if p.kind = token.Number; bytes.ContainsFunc(term[p.from:p.to], unicode.IsLetter) {
				p.kind = token.Word
			}
		}
		if p.from < p.to {
			dst = append(dst, p)
		}
	}
	return dst
}

// withoutEnding returns the number of bytes left of the Korean after a foreign
// word or number when its ending is removed.
func (k *korean) withoutEnding(text string, isCounted bool) int {
	runes := []rune(text)
	for _, ending := range k.endings[runes[len(runes)-1]] {
		if text == ending && (!isCounted || len(runes) > 1 || strings.Contains(particlesAlone, ending)) {
			return 0
		}
	}
	if len(runes) == 1 {
		return len(text)
	}
	if last := string(runes[1:]); isCounted && len(runes) == 2 && strings.Contains(particlesAlone, last) {
		return len(text) - len(last) // almost any syllable with a particle makes a rare noun
	}
	if k.nouns.has(runes) {
		return len(text)
	}
	if n, ok := k.knownStem(runes, text); ok {
		return len(string(runes[:n]))
	}
	return len(string(runes[:k.guess(runes, text, 1)]))
}
