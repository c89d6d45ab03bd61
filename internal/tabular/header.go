package tabular

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/written"
)

// Header converts rows to documents according to the fields that its columns
// name.
type Header struct {
	root    *column
	decimal byte
}

// column is a name in the header: a value, or an object of columns.
type column struct {
	name     string
	position int // in the row; -1 for an object
	field    *definition.ResolvedField
	inner    []*column
	byName   map[string]*column // index of inner, because a header may have a million names
}

// maxDepth bounds how deep dotted names nest.
const maxDepth = 32

// MaxColumns bounds the columns of a header. A column takes up to a kilobyte,
// because one of a wildcard field has a resolved field of its own.
const MaxColumns = 65_536

// NewHeader finds the fields that columns name. A name without a field is kept,
// so that the reader of documents refuses its values. The error is a *RowError
// of line 1.
func NewHeader(names []string, schema *definition.Schema, decimal byte) (*Header, error) {
	if len(names) > MaxColumns {
		return nil, &RowError{Line: 1, Reason: fmt.Sprintf("the header names %d columns, %d are the most", len(names), MaxColumns)}
	}
	h := &Header{root: &column{position: -1, field: schema.Root()}, decimal: decimal}
	for i, name := range names {
		if name == "" {
			return nil, &RowError{Line: 1, Reason: "column " + strconv.Itoa(i+1) + " of the header has no name"}
		}
		if !h.root.add(i, splitName(name)) {
			return nil, &RowError{Line: 1, Reason: fmt.Sprintf("the header names %q twice, or as a value and as an object", name)}
		}
	}
	return h, nil
}

// splitName splits names such as address.city and title[sv].
func splitName(name string) []string {
	steps := strings.SplitN(name, ".", maxDepth)
	last := steps[len(steps)-1]
	if open := strings.IndexByte(last, '['); open > 0 && strings.HasSuffix(last, "]") {
		return append(steps[:len(steps)-1], last[:open], last[open+1:len(last)-1])
	}
	return steps
}

// add adds a column below c and reports whether the name was free.
func (c *column) add(position int, steps []string) bool {
	inner := c.byName[steps[0]]
	isLast := len(steps) == 1
	switch {
	case inner != nil && (isLast || inner.position >= 0):
		return false
	case inner == nil:
		inner = &column{name: steps[0], position: -1}
		if c.field != nil {
			inner.field = c.field.Child(steps[0])
			if c.field.Locales != nil { // the step is a tag
				inner.field = c.field
			}
		}
		c.inner = append(c.inner, inner)
		if c.byName == nil {
			c.byName = make(map[string]*column)
		}
		c.byName[steps[0]] = inner
	}
	if isLast {
		inner.position = position
		return true
	}
	return inner.add(position, steps[1:])
}

// Append appends the document of a row.
func (h *Header) Append(out []byte, values []string) []byte {
	start := len(out)
	if out = h.object(out, h.root, values); len(out) == start {
		return append(out, "{}"...) // a row without a value
	}
	return out
}

// object appends an object, or nothing if none of its columns has a value.
func (h *Header) object(out []byte, c *column, values []string) []byte {
	start := len(out)
	out = append(out, '{')
	for _, inner := range c.inner {
		before := len(out)
		if before > start+1 {
			out = append(out, ',')
		}
		out = appendText(out, inner.name)
		out = append(out, ':')
		mark := len(out)
		if inner.position < 0 {
			out = h.object(out, inner, values)
		} else {
			out = h.value(out, inner.field, values[inner.position])
		}
		if len(out) == mark {
			out = out[:before]
		}
	}
	if len(out) == start+1 {
		return out[:start]
	}
	return append(out, '}')
}

// value appends the value of a field for a string, or nothing if the string is
// empty.
func (h *Header) value(out []byte, f *definition.ResolvedField, text string) []byte {
	if strings.TrimSpace(text) == "" {
		return out
	}
	switch {
	case f == nil:
		return appendText(out, text)
	case f.Type == definition.Object || f.Type == definition.Vector || f.Multiple && strings.HasPrefix(text, "["):
		if raw, err := jsonread.Check([]byte(text)); err == nil {
			return append(out, raw...)
		}
		return appendText(out, text)
	case !f.Multiple:
		return h.single(out, f, text)
	}
	start := len(out)
	out = append(out, '[')
	for part := range strings.SplitSeq(text, "|") {
		before := len(out)
		if before > start+1 {
			out = append(out, ',')
		}
		mark := len(out)
		if part = strings.TrimSpace(part); part != "" {
			out = h.single(out, f, part)
		}
		if len(out) == mark {
			out = out[:before]
		}
	}
	if len(out) == start+1 {
		return out[:start]
	}
	return append(out, ']')
}

// single appends one value of a field.
func (h *Header) single(out []byte, f *definition.ResolvedField, text string) []byte {
	if f.Type == definition.String {
		return appendText(out, text)
	}
	if written.IsMissing(text) {
		return out
	}
	text = strings.TrimSpace(text)
	switch {
	case f.Type == definition.Boolean:
		if value, ok := written.Boolean(text); ok {
			return strconv.AppendBool(out, value)
		}
	case f.Type == definition.Timestamp:
		return appendText(out, timestamp(text))
	case f.Type == definition.GeoPoint:
		if lat, lon, ok := written.Point(text); ok {
			return append(out, `{"lat":`+lat+`,"lon":`+lon+`}`...)
		}
		if raw, err := jsonread.Check([]byte(text)); err == nil && jsonread.KindOf(raw) == jsonread.ObjectKind {
			return append(out, raw...)
		}
	case f.Type.IsNumber():
		if number, ok := h.number(text); ok {
			return append(out, number...)
		}
	}
	return appendText(out, text)
}

// number parses a number with the decimal mark of the rows or, if that fails,
// the other one.
func (h *Header) number(text string) (string, bool) {
	if literal, _, ok := written.Number(text, h.decimal); ok {
		return literal, true
	}
	other := byte(',')
	if h.decimal == other {
		other = '.'
	}
	literal, _, ok := written.Number(text, other)
	return literal, ok
}

// timestamp converts a date in a common format, or seconds or milliseconds
// since 1970, to the format of the API. A date without an offset is in UTC. A
// date with interchangeable day and month stays unchanged and is refused later.
func timestamp(text string) string {
	if moment, ok := written.Date(text, true); ok && !moment.IsOpen {
		if moment.HasOffset && isISO(text) {
			return text // keeps its precision
		}
		return written.Timestamp(moment.Time)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if moment, ok := written.Epoch(n); ok {
			return written.Timestamp(moment)
		}
	}
	return text
}

// isISO reports whether a string begins like 2024-12-31T.
func isISO(text string) bool {
	return len(text) > 10 && text[4] == '-' && text[7] == '-' && text[10] == 'T'
}

// appendText appends a JSON string.
func appendText(out []byte, text string) []byte {
	out, _ = jsontext.AppendQuote(out, text) // rows are valid UTF-8
	return out
}
