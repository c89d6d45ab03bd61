// Package token holds the result of analysing a text: words with their
// positions and the range of text each came from.
//
// A Stream is the working memory of one analysis. A tokenizer fills it and
// every token filter rewrites it as a whole, so that the cost of a call is paid
// per text and not per word. It is reused for the next text; after the first
// few texts nothing is allocated.
//
// Invariants:
//
//	T1  Positions never decrease along the tokens of a Stream.
//	T2  0 <= Start <= End, and both are code point boundaries of the original text.
//	T3  Terms are never written to: a filter that changes a term creates another.
//	T4  A Stream holds at most MaxTokens tokens.
//
// A Stream has one user at a time.
package token

import (
	"unicode/utf8"
	"unsafe"
)

// MaxTokens bounds the tokens of one text, including grams and synonyms. The
// rest of a longer text is ignored.
const MaxTokens = 1 << 20

// MaxTermBytes bounds a term. A longer term is cut at a code point, both when
// indexing and when searching, so it is still found.
const MaxTermBytes = 4096

// Kind is the kind of text that a tokenizer recognized.
type Kind uint8

// Kinds of tokens.
const (
	Word      Kind = iota // letters, possibly with digits
	Number                // digits and the punctuation between them
	Ideograph             // one Han character or a word of several
	Kana                  // Hiragana or Katakana
	Hangul                // Korean
	Complex               // a script without spaces: Thai, Lao, Khmer, Burmese
	Symbol                // an emoji, or text without letters that a tokenizer kept
)

// Shape is a cheap summary of the characters of a term. Zero means unknown.
type Shape uint8

// Bits of a Shape.
const (
	ShapeKnown  Shape = 1 << iota // the other bits are valid
	ShapeASCII                    // only ASCII
	ShapeUpper                    // contains an ASCII capital letter
	ShapeDigit                    // contains an ASCII digit
	ShapeFolded                   // its case is folded
)

// Token is one word of a text, or one of several readings of a word.
type Token struct {
	Term     []byte // valid until the Stream is used again; must not be modified
	surface  *byte  // see Surface: pointer and length apart keep a Token at 48 bytes
	Start    int32  // byte offset of the word in the original text
	End      int32  // byte offset of its end
	Position int32  // position of the word, from 0; removed words leave gaps
	spelled  uint16 // length of the surface form in bytes
	Kind     Kind
	Shape    Shape
}

// Surface returns the spelling of the word, in the letters in which typos are
// counted, or nil if that is the term. It lives as long as the term.
func (t *Token) Surface() []byte { return unsafe.Slice(t.surface, t.spelled) }

// SetSurface sets the spelling of the word.
func (t *Token) SetSurface(form []byte) {
	form = Cut(form, MaxTermBytes)
	t.surface, t.spelled = unsafe.SliceData(form), uint16(len(form))
}

// ShapeOf computes the shape of a term.
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
