package segmenter

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// spelled returns a Japanese text with narrow letters and digits, wide kana and
// composed characters, so a text is cut into the same words in every width and Unicode
// form. Otherwise each wide digit would be a word, and a combining mark would cut a
// word in two.
//
//	１００円ﾊﾟｿｺﾝ  →  100円パソコン
//
// places maps each byte offset of the result, including its end, to the offset in text;
// it reuses the memory of origins. It is nil if the result is text itself. The result
// lives as long as the tokens of s.
func spelled(s *token.Stream, text []byte, origins []int32) (spelling []byte, places []int32) {
	at := 0
	for at < len(text) && !mayChange(text, at) {
		at++
	}
	if at == len(text) {
		return text, nil
	}
	out := s.Space(len(text)) // no character grows
	origins = origins[:0]
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		next := at + size
		switch {
		case isWideAlphanumeric(r):
			out = append(out, byte(r-toWide))
		default:
			end := next
			for end < len(text) && end-at < maxCluster {
				mark, n := utf8.DecodeRune(text[end:])
				if !isMark(mark) {
					break
				}
				end += n
			}
			var space [2 * maxCluster]byte
			if end > next {
				if c := norm.NFKC.Append(space[:0], text[at:end]...); utf8.RuneCount(c) == 1 {
					out, next = append(out, c...), end
					break
				}
			}
			if isNarrowKana(r) {
				out = norm.NFKC.Append(out, text[at:next]...)
			} else {
				out = append(out, text[at:next]...)
			}
		}
		for len(origins) < len(out) {
			origins = append(origins, int32(at))
		}
		at = next
	}
	s.Keep(out)
	return out, append(origins, int32(len(text)))
}

// toWide is the distance from an ASCII character to its wide form.
const toWide = '！' - '!'

// mayChange reports whether spelled may change the character at an offset.
func mayChange(text []byte, at int) bool {
	switch b := text[at]; {
	case b == 0xEF: // the wide and narrow forms are U+FF00 to U+FFBF
		return at+1 < len(text) && text[at+1] >= 0xBC && text[at+1] <= 0xBE
	case b == 0xCC, b == 0xCD, b == 0xE3:
		r, _ := utf8.DecodeRune(text[at:])
		return isMark(r)
	}
	return false
}

func isWideAlphanumeric(r rune) bool {
	return r >= '０' && r <= '９' || r >= 'Ａ' && r <= 'Ｚ' || r >= 'ａ' && r <= 'ｚ'
}

func isNarrowKana(r rune) bool { return r >= 'ｦ' && r <= 'ﾝ' }

// isMark reports whether r is a combining mark of a Latin, Greek or Cyrillic letter or a
// voicing mark of kana.
func isMark(r rune) bool {
	return r >= 0x300 && r <= 0x36F || r == 0x3099 || r == 0x309A || r == 'ﾞ' || r == 'ﾟ'
}

// maxCluster bounds the bytes of a letter with its marks; most have up to three.
const maxCluster = 32
