package jsonread

import (
	"math"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/problem"
)

// Kind is the kind of a JSON value.
type Kind byte

// The kinds of JSON values.
const (
	NullKind Kind = iota
	BoolKind
	NumberKind
	TextKind
	ListKind
	ObjectKind
)

// String returns the kind as worded in messages.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// KindOf returns the kind of a raw value.
func KindOf(raw []byte) Kind {
	if len(raw) == 0 {
		return NullKind
	}
	switch raw[0] {
	case '{':
		return ObjectKind
	case '[':
		return ListKind
	case '"':
		return TextKind
	case 't', 'f':
		return BoolKind
	case 'n':
		return NullKind
	}
	return NumberKind
}

// Value is one value of a checked body, with its path. The zero Value is null.
type Value struct {
	raw   []byte
	at    problem.Path // of the value, or of the object or list it belongs to
	step  step
	found *problem.List
}

// step leads from a path to the value. Paths are built only on demand, because few
// are needed.
type step struct {
	kind     stepKind
	name     string
	position int
}

type stepKind byte

const (
	noStep stepKind = iota
	toMember
	toElement
)

// New returns a value over checked raw JSON, such as a stored part of a body. It
// reports problems to found, with paths that begin with at.
func New(raw []byte, at problem.Path, found *problem.List) Value {
	return Value{raw: raw, at: at, found: found}
}

// Kind returns the kind of the value.
func (v Value) Kind() Kind { return KindOf(v.raw) }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.Kind() == NullKind }

// Raw returns the JSON text of the value, a slice of the body.
func (v Value) Raw() []byte { return v.raw }

// Path returns the path of the value.
func (v Value) Path() problem.Path {
	switch v.step.kind {
	case toMember:
		return v.at.Field(v.step.name)
	case toElement:
		return v.at.Item(v.step.position)
	}
	return v.at
}

// At returns the value with another path for its problems.
func (v Value) At(path problem.Path) Value {
	v.at, v.step = path, step{}
	return v
}

// Found returns the list to which problems are reported.
func (v Value) Found() *problem.List { return v.found }

// Report reports a problem at the value. The arguments alternate names and values.
func (v Value) Report(code *problem.Code, arguments ...any) {
	if v.found.Len() < problem.MaxReported { // creating a problem costs more than its cause
		v.found.Report(code.At(v.Path(), arguments...))
	}
}

// Advise is Report with specific help.
func (v Value) Advise(help string, code *problem.Code, arguments ...any) {
	if v.found.Len() < problem.MaxReported {
		v.found.Report(code.At(v.Path(), arguments...).Advise(help))
	}
}

// isFull reports whether no more problems of the body are recorded. The body is
// rejected, and the rest of it is not read.
func (v Value) isFull() bool { return v.found != nil && v.found.Len() >= problem.MaxReported }

// Invalid reports request:value_invalid at the value.
func (v Value) Invalid(reason string) {
	v.Report(problem.RequestValueInvalid, "reason", reason)
}

// Unknown reports request:value_invalid for a text that is not one of words.
func (v Value) Unknown(text, reason string, words []string) {
	if v.found.Len() < problem.MaxReported {
		v.found.Report(problem.RequestValueInvalid.At(v.Path(), "reason", reason).
			Advise("Use one of "+strings.Join(words, ", ")+".").AmongNames(text, words...))
	}
}

func (v Value) expected(kind Kind) bool {
	got := v.Kind()
	if got == kind {
		return true
	}
	if got != NullKind {
		v.Advise(kind.written(), problem.RequestValueInvalid, "reason", "expected "+kind.String()+", found "+got.String())
	}
	return false
}

// written says how to write a value of the kind.
func (k Kind) written() string {
	switch k {
	case BoolKind:
		return "Write true or false, without quotes."
	case NumberKind:
		return "Write the number without quotes, with a point before decimals."
	case TextKind:
		return "Write the value in double quotes."
	case ListKind:
		return "Write a list in square brackets, also when it has one element."
	}
	return "Write an object in braces."
}

// Members calls read for every member of an object in order, including null
// members. It reports a member for which read returns false as
// request:property_unknown. Null has no members; for anything else, Members reports
// a problem and returns false.
func (v Value) Members(read func(name string, member Value) (known bool)) bool {
	if !v.expected(ObjectKind) {
		return false
	}
	it, at := Members(v.raw), v.Path()
	for it.Next() && !v.isFull() {
		name := String(it.RawName())
		member := Value{raw: it.Value(), at: at, step: step{kind: toMember, name: name}, found: v.found}
		if !read(name, member) {
			member.Report(problem.RequestPropertyUnknown, "property", name)
		}
	}
	return true
}

// Entries calls read for every entry of an object that maps free names to values.
// It reports a null entry as request:value_required.
func (v Value) Entries(read func(name string, entry Value)) bool {
	return v.Members(func(name string, member Value) bool {
		if member.IsNull() {
			member.Report(problem.RequestValueRequired)
		} else {
			read(name, member)
		}
		return true
	})
}

// Items calls read for every element of a list in order. It reports a null element
// as request:value_required. Null has no elements; for anything else, Items reports
// a problem and returns false.
func (v Value) Items(read func(position int, item Value)) bool {
	if !v.expected(ListKind) {
		return false
	}
	it, at := Items(v.raw), v.Path()
	for position := 0; it.Next() && !v.isFull(); position++ {
		item := Value{raw: it.Value(), at: at, step: step{kind: toElement, position: position}, found: v.found}
		if item.IsNull() {
			item.Report(problem.RequestValueRequired)
		} else {
			read(position, item)
		}
	}
	return true
}

// Text reads a string.
func (v Value) Text() (string, bool) {
	if !v.expected(TextKind) {
		return "", false
	}
	return String(v.raw), true
}

// Texts reads a list of strings. The result is not nil if ok is true.
func (v Value) Texts() ([]string, bool) {
	texts := []string{}
	ok := v.Items(func(_ int, item Value) {
		if text, ok := item.Text(); ok {
			texts = append(texts, text)
		}
	})
	return texts, ok
}

// Word reads a string that must be one of words.
func (v Value) Word(words ...string) (string, bool) {
	text, ok := v.Text()
	if !ok {
		return "", false
	}
	for _, word := range words {
		if text == word {
			return text, true
		}
	}
	v.Unknown(text, "expected one of "+strings.Join(words, ", "), words)
	return "", false
}

// Bool reads true or false.
func (v Value) Bool() (value, ok bool) {
	if !v.expected(BoolKind) {
		return false, false
	}
	return v.raw[0] == 't', true
}

// Int32 reads a whole number of 32 bits.
func (v Value) Int32() (int32, bool) {
	n, ok := v.Int64()
	if ok && (n < math.MinInt32 || n > math.MaxInt32) {
		v.Invalid("expected a whole number between -2147483648 and 2147483647, found " + shorten(v.raw))
		return 0, false
	}
	return int32(n), ok
}

// Int reads a whole number of 32 bits as an int.
func (v Value) Int() (int, bool) {
	n, ok := v.Int32()
	return int(n), ok
}

// Int64 reads a whole number of 64 bits.
func (v Value) Int64() (int64, bool) {
	if !v.expected(NumberKind) {
		return 0, false
	}
	n, ok := Int64(v.raw)
	if !ok {
		if strings.ContainsAny(string(v.raw), ".eE") {
			v.Invalid("expected a whole number, found " + shorten(v.raw))
		} else {
			v.Invalid("expected a whole number between -9223372036854775808 and 9223372036854775807, found " + shorten(v.raw))
		}
	}
	return n, ok
}

// Float reads a number within the range of a double.
func (v Value) Float() (float64, bool) {
	if !v.expected(NumberKind) {
		return 0, false
	}
	f, ok := Float64(v.raw)
	if !ok {
		v.Invalid("expected a number within the range of a double, found " + shorten(v.raw))
	}
	return f, ok
}

// Number reads a number for callers that reject infinity with their own code: a
// number beyond the range of a double becomes infinite.
func (v Value) Number() (float64, bool) {
	if !v.expected(NumberKind) {
		return 0, false
	}
	f, ok := Float64(v.raw)
	switch {
	case ok:
	case v.raw[0] == '-':
		f = math.Inf(-1)
	default:
		f = math.Inf(1)
	}
	return f, true
}

// Literal reads any string, number or boolean and returns its raw text, for values
// whose type the index decides. It reports lists and objects.
func (v Value) Literal() ([]byte, bool) {
	switch v.Kind() {
	case NullKind:
		return nil, false
	case ListKind, ObjectKind:
		v.Invalid("expected a string, a number or a boolean")
		return nil, false
	}
	return v.raw, true
}

func shorten(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return strconv.Quote(string(raw[:most])) + "…"
	}
	return string(raw)
}
