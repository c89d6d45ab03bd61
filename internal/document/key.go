package document

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/problem"
)

// Key is a primary key as text. Two keys are identical when their texts are.
type Key string

// maxKey bounds a key, so that no key is truncated as a term.
const maxKey = layout.MaxTerm

// ParseKey parses a key given as text outside of a body. The error is
// search:value_invalid at the given path if the type of the key field cannot hold
// the text.
func ParseKey(field *definition.ResolvedField, text string, at problem.Path) (Key, error) {
	if field.Type.IsWhole() {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || (field.Type == definition.Int32 && int64(int32(n)) != n) {
			return "", KeyInvalid(field, at, text)
		}
		return Key(strconv.FormatInt(n, 10)), nil
	}
	if text == "" || len(text) > maxKey || !utf8.ValidString(text) {
		return "", KeyInvalid(field, at, text)
	}
	return Key(text), nil
}

// KeyInvalid returns the problem of a value that is not a key of the field.
func KeyInvalid(field *definition.ResolvedField, at problem.Path, value string) error {
	expected := "a text of 1 to " + strconv.Itoa(maxKey) + " bytes"
	if field.Type.IsWhole() {
		expected = "a whole number of type " + string(field.Type)
	}
	return problem.SearchValueInvalid.At(at, "name", field.Path, "value", value, "type", field.Type, "expected", expected)
}

// KeyOf reads a key given as raw JSON inside a body. It must have the JSON type of
// the key field.
func KeyOf(field *definition.ResolvedField, raw []byte) (Key, bool) {
	if field.Type.IsWhole() {
		n, ok := jsonread.Int64(raw)
		if !ok || (field.Type == definition.Int32 && int64(int32(n)) != n) {
			return "", false
		}
		return Key(strconv.FormatInt(n, 10)), true
	}
	if jsonread.KindOf(raw) != jsonread.TextKind {
		return "", false
	}
	text := jsonread.String(raw)
	return Key(text), text != "" && len(text) <= maxKey
}

// repeats reports whether raw JSON, a number or a string, stands for the same key.
func (k Key) repeats(field *definition.ResolvedField, raw []byte) bool {
	switch jsonread.KindOf(raw) {
	case jsonread.TextKind:
		text := jsonread.String(raw)
		if other, err := ParseKey(field, text, problem.Path{}); err == nil {
			return other == k
		}
		return false
	case jsonread.NumberKind:
		if n, ok := jsonread.Int64(raw); ok {
			return Key(strconv.FormatInt(n, 10)) == k
		}
		return string(raw) == string(k)
	}
	return false
}

// AppendJSON appends the key in the JSON type of its field.
func (k Key) AppendJSON(to []byte, field *definition.ResolvedField) []byte {
	if field.Type.IsWhole() {
		return append(to, k...)
	}
	to, _ = jsontext.AppendQuote(to, string(k)) // keys are valid UTF-8
	return to
}

// WithKey returns raw, a checked JSON object, as a document with the key. A key
// field that repeats the key is rewritten in its own type, and a missing one is
// added. The error is document:key_conflicting if raw has another key.
func WithKey(schema *definition.Schema, raw []byte, key Key) ([]byte, error) {
	field := schema.PrimaryKey()
	return withKey(field, raw, key, func(name string) bool { return name == field.Name },
		func(given []byte) bool { return isNull(given) || key.repeats(field, given) })
}

// ChangeWithKey is WithKey for a change object, in which null is not the same as
// absent: it would clear the key.
func ChangeWithKey(schema *definition.Schema, raw []byte, key Key) ([]byte, error) {
	field := schema.PrimaryKey()
	return withKey(field, raw, key, func(path string) bool { return wholeField(path) == field.Name },
		func(given []byte) bool { return key.repeats(field, given) })
}

func withKey(field *definition.ResolvedField, raw []byte, key Key, isKey func(name string) bool, agrees func(given []byte) bool) ([]byte, error) {
	to := make([]byte, 0, len(raw)+len(key)+len(field.Name)+8)
	to = append(to, '{')
	to, _ = jsontext.AppendQuote(to, field.Name)
	to = append(to, ':')
	to = key.AppendJSON(to, field)
	for it := jsonread.Members(raw); it.Next(); {
		if !isKey(jsonread.String(it.RawName())) {
			to = append(to, ',')
			to = append(to, it.RawName()...)
			to = append(to, ':')
			to = append(to, it.Value()...)
			continue
		}
		if !agrees(it.Value()) {
			return nil, problem.DocumentKeyConflicting.At(problem.Path{}.Field(field.Name), "key", string(key), "name", field.Name)
		}
	}
	return append(to, '}'), nil
}
