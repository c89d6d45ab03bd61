package jsonread

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns checked JSON without null members, compact, members sorted.
// Numbers have one spelling and keep their value, whole ones to the last digit.
// In objects whose name is one of maps null has a meaning and stays.
func Canonical(raw []byte, maps ...string) []byte {
	c := canonical{maps: maps}
	value := jsontext.Value(c.withoutNulls(nil, raw, false))
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

type canonical struct {
	maps []string
	name []byte // scratch
}

// withoutNulls appends raw without null members, unless it is a map.
func (c *canonical) withoutNulls(dst, raw []byte, isMap bool) []byte {
	switch KindOf(raw) {
	case ObjectKind:
		dst = append(dst, '{')
		first := true
		for members := Members(raw); members.Next(); {
			if KindOf(members.Value()) == NullKind && !isMap {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(append(dst, members.RawName()...), ':')
			dst = c.withoutNulls(dst, members.Value(), slices.Contains(c.maps, string(members.Name(&c.name))))
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
			dst = c.withoutNulls(dst, items.Value(), false)
		}
		return append(dst, ']')
	case NumberKind:
		return appendNumber(dst, raw)
	}
	return append(dst, raw...)
}
