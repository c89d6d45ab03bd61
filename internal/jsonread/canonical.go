package jsonread

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns checked JSON without null members, compact, with sorted
// members. Each number has one spelling and keeps its value, whole numbers exactly.
// Objects whose name is one of maps keep their null members, which have a meaning
// there.
func Canonical(raw []byte, maps ...string) []byte {
	c := canonical{maps: maps}
	value := jsontext.Value(c.withoutNulls(nil, raw, false))
	// The text was already checked, so canonicalization cannot fail.
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
	return append(dst, raw...) // validation rejects it later
}

type canonical struct {
	maps []string
	name []byte // scratch
}

// withoutNulls appends raw without null members, except those of maps.
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
