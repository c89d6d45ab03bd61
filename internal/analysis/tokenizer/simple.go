package tokenizer

import (
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// Whitespace splits at white space and keeps everything else.
type Whitespace struct{}

// Tokenize adds the runs between white space.
func (Whitespace) Tokenize(s *token.Stream, text []byte) {
	for i := 0; i < len(text); {
		if n := spaceAt(text[i:]); n > 0 {
			i += n
			continue
		}
		start, seen := i, uint8(0)
		for i < len(text) {
			class := bytesOfWords[text[i]]
			if class&isSpace != 0 {
				break
			}
			if class&isBeyondASCII != 0 {
				if spaceAt(text[i:]) > 0 {
					break
				}
				_, size := utf8.DecodeRune(text[i:])
				i += size - 1
			}
			seen |= class
			i++
		}
		shape := token.Shape(seen)&^token.Shape(isBeyondASCII) | token.ShapeKnown
		if seen&isBeyondASCII == 0 {
			shape |= token.ShapeASCII
		}
		if !s.Add(text[start:i], start, i, token.Word, shape) {
			return
		}
	}
}

// Classes of bytes for Whitespace, in addition to the bits of their shapes.
const (
	isSpace       = uint8(1 << 7)
	isBeyondASCII = uint8(1 << 6)
)

var bytesOfWords = func() (c [256]uint8) {
	for i := range c {
		switch {
		case i >= utf8.RuneSelf:
			c[i] = isBeyondASCII
		case unicode.IsSpace(rune(i)):
			c[i] = isSpace
		default:
			c[i] = uint8(shapes[i])
		}
	}
	return c
}()

// spaceAt returns the length of the white space that text begins with, 0 if
// there is none.
func spaceAt(text []byte) int {
	class := bytesOfWords[text[0]]
	if class&isSpace != 0 {
		return 1
	}
	if class&isBeyondASCII != 0 {
		if r, size := utf8.DecodeRune(text); unicode.IsSpace(r) {
			return size
		}
	}
	return 0
}

// Letter splits at everything that is not a letter. Marks belong to the
// preceding letter, so that words stay whole in scripts that write vowels as
// marks.
type Letter struct{}

// Tokenize adds the runs of letters.
func (Letter) Tokenize(s *token.Stream, text []byte) {
	splitBy(s, text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) })
}

// splitBy adds the longest runs of code points that belong to words.
func splitBy(s *token.Stream, text []byte, belongs func(rune) bool) {
	start := -1
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		switch word := belongs(r); {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			if !s.Add(text[start:i], start, i, token.Word, 0) {
				return
			}
			start = -1
		}
		i += size
	}
	if start >= 0 {
		s.Add(text[start:], start, len(text), token.Word, 0)
	}
}

// Keyword makes the whole text one token; an empty text yields none.
type Keyword struct{}

// Tokenize adds the text.
func (Keyword) Tokenize(s *token.Stream, text []byte) {
	if len(text) > 0 {
		s.Add(text, 0, len(text), token.Word, 0)
	}
}
