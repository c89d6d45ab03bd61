package jsonread

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/problem"
)

// Malformed returns request:body_malformed for a syntax error in body.
func Malformed(body []byte, err error) *problem.Problem {
	offset, reason := Syntax(body, err)
	line, column := Position(body, offset)
	return problem.RequestBodyMalformed.New("reason", reason, "line", line, "column", column)
}

// Syntax returns the offset of a syntax error of body and its reason in words.
func Syntax(body []byte, err error) (offset int64, reason string) {
	var syntactic *jsontext.SyntacticError
	var own *SyntaxError
	switch {
	case errors.As(err, &own):
		return own.Offset, own.Err.Error()
	case errors.As(err, &syntactic):
		offset = min(syntactic.ByteOffset, int64(len(body)))
		switch {
		case errors.Is(syntactic.Err, jsontext.ErrDuplicateName):
			return offset, "an object holds the name " + strconv.Quote(syntactic.JSONPointer.LastToken()) + " twice"
		case errors.Is(syntactic.Err, io.ErrUnexpectedEOF):
			return offset, unclosed
		}
		return offset, unexpected(body, offset, syntactic.Err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return int64(len(body)), unclosed
	}
	return 0, err.Error()
}

const unclosed = "the text ends before a bracket or a quotation mark is closed"

// unexpected describes what is wrong at an offset of body. It goes by the text
// there, and by cause where the text is not enough.
func unexpected(body []byte, offset int64, cause error) string {
	rest, before := body[offset:], bytes.TrimRight(body[:offset], " \t\r\n")
	if len(rest) == 0 {
		return unclosed
	}
	c, size := utf8.DecodeRune(rest)
	said := ""
	if cause != nil {
		said = cause.Error()
	}
	switch {
	case c == utf8.RuneError && size == 1:
		return "the text is not valid UTF-8"
	case (c == ']' || c == '}') && bytes.HasSuffix(before, []byte{','}):
		return "there is a comma before the closing " + string(c)
	case c == '\'':
		return "text stands in double quotes, not in single ones"
	case c == '\\':
		return "a backslash escape is not valid; write \\\\ for a backslash"
	case c < ' ':
		return "a string holds a line break or another control character; write \\n for a line break"
	case strings.Contains(said, "':'"):
		return "a colon is missing between a name and its value"
	case strings.Contains(said, "','"):
		return "a comma or a closing bracket is missing before " + strconv.Quote(string(c))
	case unicode.IsLetter(c):
		return wordBegin(rest) + " stands without quotes; only true, false, null and numbers do"
	}
	return "the character " + strconv.Quote(string(c)) + " is not expected here"
}

// wordBegin returns the word at the start of text, truncated if long.
func wordBegin(text []byte) string {
	const most = 20
	end := bytes.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(text)
	}
	word := []rune(string(text[:min(end, 4*most)]))
	return string(word[:min(len(word), most)])
}

// Position returns the line and the column, both from 1, of an offset in body. Any
// offset past the end counts as the end.
func Position(body []byte, offset int64) (line, column int) {
	before := body[:min(offset, int64(len(body)))]
	return bytes.Count(before, []byte{'\n'}) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
