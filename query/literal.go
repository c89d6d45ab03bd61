package query

import (
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Literal is a JSON value as the request spelled it. Compiling the request decides
// whether it fits a field. Nil means no value.
type Literal []byte

// LiteralKind is the type of the value in a Literal.
type LiteralKind uint8

const (
	NoLiteral LiteralKind = iota
	TextLiteral
	NumberLiteral
	BooleanLiteral
	OtherLiteral // an object or an array
)

// Kind returns the kind of value the literal holds.
func (l Literal) Kind() LiteralKind {
	if len(l) == 0 {
		return NoLiteral
	}
	switch l[0] {
	case '"':
		return TextLiteral
	case 't', 'f':
		return BooleanLiteral
	case '{', '[':
		return OtherLiteral
	case 'n':
		return NoLiteral
	}
	return NumberLiteral
}

// Text returns the text of a string and whether it is one.
func (l Literal) Text() (string, bool) {
	if l.Kind() != TextLiteral {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, l)
	return string(text), err == nil
}

// Bool returns the value of a boolean and whether it is one.
func (l Literal) Bool() (value, ok bool) {
	if l.Kind() != BooleanLiteral {
		return false, false
	}
	return l[0] == 't', true
}

// String returns the literal as the request spelled it.
func (l Literal) String() string { return string(l) }

// TextOf returns the literal of a string.
func TextOf(text string) Literal {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		// Only invalid UTF-8 is an error, and it was replaced anyway.
		return quoted
	}
	return quoted
}

// spaceAt returns the size of the whitespace character at i, or 0. A no-break space
// does not separate, for example the digits of a number.
func spaceAt(text string, i int) int {
	if c := text[i]; c < utf8.RuneSelf {
		if c == ' ' || c >= '\t' && c <= '\r' {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	if unicode.IsSpace(r) && r != '\u00a0' && r != '\u2007' && r != '\u202f' {
		return size
	}
	return 0
}

// blank reports whether the text is empty or only whitespace.
func blank(text string) bool {
	for i := 0; i < len(text); {
		size := spaceAt(text, i)
		if size == 0 {
			return false
		}
		i += size
	}
	return true
}
