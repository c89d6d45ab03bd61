// Package token holds what analysis makes of a text: words with their
// positions and the stretch of text each came from.
//
// A Stream is the working memory of one analysis. A tokenizer fills it and
// every token filter rewrites it as a whole, so that the cost of a call is
// paid per text and not per word. It is kept and used again for the next
// text; after the first few texts nothing is allocated.
//
// Invariants:
//
//	T1  Positions never decrease along the tokens of a Stream.
//	T2  0 <= Start <= End, and both lie on code points of the original text.
//	T3  Terms are never written to: a filter that changes one makes another.
//	T4  A Stream holds at most MaxTokens tokens.
//
// A Stream has one user at a time.
package token

import (
	"unicode/utf8"
	"unsafe"
)

// MaxTokens bounds the tokens of one text, grams and synonyms included. What
// a longer text would add is left out.
const MaxTokens = 1 << 20

// MaxTermBytes bounds a term. A longer one is cut at a code point, at indexing
// and query time alike, so it is still found.
const MaxTermBytes = 4096

// Kind says what a tokenizer saw.
type Kind uint8

// The kinds of tokens.
const (
	Word      Kind = iota // letters, perhaps with digits among them
	Number                // digits and the signs between them
	Ideograph             // one Han character or a word of them
	Kana                  // Hiragana or Katakana
	Hangul                // Korean
	Complex               // a script without spaces: Thai, Lao, Khmer, Burmese
	Symbol                // an emoji, or text a tokenizer kept though it holds no letter
)

// Shape is a cheap summary of what a term consists of. Zero means not known.
type Shape uint8

// The bits of a Shape.
const (
	ShapeKnown  Shape = 1 << iota // the other bits are valid
	ShapeASCII                    // only ASCII
	ShapeUpper                    // holds an ASCII capital letter
	ShapeDigit                    // holds an ASCII digit
	ShapeFolded                   // its case is folded
)

// Token is one word of a text, or one of several readings of a word.
type Token struct {
	Term     []byte // valid until the Stream is used again; not to be changed
	surface  *byte  // see Surface: pointer and length apart keep a Token at 48 bytes
	Start    int32  // where in the original text the word begins, in bytes
	End      int32  // and where it ends
	Position int32  // place of the word, from 0; removed words leave gaps
	spelled  uint16 // bytes of the surface form
	Kind     Kind
	Shape    Shape
}

// Surface is how the word is spelled, in the letters that typos are counted
// in; nil where that is the term. It lives as long as the term.
func (t *Token) Surface() []byte { return unsafe.Slice(t.surface, t.spelled) }

// SetSurface states how the word is spelled.
func (t *Token) SetSurface(form []byte) {
	form = Cut(form, MaxTermBytes)
	t.surface, t.spelled = unsafe.SliceData(form), uint16(len(form))
}

// ShapeOf looks at every byte of term.
func ShapeOf(term []byte) Shape {
	shape := ShapeKnown | ShapeASCII
	for _, c := range term {
		switch {
		case c >= utf8.RuneSelf:
			shape &^= ShapeASCII
		case c-'A' < 26:
			shape |= ShapeUpper
		case c-'0' < 10:
			shape |= ShapeDigit
		}
	}
	return shape
}

// Cut shortens term to at most limit bytes without splitting a code point.
func Cut(term []byte, limit int) []byte {
	if len(term) <= limit {
		return term
	}
	for limit > 0 && !utf8.RuneStart(term[limit]) {
		limit--
	}
	return term[:limit]
}
