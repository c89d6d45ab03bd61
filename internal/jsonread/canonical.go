package jsonread

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns checked JSON without null members, compact, members sorted.
// Numbers have one spelling and keep their value, whole ones to the last digit.
func Canonical(raw []byte) []byte {
	value := jsontext.Value(withoutNulls(nil, raw))
	// The text was checked when it was read; canonicalizing it cannot fail.
	_ = value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	return value
}

func appendNumber(dst, raw []byte) []byte {
	if n, ok := Int64(raw); ok {
		return strconv.AppendInt(dst, n, 10)
	}
	if f, ok := Float64(raw); ok {
		return jsontext.AppendFloat(dst, f, 64)
	}
	return append(dst, raw...) // which is refused
}

func withoutNulls(dst, raw []byte) []byte {
	switch KindOf(raw) {
	case ObjectKind:
		dst = append(dst, '{')
		first := true
		for members := Members(raw); members.Next(); {
			if KindOf(members.Value()) == NullKind {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(append(dst, members.RawName()...), ':')
			dst = withoutNulls(dst, members.Value())
		}
		return append(dst, '}')
	case ListKind:
		dst = append(dst, '[')
		first := true
		for items := Items(raw); items.Next(); {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = withoutNulls(dst, items.Value())
		}
		return append(dst, ']')
	case NumberKind:
		return appendNumber(dst, raw)
	}
	return append(dst, raw...)
}
