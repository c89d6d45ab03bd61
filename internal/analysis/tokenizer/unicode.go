package tokenizer

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// Unicode splits at the word boundaries of UAX 29 and drops segments with
// neither letter nor number. Runs of scripts without spaces go to Breaker;
// without a Breaker, every cluster of them is a word.
type Unicode struct {
	Breaker Breaker
}

// Classes of ASCII characters in the rules of UAX 29.
const (
	other    = iota
	letter   // ALetter
	digit    // Numeric
	joiner   // ExtendNumLet: joins letters and digits
	midLet   // MidLetter: joins letters
	midNum   // MidNum: joins digits
	midBoth  // MidNumLet and single quote: join either
	nonASCII // decided by the full tables
)

var classes = func() (c [256]uint8) {
	for i := range c {
		b := byte(i)
		switch {
		case b >= utf8.RuneSelf:
			c[i] = nonASCII
		case b|0x20-'a' < 26:
			c[i] = letter
		case b-'0' < 10:
			c[i] = digit
		}
	}
	c['_'] = joiner
	c[':'] = midLet
	c[','], c[';'] = midNum, midNum
	c['.'], c['\''] = midBoth, midBoth
	return c
}()

// shapes are the shapes of single bytes; the shape of a word is their OR.
var shapes = func() (s [256]token.Shape) {
	for b := 'A'; b <= 'Z'; b++ {
		s[b] = token.ShapeUpper
	}
	for b := '0'; b <= '9'; b++ {
		s[b] = token.ShapeDigit
	}
	return s
}()

// Tokenize adds the words of text.
func (u Unicode) Tokenize(s *token.Stream, text []byte) {
	for i := 0; i < len(text); {
		switch classes[text[i]] {
		case letter, digit, joiner:
			end, shape, ok := scanASCII(text, i)
			if !ok {
				end = i + boundary(text[i:])
				if !u.add(s, text, i, end) {
					return
				}
				i = end
				continue
			}
			if shape != 0 {
				kind := token.Word
				if shape&hasLetter == 0 {
					kind = token.Number
				}
				if !s.Add(text[i:end], i, end, kind, shape&^hasLetter|token.ShapeKnown|token.ShapeASCII) {
					return
				}
			}
			i = end
		case nonASCII:
			end := i + boundary(text[i:])
			if isComplex(text[i:]) {
				end = complexRun(text, i, end)
				if !u.addComplex(s, text, i, end) {
					return
				}
			} else if !u.add(s, text, i, end) {
				return
			}
			i = end
		default:
			i++
		}
	}
}

// hasLetter is an internal bit of a shape: the word contains a letter.
const hasLetter = token.Shape(1 << 7)

// scanASCII finds the end of the word that starts at i. The shape is 0 if the
// word has neither letter nor digit. It reports false if the decision depends
// on a character beyond ASCII.
func scanASCII(text []byte, i int) (end int, shape token.Shape, ok bool) {
	for i < len(text) {
		c := text[i]
		switch classes[c] {
		case letter:
			shape |= shapes[c] | hasLetter
			i++
		case digit:
			shape |= token.ShapeDigit
			i++
		case joiner:
			i++
		case nonASCII:
			return 0, 0, false
		case other:
			return i, shape, true
		default: // between two letters or two digits it is part of the word
			if i+1 == len(text) {
				return i, shape, true
			}
			before, after := classes[text[i-1]], classes[text[i+1]]
			if after == nonASCII {
				return 0, 0, false
			}
			joins := before == after &&
				(before == letter && classes[c] != midNum || before == digit && classes[c] != midLet)
			if !joins {
				return i, shape, true
			}
			i++
		}
	}
	return i, shape, true
}

// boundary returns the length of the first segment of text.
func boundary(text []byte) int {
	n, _, _ := words.SplitFunc(text, true)
	if n <= 0 {
		return len(text)
	}
	return n
}

// add adds the segment from start to end if it has a letter or a number.
func (u Unicode) add(s *token.Stream, text []byte, start, end int) bool {
	kind, ok := kindOf(text[start:end])
	if !ok {
		return true
	}
	return s.Add(text[start:end], start, end, kind, 0)
}

// kindOf returns the kind of a segment. It reports false if the segment has no
// letter, number or emoji.
func kindOf(segment []byte) (token.Kind, bool) {
	number, symbol := false, false
	for i := 0; i < len(segment); {
		r, size := rune(segment[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(segment[i:])
		}
		switch {
		case r < utf8.RuneSelf:
			switch classes[r] {
			case letter:
				return token.Word, true
			case digit:
				number = true
			}
		case r == utf8.RuneError:
		case r < 0x1100 && unicode.IsLetter(r): // below Hangul, kana and Han
			return token.Word, true
		case unicode.Is(unicode.Han, r):
			return token.Ideograph, true
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return token.Kana, true
		case unicode.Is(unicode.Hangul, r):
			return token.Hangul, true
		case unicode.IsLetter(r):
			return token.Word, true
		case unicode.IsNumber(r):
			number = true
		case unicode.Is(unicode.So, r) && r >= 0x2600:
			symbol = true
		}
		i += size
	}
	switch {
	case number:
		return token.Number, true
	case symbol:
		return token.Symbol, true
	}
	return 0, false
}

// isComplex reports whether text begins with a script written without spaces.
func isComplex(text []byte) bool {
	// Thai and Lao are U+0E00 to U+0EFF, Burmese U+1000 to U+109F, Khmer
	// U+1780 to U+17FF; all have the lead byte E0 or E1.
	if text[0] != 0xE0 && text[0] != 0xE1 {
		return false
	}
	r, _ := utf8.DecodeRune(text)
	return r >= 0x0E00 && r < 0x0F00 || r >= 0x1000 && r < 0x10A0 || r >= 0x1780 && r < 0x1800
}

// complexRun returns the end of the run of complex segments that starts with
// the segment from start to end.
func complexRun(text []byte, start, end int) int {
	script := scriptBlock(text[start:])
	for end < len(text) && isComplex(text[end:]) && scriptBlock(text[end:]) == script {
		end += boundary(text[end:])
	}
	return end
}

func scriptBlock(text []byte) rune {
	r, _ := utf8.DecodeRune(text)
	if r < 0x1000 {
		return r >> 7 // Thai and Lao share a block of 256
	}
	return r >> 8
}

// addComplex adds the words of a run.
func (u Unicode) addComplex(s *token.Stream, text []byte, start, end int) bool {
	if u.Breaker == nil {
		for start < end {
			next := min(start+boundary(text[start:]), end)
			if _, ok := kindOf(text[start:next]); ok && !s.Add(text[start:next], start, next, token.Complex, 0) {
				return false
			}
			start = next
		}
		return true
	}
	var space [64]int
	from := start
	for _, b := range u.Breaker.AppendBreaks(space[:0], text[start:end]) {
		to := min(start+b, end)
		if to <= from {
			continue
		}
		if kind, ok := kindOf(text[from:to]); ok {
			if kind == token.Word {
				kind = token.Complex
			}
			if !s.Add(text[from:to], from, to, kind, 0) {
				return false
			}
		}
		from = to
	}
	return true
}
