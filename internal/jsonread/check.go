// Package jsonread reads JSON request bodies strictly and reports every problem
// with its path. Bodies of definitions, searches, settings and keys are read
// through it, so that all of them reject the same things with the same codes.
//
// Parse checks a whole body once: one value, valid UTF-8, no duplicate names, at
// most MaxDepth levels. The Values it returns are slices of the body, which are
// walked without further syntax checks:
//
//	var found problem.List
//	if body, ok := jsonread.Parse(data, &found); ok {
//		body.Members(func(name string, member jsonread.Value) bool {
//			switch name {
//			case "limit":
//				if n, ok := member.Int32(); ok { request.Limit = n }
//			default:
//				return false // reported as request:property_unknown
//			}
//			return true
//		})
//	}
//	return found.Err()
//
// A null member counts as omitted: every typed reader returns false for null and
// reports nothing. For documents, Members and Items (scan.go) walk raw valid JSON
// without allocation.
//
// A Value belongs to one goroutine and keeps the body alive.
package jsonread

import (
	"bytes"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/problem"
)

// MaxDepth is the number of objects and lists that may enclose a value. It allows
// for any useful nesting of objects in a definition, where each level takes two.
const MaxDepth = 256

// ErrTooDeep is the syntax error of a value nested beyond MaxDepth.
var ErrTooDeep = errors.New("nested deeper than 256 levels")

// Blank reports whether body holds nothing but white space.
func Blank(body []byte) bool { return len(bytes.TrimLeft(body, " \t\r\n")) == 0 }

// Parse checks body and returns its value. If the body is absent or null, it
// reports request:body_required, and if it is not JSON, request:body_malformed with
// reason, line and column; in both cases it returns false.
func Parse(body []byte, found *problem.List) (Value, bool) {
	if Blank(body) {
		found.Report(problem.RequestBodyRequired.New())
		return Value{}, false
	}
	raw, err := Check(body)
	if err != nil {
		found.Report(Malformed(body, err))
		return Value{}, false
	}
	if raw[0] == 'n' {
		found.Report(problem.RequestBodyRequired.New())
		return Value{}, false
	}
	return Value{raw: raw, found: found}, true
}

// Check returns the single JSON value of body, without surrounding white space. The
// error is a *jsontext.SyntacticError or *SyntaxError. With ErrTooDeep it also
// returns the value, for readers that can name what is nested too deeply.
func Check(body []byte) ([]byte, error) {
	c := checkers.Get().(*Checker)
	value, err := c.Check(body)
	if len(body) <= maxChecked { // a checker retains the last text
		checkers.Put(c)
	}
	return value, err
}

// checkers are pooled: creating one costs as much as checking a short text.
var checkers = sync.Pool{New: func() any { return new(Checker) }}

// maxChecked is the length of the longest text that a pooled checker may retain.
const maxChecked = 64 << 10

// Checker checks one text after another without allocating. Its zero value is
// ready; it belongs to one goroutine.
type Checker struct {
	decoder jsontext.Decoder
	source  bytes.Buffer
}

// Check is like the function Check.
func (c *Checker) Check(body []byte) ([]byte, error) {
	if len(body) > 0 && body[0] == '{' && isPlainObject(body) {
		return body[:len(body):len(body)], nil
	}
	return c.decode(body)
}

// decode is Check for any text, plain or not.
func (c *Checker) decode(body []byte) ([]byte, error) {
	c.source = *bytes.NewBuffer(body)
	c.decoder.Reset(&c.source)
	value, err := c.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(c.decoder.InputOffset())
	if rest := skipSpace(body, end); rest < len(body) {
		return nil, &SyntaxError{Offset: int64(rest), Err: errors.New("more text after the value")}
	}
	start := end - len(value)
	raw := body[start:end:end]
	if offset := tooDeep(raw); offset >= 0 {
		return raw, &SyntaxError{Offset: int64(start + offset), Err: ErrTooDeep}
	}
	return raw, nil
}

// SyntaxError says why a text that jsontext accepts is rejected.
type SyntaxError struct {
	Offset int64 // bytes before the offending place
	Err    error
}

// Error returns the reason.
func (e *SyntaxError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *SyntaxError) Unwrap() error { return e.Err }

// tooDeep returns the offset at which valid JSON nests beyond MaxDepth, or -1.
func tooDeep(raw []byte) int {
	depth := 0
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
			continue
		case '{', '[':
			if depth++; depth > MaxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
		i++
	}
	return -1
}
